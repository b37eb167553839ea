// What a user's first program may look like, small: one function of each public header.
#include "tern/diagnostics.hpp"
#include "tern/discovery.hpp"
#include "tern/invites.hpp"
#include "tern/io.hpp"
#include "tern/sim.hpp"
#include "tern/tern.hpp"
#include "tern/untyped.hpp"
#include <cstddef>
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

struct Ball {
    float x, y;
};

struct Player {
    tern::Session *session;
    tern::Socket *socket;
};

void tick(Player &player, uint64_t now_us)
{
    tern::receive(player.session, player.socket->receive(), now_us);
    player.socket->send(tern::send(player.session, now_us));
}

// Two peers: the second joins the first by its printed invite and sees its ball.
bool ball_crosses()
{
    using tern::FieldKind;
    static constexpr tern::Field fields[] = {
        {"x", FieldKind::float32, offsetof(Ball, x)},
        {"y", FieldKind::float32, offsetof(Ball, y)},
    };
    static constexpr tern::Type types[] = {{"ball", sizeof(Ball), fields, 16}};
    tern::Config config;
    config.types = types;
    tern::SimNetwork *network = tern::make_sim_network({});
    const tern::Address address = tern::loopback(1);
    Player host = {tern::make_session(config), tern::make_sim_socket(network, address)};
    Player guest = {tern::make_session(config), tern::make_sim_socket(network, tern::loopback(2))};
    tern::start(host.session);
    const tern::InviteText text = tern::to_text(tern::make_invite(host.session, {&address, 1}));
    tern::join(guest.session, tern::parse_invite(text.text).invite);
    const tern::ObjectId ball = tern::create(host.session, 0, Ball{1.5F, -2});
    bool seen = false;
    for (uint64_t now_us = 0; now_us < 10'000'000 && !seen; now_us += 16'667) {
        tern::advance(network, now_us);
        tick(host, now_us);
        tick(guest, now_us);
        seen = tern::session_state(guest.session) == tern::State::open &&
               tern::exists(guest.session, ball) &&
               tern::get(guest.session, tern::Object<Ball>{ball}).x == 1.5F &&
               tern::world_digest(guest.session) == tern::world_digest(host.session);
    }
    tern::destroy_session(guest.session);
    tern::destroy_session(host.session);
    tern::destroy_sim_network(network);
    return seen;
}

// A finder asks as soon as it can, and has found nobody yet.
bool finder_asks()
{
    tern::Finder *finder = tern::make_finder({});
    const std::span<const tern::Datagram> queries = tern::find(finder, {}, 0);
    const bool asks = queries.size() == 1 && queries[0].address.port == tern::discovery_port;
    const bool found_none = tern::found_sessions(finder).empty();
    tern::destroy_finder(finder);
    return asks && found_none;
}

bool socket_opens(tern::MadeSocket made, const char *kind)
{
    if (!made.socket) {
        std::printf("consumer: no %s socket: %s\n", kind, tern::to_text(made.error));
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
    if (!ball_crosses()) return 3;
    if (!socket_opens(tern::make_udp_socket(0), "UDP")) return 4;
    if (!socket_opens(tern::make_discovery_socket(0), "discovery")) return 6;
    if (!finder_asks()) return 7;
#ifdef CONSUMER_HAS_ENET
    const tern::MadeSocket enet = tern::make_enet_socket(0, 4);
    if (enet.error != tern::SocketError::not_built && !socket_opens(enet, "ENet")) return 5;
#endif
    std::puts("consumer: ok");
    return 0;
}
