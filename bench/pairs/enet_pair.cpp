#include "bench/pairs/enet_pair.h"
#include <cstdio>
#ifdef TERN_HAVE_ENET
#include <enet/enet.h>
#endif

namespace bench {

#ifdef TERN_HAVE_ENET

struct EnetPair {
    ENetHost *sender;
    ENetHost *receiver;
    ENetPeer *to;
    uint64_t sent_bytes_before; // Summed here because ENet's own counters have 32 bits.
};

namespace enet_pair {

static uint64_t take_counters(EnetPair &pair)
{
    pair.sent_bytes_before += pair.sender->totalSentData + uint64_t{pair.receiver->totalSentData};
    pair.sender->totalSentData = pair.receiver->totalSentData = 0;
    return pair.sent_bytes_before;
}

// With its throttle on, ENet drops unreliable packets at the sender when round trips get longer.
static void turn_throttle_off(ENetPeer *peer)
{
    enet_peer_throttle_configure(peer, ENET_PEER_PACKET_THROTTLE_INTERVAL,
                                 ENET_PEER_PACKET_THROTTLE_SCALE, 0);
}

static bool connect(EnetPair &pair)
{
    ENetAddress address = pair.receiver->address;
    enet_address_set_host_ip(&address, "127.0.0.1");
    pair.to = enet_host_connect(pair.sender, &address, 1, 0);
    if (!pair.to) return false;
    ENetPeer *back = nullptr;
    bool is_connected = false;
    const uint64_t deadline_ns = wall_clock_ns() + 5'000'000'000;
    while ((!back || !is_connected) && wall_clock_ns() < deadline_ns) {
        ENetEvent event;
        if (enet_host_service(pair.sender, &event, 1) > 0)
            is_connected = is_connected || event.type == ENET_EVENT_TYPE_CONNECT;
        if (enet_host_service(pair.receiver, &event, 1) > 0 &&
            event.type == ENET_EVENT_TYPE_CONNECT)
            back = event.peer;
    }
    if (!back || !is_connected) return false;
    turn_throttle_off(pair.to);
    turn_throttle_off(back);
    return true;
}

EnetPair *make()
{
    static const bool is_initialized = enet_initialize() == 0;
    if (!is_initialized) return nullptr;
    ENetAddress any = {};
    any.port = ENET_PORT_ANY;
    enet_address_set_host_ip(&any, "127.0.0.1");
    auto *pair = new EnetPair{};
    pair->sender = enet_host_create(nullptr, 1, 1, 0, 0);
    pair->receiver = enet_host_create(&any, 1, 1, 0, 0);
    for (ENetHost *host : {pair->sender, pair->receiver}) {
        if (!host) continue;
        enet_socket_set_option(host->socket, ENET_SOCKOPT_RCVBUF, 4 << 20);
        enet_socket_set_option(host->socket, ENET_SOCKOPT_SNDBUF, 4 << 20);
    }
    if (pair->sender && pair->receiver && connect(*pair)) return pair;
    std::fprintf(stderr, "tern-bench: ENet could not connect to itself\n");
    destroy(pair);
    return nullptr;
}

void destroy(EnetPair *pair)
{
    if (!pair) return;
    for (ENetHost *host : {pair->sender, pair->receiver})
        if (host) enet_host_destroy(host);
    delete pair;
}

const char *version()
{
    static char text[32];
    const ENetVersion linked = enet_linked_version();
    std::snprintf(text, sizeof text, "%u.%u.%u", ENET_VERSION_GET_MAJOR(linked),
                  ENET_VERSION_GET_MINOR(linked), ENET_VERSION_GET_PATCH(linked));
    return text;
}

void queue(EnetPair &pair, std::span<const std::byte> message, EnetDelivery delivery)
{
    const enet_uint32 flags = delivery == EnetDelivery::reliable ? ENET_PACKET_FLAG_RELIABLE
                                                                 : ENET_PACKET_FLAG_UNSEQUENCED;
    ENetPacket *packet = enet_packet_create(message.data(), message.size(), flags);
    if (packet && enet_peer_send(pair.to, 0, packet) != 0) enet_packet_destroy(packet);
}

void flush(EnetPair &pair)
{
    enet_host_flush(pair.sender);
}

static void serve(ENetHost *host, Tally *tally)
{
    ENetEvent event;
    while (enet_host_service(host, &event, 0) > 0) {
        if (event.type != ENET_EVENT_TYPE_RECEIVE) continue;
        if (tally)
            tally_message(*tally, {reinterpret_cast<const std::byte *>(event.packet->data),
                                   event.packet->dataLength});
        enet_packet_destroy(event.packet);
    }
}

void tick(EnetPair &pair, Tally &tally)
{
    serve(pair.receiver, &tally);
    serve(pair.sender, nullptr);
    take_counters(pair);
}

uint64_t sent_bytes(const EnetPair &pair)
{
    return pair.sent_bytes_before;
}

}

#else

struct EnetPair {};

namespace enet_pair {

EnetPair *make()
{
    return nullptr;
}

void destroy(EnetPair *) {}

const char *version()
{
    return "";
}

void queue(EnetPair &, std::span<const std::byte>, EnetDelivery) {}
void flush(EnetPair &) {}
void tick(EnetPair &, Tally &) {}

uint64_t sent_bytes(const EnetPair &)
{
    return 0;
}

}

#endif

}
