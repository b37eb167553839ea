// A connection rests while nothing is due on it, and so do the members. Two worlds get the same
// inputs, and in one of them nothing ever rests: both must send the same datagrams.
#include "base/random.h"
#include "session/inspect.h"
#include "session/peer_links.h"
#include "tern/untyped.hpp"
#include <gtest/gtest.h>
#include <tern/calls.hpp>
#include <tern/ownership.hpp>
#include <tern/sim.hpp>
#include <tern/tern.hpp>
#include <vector>

using namespace tern;

namespace {

struct Thing {
    int32_t value;
};
struct Shout {
    int32_t value;
};
constexpr Field thing_fields[] = {{"value", FieldKind::int32, offsetof(Thing, value)}};
constexpr Field shout_fields[] = {{"value", FieldKind::int32, offsetof(Shout, value)}};
constexpr Type types[] = {{"thing", sizeof(Thing), thing_fields, 64},
                          {"shout", sizeof(Shout), shout_fields, 0}};
constexpr uint16_t places = 5;
constexpr uint64_t tick_us = 16'667;

struct World {
    SimNetwork *network;
    Session *sessions[places] = {};
    Socket *sockets[places] = {};
    std::vector<ObjectId> things;
    bool rests;

    World(Topology topology, bool rests_too) : rests(rests_too)
    {
        network = make_sim_network({3, {10, 60, 0.05f, 0.02f}, 65'536});
        Config config;
        config.types = types;
        config.topology = topology;
        config.peers_max = places + 3;
        config.timeout_ms = 1500;
        const Address first = loopback(7001);
        for (uint16_t i = 0; i < places; ++i) {
            const uint8_t seed[32] = {static_cast<uint8_t>(i + 1)};
            sessions[i] = inspect::make_seeded_session(config, seed);
            sockets[i] = make_sim_socket(network, loopback(static_cast<uint16_t>(7001 + i)));
            if (i == 0)
                start(sessions[0]);
            else
                join(sessions[i], make_invite(sessions[0], {&first, 1}));
        }
    }
    ~World()
    {
        for (Session *session : sessions)
            destroy_session(session);
        destroy_sim_network(network);
    }

    // Returns what the session sends.
    std::span<const Datagram> tick(uint16_t i, uint64_t now_us)
    {
        if (!rests) session::wake_all(*sessions[i]);
        receive(sessions[i], sockets[i]->receive(), now_us);
        if (!rests) session::wake_all(*sessions[i]);
        return send(sessions[i], now_us);
    }

    // A move of the game, which `chance` decides.
    void play(uint16_t i, uint64_t chance)
    {
        Session *s = sessions[i];
        if (session_state(s) != State::open) return;
        const auto value = static_cast<int32_t>(chance % 1000);
        const ObjectId thing = things.empty() ? ObjectId::none : things[chance / 8 % things.size()];
        switch (chance % 8) {
        case 0:
            if (things.size() < 40 && creations_left(s, 0) > 0)
                things.push_back(create(s, 0, Thing{value}));
            break;
        case 1:
        case 2:
            if (exists(s, thing) && may_set(s, thing)) set(s, Object<Thing>{thing}, Thing{value});
            break;
        case 3:
            if (exists(s, thing) && object_owner(s, thing) != local_peer(s)) claim(s, thing);
            break;
        case 4: call(s, PeerId::everyone, 1, Shout{value}, Reliability::unreliable); break;
        case 5: call(s, PeerId::host, 1, Shout{value}, Reliability::reliable); break;
        default: break;
        }
    }
};

bool equal(std::span<const Datagram> a, std::span<const Datagram> b)
{
    const auto are_equal = [](const Datagram &x, const Datagram &y) {
        return x.address == y.address &&
               std::equal(x.bytes.begin(), x.bytes.end(), y.bytes.begin(), y.bytes.end());
    };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), are_equal);
}

// Busy and quiet times take turns. A peer stands still now and then; the host's paths are cut at
// 15 s, so that another one takes its place; one peer leaves at 25 s.
void compare(Topology topology)
{
    World a(topology, true), b(topology, false);
    Random random = random::from_seed(7);
    const uint64_t cut_us = 15'000'000, leave_us = 25'000'000, end_us = 40'000'000;
    for (uint64_t now_us = tick_us; now_us < end_us; now_us += tick_us) {
        const bool is_busy = now_us / 3'000'000 % 3 == 0;
        for (World *world : {&a, &b}) {
            advance(world->network, now_us);
            for (uint16_t i = 1; i < places && now_us / tick_us == cut_us / tick_us; ++i) {
                const Address host = loopback(7001);
                const Address other = loopback(static_cast<uint16_t>(7001 + i));
                set_cut(world->network, host, other, true);
                set_cut(world->network, other, host, true);
            }
            if (now_us / tick_us == leave_us / tick_us) leave(world->sessions[3]);
        }
        for (uint16_t i = 0; i < places; ++i) {
            if (i == now_us / 1'000'000 % 11) continue; // It stands still for a second.
            const std::span<const Datagram> sent = a.tick(i, now_us), same = b.tick(i, now_us);
            ASSERT_TRUE(equal(sent, same)) << "peer " << i << " at " << now_us << " us";
            a.sockets[i]->send(sent);
            b.sockets[i]->send(same);
            const uint64_t chance = random::next(random);
            if (!is_busy || chance % 64 > 7) continue;
            a.play(i, chance);
            b.play(i, chance);
        }
    }
    for (const uint16_t i : {uint16_t{1}, uint16_t{2}, uint16_t{4}})
        EXPECT_EQ(session_state(a.sessions[i]), State::open) << i << state_text(a.sessions[i]);
    EXPECT_GT(a.things.size(), 10u);
}

TEST(Rest, ChangesNothingInAMesh)
{
    compare(Topology::mesh);
}

TEST(Rest, ChangesNothingInAStar)
{
    compare(Topology::star);
}

}
