// Bits of each datagram of a session are flipped in flight. The datagram is rejected, and nothing
// changes but the counter of bad datagrams. The test flips one bit of each byte, chosen by
// TERN_COMMIT_SEED, so it differs between commits. If TERN_EVERY_BIT is set, as in ./dev nightly,
// it flips every bit.
#include "migration/replica.h"
#include "tern/diagnostics.hpp"
#include "tern/untyped.hpp"
#include "tests/session/sim_world.h"
#include <cstdlib>
#include <gtest/gtest.h>

using namespace tern;
using namespace tern::test;

namespace {

// Few objects, so the state can be hashed after each flipped bit.
const Type small_types[] = {{"body", sizeof(Body), body_fields, 2}};

struct Observed {
    uint64_t replica, digest, bad;
    State state;
    size_t peers;

    static Observed of(const Session *session)
    {
        return {replica::state_hash(inspect::replica(session)), tern::world_digest(session),
                session_stats(session).bad_datagrams, tern::session_state(session),
                tern::other_peers(session).size()};
    }
};

struct TamperTally {
    uint64_t bits = 0, datagrams = 0, wrong = 0;
};

}

static bool is_flipped(size_t bit)
{
    static const bool every = std::getenv("TERN_EVERY_BIT") != nullptr;
    static const char *const text = std::getenv("TERN_COMMIT_SEED");
    static const size_t seed = text ? std::strtoull(text, nullptr, 10) : 0;
    return every || (seed + bit / 8) % 8 == bit % 8;
}

// Passes each waiting datagram to the node once per tested bit with that bit flipped, and
// afterwards all of them unchanged.
static std::span<const Event> receive_tampered(SimWorld &world, Node &node, TamperTally &tally)
{
    const std::span<const Datagram> waiting = node.socket->receive();
    receive(node.session, {}, world.now_us);
    for (const Datagram &datagram : waiting) {
        std::vector<std::byte> bytes(datagram.bytes.begin(), datagram.bytes.end());
        tally.datagrams += 1;
        Observed before = Observed::of(node.session);
        for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
            if (!is_flipped(bit)) continue;
            const auto flip = static_cast<std::byte>(1u << bit % 8);
            bytes[bit / 8] ^= flip;
            const Datagram tampered = {datagram.address, bytes};
            const std::span<const Event> events =
                receive(node.session, std::span(&tampered, 1), world.now_us);
            const Observed after = Observed::of(node.session);
            const bool same = after.replica == before.replica && after.digest == before.digest &&
                              after.state == before.state && after.peers == before.peers &&
                              after.bad == before.bad + 1 && events.empty();
            tally.wrong += !same;
            EXPECT_TRUE(same) << "datagram " << tally.datagrams << " of " << bytes.size()
                              << " bytes, first " << std::to_integer<int>(bytes[0]) << ", bit "
                              << bit << ", bad " << before.bad << " to " << after.bad;
            if (tally.wrong > 5) return {};
            bytes[bit / 8] ^= flip;
            before = after;
            tally.bits += 1;
        }
    }
    return receive(node.session, waiting, world.now_us);
}

TEST(Tamper, EachFlippedBitIsRejectedAndChangesNothing)
{
    SimWorld world(1, {20, 20, 0, 0});
    world.config.types = small_types;
    world.config.peers_max = 2;
    world.add_all(2);
    TamperTally tally;
    ObjectId id = ObjectId::none;
    for (int step = 0; step < 40 && tally.wrong == 0; ++step) {
        world.pass_tick_time();
        for (Node &node : world.nodes) {
            receive_tampered(world, node, tally);
            Session *session = node.session;
            if (session_state(session) == State::open && id == ObjectId::none)
                id = create(session, BODY, Body{{1, 2, 3}, 4});
            if (exists(session, id) && object_owner(session, id) == local_peer(session)) {
                Body body = get(session, Object<Body>{id});
                body.position[0] += 0.5f;
                set(session, Object<Body>{id}, body);
            } else if (exists(session, id) && step == 20) {
                claim(session, id);
            }
            node.socket->send(send(session, world.now_us));
        }
    }
    std::printf("%llu bits of %llu datagrams\n", static_cast<unsigned long long>(tally.bits),
                static_cast<unsigned long long>(tally.datagrams));
    EXPECT_EQ(session_state(world.nodes[1].session),
              State::open); // The bad datagrams did not hinder the session.
    EXPECT_EQ(object_owner(world.nodes[0].session, id), local_peer(world.nodes[1].session));
    EXPECT_TRUE(world.step_until_converged());
    EXPECT_GT(tally.datagrams, 40u);
}

TEST(Tamper, ReplayedDatagramsChangeNothing)
{
    SimWorld world(2, {20, 20, 0, 0});
    world.add_all(2);
    std::vector<std::vector<std::byte>> recorded; // The datagrams that node 0, the host, received
    for (int step = 0; step < 60; ++step) {
        world.pass_tick_time();
        for (size_t i = 0; i < 2; ++i) {
            Node &node = world.nodes[i];
            const std::span<const Datagram> waiting = node.socket->receive();
            if (i == 0)
                for (const Datagram &datagram : waiting)
                    recorded.emplace_back(datagram.bytes.begin(), datagram.bytes.end());
            receive(node.session, waiting, world.now_us);
            for (ObjectId object : object_ids(node.session, BODY))
                if (object_owner(node.session, object) == local_peer(node.session))
                    set(node.session, Object<Body>{object},
                        Body{{static_cast<float>(step), 0, 0}, 1});
            if (step == 20 && i == 1) create(node.session, BODY, Body{});
            node.socket->send(send(node.session, world.now_us));
        }
    }
    Session *host = world.nodes[0].session;
    receive(host, {}, world.now_us);
    const uint64_t before = replica::state_hash(inspect::replica(host));
    const Address elsewhere = SimWorld::address_of(99);
    for (const Address &from : {world.nodes[1].address, elsewhere})
        for (const auto &bytes : recorded) {
            const Datagram datagram = {from, bytes};
            EXPECT_TRUE(receive(host, std::span(&datagram, 1), world.now_us).empty());
        }
    EXPECT_EQ(replica::state_hash(inspect::replica(host)), before);
    EXPECT_GT(recorded.size(), 20u);
    world.steps(60);
    EXPECT_TRUE(world.converged());
}
