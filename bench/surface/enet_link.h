// ENet hosts on 127.0.0.1 for the contenders that use ENet. Include it only where TERN_HAVE_ENET is
// defined.
#pragma once
#include "bench/surface/processes.h"
#include <enet/enet.h>
#include <vector>

namespace bench::surface {

struct EnetServer {
    ENetHost *host;
    std::vector<ENetPeer *> peers; // In the order in which they connected.
};

struct EnetClient {
    ENetHost *host;
    ENetPeer *to;
    bool is_connected;
};

namespace enet_link {

EnetServer make_server(size_t client_count);
EnetClient make_client(uint16_t port);
double wire_bytes(ENetHost *host); // As peer::wire_bytes(), since the last call.
// With its throttle on, ENet drops unreliable packets at the sender when round trips get longer.
void turn_throttle_off(ENetPeer *peer);
// Queues an unreliable packet that later ones may overtake, so none waits for another one.
void send(ENetPeer *to, const void *bytes, size_t size_bytes, enet_uint32 flags);

// Calls take(peer, bytes, size) for each packet that has arrived.
template <class Take> void receive(EnetServer &server, Take take)
{
    ENetEvent event;
    while (enet_host_service(server.host, &event, 0) > 0) {
        if (event.type == ENET_EVENT_TYPE_CONNECT) {
            turn_throttle_off(event.peer);
            server.peers.push_back(event.peer);
        }
        if (event.type != ENET_EVENT_TYPE_RECEIVE) continue;
        take(event.peer, event.packet->data, event.packet->dataLength);
        enet_packet_destroy(event.packet);
    }
}

template <class Take> void receive(EnetClient &client, Take take)
{
    ENetEvent event;
    while (enet_host_service(client.host, &event, 0) > 0) {
        if (event.type == ENET_EVENT_TYPE_CONNECT) {
            turn_throttle_off(event.peer);
            client.is_connected = true;
        }
        if (event.type != ENET_EVENT_TYPE_RECEIVE) continue;
        take(event.packet->data, event.packet->dataLength);
        enet_packet_destroy(event.packet);
    }
}

}
}
