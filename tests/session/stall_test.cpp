// A peer that stands still for less than timeout_ms, while the others create and destroy objects,
// costs nobody the session: what waits for it is bounded by the living objects.
#include "migration/replica.h"
#include "tern/diagnostics.hpp"
#include "tern/ownership.hpp"
#include "tern/untyped.hpp"
#include "tests/session/sim_world.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace tern;
using namespace tern::test;

namespace {

constexpr uint64_t second_us = 1'000'000;
constexpr uint64_t life_us = second_us * 3 / 10;
constexpr uint32_t bullets_max = 256;

const Type bullet_types[] = {{"bullet", sizeof(Body), body_fields, bullets_max},
                             {"hit", sizeof(Hit), hit_fields}};
enum : TypeId { BULLET, STRUCK };

struct Bullet {
    ObjectId id;
    uint64_t dies_us;
};

struct Case {
    Topology topology;
    size_t sleeper; // 0 is the host.
    uint64_t stall_us;
    uint32_t rate; // Creations of each peer in a second.
};

// A game of bullets. Each peer creates them at a rate, moves them, and destroys them after life_us.
struct Gallery {
    SimWorld world;
    std::vector<std::vector<Bullet>> bullets;
    std::vector<uint64_t> created;
    uint64_t began_us = 0;
    size_t sleeper = SIZE_MAX;
    bool fires = true;

    Gallery(uint64_t seed, Topology topology) : world(seed, {10, 30, 0, 0})
    {
        world.config.types = bullet_types;
        world.config.topology = topology;
        world.config.timeout_ms = 10'000;
        world.tick_us = 16'667;
    }

    void fire(size_t i, uint32_t rate)
    {
        Session *session = world.nodes[i].session;
        const uint64_t due = (world.now_us - began_us) * rate / second_us;
        for (; fires && created[i] < due; ++created[i]) {
            const ObjectId id = create(session, BULLET, Body{{1, 2, 3}, 50});
            if (id != ObjectId::none) bullets[i].push_back({id, world.now_us + life_us});
        }
        std::vector<Bullet> &own = bullets[i];
        for (const Bullet &bullet : own)
            if (bullet.dies_us <= world.now_us) destroy(session, bullet.id);
        std::erase_if(own, [&](const Bullet &bullet) { return bullet.dies_us <= world.now_us; });
        for (const Bullet &bullet : own)
            set(session, Object<Body>{bullet.id},
                Body{{static_cast<float>(created[i] % 100), 2, 3}, 50});
    }

    // One tick of all peers but the sleeper, whose datagrams wait in its socket.
    void step(uint32_t rate)
    {
        world.pass_tick_time();
        for (size_t i = 0; i < world.nodes.size(); ++i) {
            Node &node = world.nodes[i];
            if (i == sleeper) continue;
            world.tick(node);
            if (session_state(node.session) == State::open) fire(i, rate);
            node.socket->send(send(node.session, world.now_us));
        }
    }

    void run(uint64_t duration_us, uint32_t rate)
    {
        for (const uint64_t end_us = world.now_us + duration_us; world.now_us < end_us;)
            step(rate);
    }

    bool all_in() const
    {
        return std::all_of(world.nodes.begin(), world.nodes.end(), [&](const Node &node) {
            return session_state(node.session) == State::open &&
                   other_peers(node.session).size() + 1 == world.nodes.size();
        });
    }

    bool agree() const
    {
        const uint64_t digest = world_digest(world.nodes[0].session);
        return all_in() && std::all_of(world.nodes.begin(), world.nodes.end(), [&](const Node &n) {
                   return world_digest(n.session) == digest;
               });
    }
};

std::string text(const Case &c)
{
    char line[120];
    std::snprintf(line, sizeof line, "%s, %s stands still for %.1f s, %u creations/s",
                  c.topology == Topology::star ? "star" : "mesh",
                  c.sleeper == 0 ? "the host" : "a member", static_cast<double>(c.stall_us) / 1e6,
                  c.rate);
    return line;
}

void stand_still(uint64_t seed, const Case &c)
{
    SCOPED_TRACE(text(c) + ", seed " + std::to_string(seed));
    Gallery game(seed, c.topology);
    ASSERT_TRUE(game.world.open(4));
    game.began_us = game.world.now_us;
    game.bullets.resize(4);
    game.created.resize(4);
    game.run(second_us, c.rate);
    game.sleeper = c.sleeper;
    game.run(c.stall_us, c.rate);
    game.sleeper = SIZE_MAX;
    game.run(second_us / 2, c.rate);
    EXPECT_TRUE(game.all_in()) << game.world.describe();
    game.fires = false;
    game.run(second_us * 3 / 2, c.rate);
    EXPECT_TRUE(game.agree()) << game.world.describe();
}

class Stalls : public testing::TestWithParam<Topology> {};

TEST_P(Stalls, EverybodyStaysAndAgrees)
{
    const struct {
        uint64_t stall_us;
        uint32_t rate;
    } stalls[] = {{5'000'000, 200}, {9'000'000, 60}, {2'000'000, 200}, {9'500'000, 1000},
                  {9'000'000, 20},  {500'000, 1000}, {5'000'000, 60},  {7'000'000, 500}};
    for (uint64_t seed = 1; seed <= 20; ++seed)
        for (const size_t sleeper : {size_t{0}, size_t{1}}) {
            const auto &stall = stalls[(seed + sleeper * 3) % std::size(stalls)];
            stand_still(seed, {GetParam(), sleeper, stall.stall_us, stall.rate});
        }
}

INSTANTIATE_TEST_SUITE_P(Topologies, Stalls, testing::Values(Topology::mesh, Topology::star),
                         [](const auto &topology) {
                             return topology.param == Topology::star ? "star" : "mesh";
                         });

// While a member takes nothing, its queue holds each living object once, and one range of the dead.
TEST(StallQueue, HoldsTheLivingObjectsAndOneRangeOfTheDead)
{
    Gallery game(1, Topology::mesh);
    ASSERT_TRUE(game.world.open(3));
    game.began_us = game.world.now_us;
    game.bullets.resize(3);
    game.created.resize(3);
    game.sleeper = 2;
    game.run(8 * second_us, 200);
    const Replica &r = inspect::replica(game.world.nodes[1].session);
    const MemberSlot slot = replica::find_member(r, local_peer(game.world.nodes[2].session));
    EXPECT_GT(game.created[1], 1500u);
    EXPECT_LE(r.outbox.queues[slot].owed_count, 2u);
    EXPECT_LE(replica::queued_count(r, r.members[slot].id) - r.outbox.queues[slot].unacked_count,
              game.bullets[1].size() + 1);
}

// A member that takes nothing is owed more ranges of destroyed ids than wait for it, by a member
// that is not the host and knows deaths of others, too. It gets all of that member's own ones anew.
TEST(StallQueue, MoreRangesOfTheDeadThanWaitAreSentAnew)
{
    constexpr uint32_t count = 2 * owed_max + 2000;
    const Type cube = {"cube", sizeof(Body), body_fields, 2 * count};
    SimWorld world(1);
    world.config.types = {&cube, 1};
    world.config.timeout_ms = 30'000;
    ASSERT_TRUE(world.open(3));
    std::vector<ObjectId> cubes[2];
    const auto create_some = [&](size_t i, const std::vector<Event> &) {
        Session *session = world.nodes[i].session;
        while (i < 2 && cubes[i].size() < (i == 1 ? count : 10) && creations_left(session, 0) > 0)
            cubes[i].push_back(create(session, 0, Body{}));
    };
    for (int i = 0; i < 300; ++i)
        world.step(create_some);
    ASSERT_EQ(cubes[1].size(), count);
    for (size_t k = 0; k < cubes[0].size(); k += 2)
        destroy(world.nodes[0].session, cubes[0][k]);
    ASSERT_TRUE(world.step_until_converged());
    world.nodes[2].crashed = true; // It stands still.
    for (size_t k = 0; k < cubes[1].size(); k += 2)
        destroy(world.nodes[1].session, cubes[1][k]);
    world.steps(60);
    const Replica &r = inspect::replica(world.nodes[1].session);
    const MemberSlot slot = replica::find_member(r, local_peer(world.nodes[2].session));
    EXPECT_LE(r.outbox.queues[slot].owed_count, owed_max);
    EXPECT_GT(r.world.dead.count, owed_max);
    world.nodes[2].crashed = false;
    EXPECT_TRUE(world.step_until_converged());
    EXPECT_EQ(session_stats(world.nodes[2].session).objects, count / 2 + 5);
}

// Calls to a member that takes none wait in the queue of their connection. When it is full, call()
// returns false, and nobody loses a call that call() has accepted.
TEST_P(Stalls, CallsWaitAndAreRefusedWhenTheQueueIsFull)
{
    Gallery game(3, GetParam());
    ASSERT_TRUE(game.world.open(4));
    game.bullets.resize(4);
    game.created.resize(4);
    game.sleeper = 3;
    int32_t accepted = 0, refused = 0;
    for (int i = 0; i < 400; ++i) {
        game.step(0);
        Session *caller = game.world.nodes[1].session;
        for (int k = 0; k < 100; ++k) {
            const bool ok = call(caller, PeerId::everyone, STRUCK, Hit{ObjectId::none, accepted});
            (ok ? accepted : refused) += 1;
        }
    }
    EXPECT_GT(refused, 0);
    game.sleeper = SIZE_MAX;
    std::vector<int32_t> order;
    for (int i = 0; i < 600; ++i) {
        game.step(0);
        for (const Event &event : session_events(game.world.nodes[3].session))
            if (event.kind == EventKind::call) order.push_back(call_arguments<Hit>(event).damage);
    }
    EXPECT_TRUE(game.all_in()) << game.world.describe();
    ASSERT_EQ(order.size(), static_cast<size_t>(accepted));
    for (int32_t i = 0; i < accepted; ++i)
        ASSERT_EQ(order[static_cast<size_t>(i)], i);
}

}
