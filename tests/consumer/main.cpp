// What a user's first program may look like, small: one function of each public header.
#include "tern/io.h"
#include "tern/sim.h"
#include "tern/tern.h"
#include <cstdio>
#include <cstring>

namespace {

// One datagram from one simulated socket to another.
bool datagram_crosses()
{
    tern::SimConfig config;
    config.seed = 7;
    tern::SimNetwork *network = tern::make_sim_network(config);
    const tern::Address from = tern::loopback(1), to = tern::loopback(2);
    tern::Socket *sender = tern::make_sim_socket(network, from);
    tern::Socket *receiver = tern::make_sim_socket(network, to);
    const std::byte bytes[] = {std::byte{'h'}, std::byte{'i'}};
    const tern::Datagram datagram = {to, bytes};
    sender->send({&datagram, 1});
    tern::advance(network, 1'000'000);
    const std::span<const tern::Datagram> received = receiver->receive();
    const bool same = received.size() == 1 && received[0].address == from &&
                      received[0].bytes.size() == sizeof bytes &&
                      std::memcmp(received[0].bytes.data(), bytes, sizeof bytes) == 0;
    tern::destroy_sim_network(network);
    return same;
}

bool socket_opens(tern::MadeSocket made, const char *kind)
{
    if (!made.socket) {
        std::printf("consumer: no %s socket: %s\n", kind, tern::text(made.error));
        return false;
    }
    const bool bound = made.socket->local_address().port != 0;
    tern::destroy_socket(made.socket);
    return bound;
}

}

int main()
{
    const tern::ParsedAddress parsed = tern::parse_address("1.2.3.4:7777");
    if (parsed.error || parsed.address.port != 7777) return 1;
    if (!datagram_crosses()) return 2;
    if (!socket_opens(tern::make_udp_socket(0), "UDP")) return 3;
#ifdef CONSUMER_HAS_ENET
    const tern::MadeSocket enet = tern::make_enet_socket(0, 4);
    if (enet.error != tern::SocketError::not_built && !socket_opens(enet, "ENet")) return 4;
#endif
    std::puts("consumer: ok");
    return 0;
}
