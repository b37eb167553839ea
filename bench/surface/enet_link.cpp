#ifdef TERN_HAVE_ENET
#include "bench/surface/enet_link.h"

namespace bench::surface::enet_link {

constexpr int system_buffer_bytes = 4 << 20; // As tern's socket asks for.

static ENetHost *make(const ENetAddress *address, size_t peer_count)
{
    static const bool is_initialized = enet_initialize() == 0;
    ENetHost *host = is_initialized ? enet_host_create(address, peer_count, 1, 0, 0) : nullptr;
    if (!host) channel::give_up("ENet makes no host");
    enet_socket_set_option(host->socket, ENET_SOCKOPT_RCVBUF, system_buffer_bytes);
    enet_socket_set_option(host->socket, ENET_SOCKOPT_SNDBUF, system_buffer_bytes);
    return host;
}

EnetServer make_server(size_t client_count)
{
    ENetAddress any = {};
    any.port = ENET_PORT_ANY;
    enet_address_set_host_ip(&any, "127.0.0.1");
    return {make(&any, client_count), {}};
}

EnetClient make_client(uint16_t port)
{
    EnetClient made = {make(nullptr, 1), nullptr, false};
    ENetAddress to = {};
    to.port = port;
    enet_address_set_host_ip(&to, "127.0.0.1");
    made.to = enet_host_connect(made.host, &to, 1, 0);
    if (!made.to) channel::give_up("ENet does not connect");
    return made;
}

double wire_bytes(ENetHost *host)
{
    const double bytes =
        static_cast<double>(host->totalSentData) + static_cast<double>(host->totalReceivedData);
    const double datagrams = static_cast<double>(host->totalSentPackets) +
                             static_cast<double>(host->totalReceivedPackets);
    host->totalSentData = host->totalReceivedData = 0;
    host->totalSentPackets = host->totalReceivedPackets = 0;
    return bytes + below_udp_bytes * datagrams;
}

void turn_throttle_off(ENetPeer *peer)
{
    enet_peer_throttle_configure(peer, ENET_PEER_PACKET_THROTTLE_INTERVAL,
                                 ENET_PEER_PACKET_THROTTLE_SCALE, 0);
}

void send(ENetPeer *to, const void *bytes, size_t size_bytes, enet_uint32 flags)
{
    ENetPacket *packet = enet_packet_create(bytes, size_bytes, flags);
    if (packet && enet_peer_send(to, 0, packet) != 0) enet_packet_destroy(packet);
}

}
#endif
