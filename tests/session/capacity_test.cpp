// create() succeeds only where every peer has room: whoever creates as much as possible at once,
// nobody ends, and no peer ever shows more than objects_max objects.
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

struct Rush {
    size_t peers;
    uint32_t each, objects_max;
};
constexpr Rush rushes[] = {{4, 12, 16}, {8, 100, 200}, {3, 16, 16}, {16, 7, 64}, {2, 5, 1}};

struct Crowd {
    SimWorld world;
    Type type;
    std::vector<uint32_t> created;
    uint64_t most = 0; // The most objects that any peer has shown.

    Crowd(uint64_t seed, Topology topology, const Rush &rush)
        : world(seed, {10, 30, 0, 0}), type{"thing", sizeof(Body), body_fields, rush.objects_max},
          created(rush.peers)
    {
        world.config.types = {&type, 1};
        world.config.topology = topology;
        world.config.peers_max = 32;
        world.tick_us = 16'667;
    }

    // One tick, in which each peer creates as many as it still wants and can.
    void step(uint32_t each)
    {
        world.pass_tick_time();
        for (size_t i = 0; i < world.nodes.size(); ++i) {
            Node &node = world.nodes[i];
            world.tick(node);
            most = std::max<uint64_t>(most, session_stats(node.session).objects);
            if (session_state(node.session) == State::open) create_some(i, each);
            node.socket->send(send(node.session, world.now_us));
        }
    }

    void create_some(size_t i, uint32_t each)
    {
        Session *session = world.nodes[i].session;
        const uint32_t left = creations_left(session, 0);
        uint32_t made = 0;
        while (created[i] < each && create(session, 0, Body{{1, 2, 3}, 50}) != ObjectId::none) {
            created[i] += 1;
            made += 1;
        }
        EXPECT_LE(made, left);
        EXPECT_TRUE(created[i] == each || made == left) << made << " of " << left;
        EXPECT_EQ(creations_left(session, 0), left - made);
    }

    void run(uint64_t duration_us, uint32_t each)
    {
        for (const uint64_t end_us = world.now_us + duration_us; world.now_us < end_us;)
            step(each);
    }

    void expect_agreement(size_t members, uint64_t objects)
    {
        const uint64_t digest = world_digest(world.nodes[0].session);
        for (const Node &node : world.nodes) {
            EXPECT_EQ(session_state(node.session), State::open) << state_text(node.session);
            EXPECT_EQ(other_peers(node.session).size() + 1, members);
            EXPECT_EQ(world_digest(node.session), digest);
            EXPECT_EQ(session_stats(node.session).objects, objects);
        }
    }
};

class Capacity : public testing::TestWithParam<Topology> {};

TEST_P(Capacity, CreationsOfAllAtOnceFillTheTypeAndNoMore)
{
    for (uint64_t seed = 1; seed <= 20; ++seed)
        for (const Rush &rush : rushes) {
            SCOPED_TRACE(std::to_string(rush.peers) + " x " + std::to_string(rush.each) + " of " +
                         std::to_string(rush.objects_max) + ", seed " + std::to_string(seed));
            Crowd crowd(seed, GetParam(), rush);
            ASSERT_TRUE(crowd.world.open(rush.peers));
            crowd.run(5 * second_us, rush.each);
            const auto wanted = static_cast<uint64_t>(rush.peers) * rush.each;
            crowd.expect_agreement(rush.peers, std::min<uint64_t>(wanted, rush.objects_max));
            EXPECT_LE(crowd.most, rush.objects_max);
            if (testing::Test::HasFailure()) return;
        }
}

TEST_P(Capacity, APeerAloneMayUseAll)
{
    Crowd crowd(1, GetParam(), {1, 200, 200});
    ASSERT_TRUE(crowd.world.open(1));
    EXPECT_EQ(creations_left(crowd.world.nodes[0].session, 0), 200u);
    crowd.step(200);
    EXPECT_EQ(crowd.created[0], 200u);
    EXPECT_EQ(creations_left(crowd.world.nodes[0].session, 0), 0u);
}

TEST_P(Capacity, TheLeaseOfADepartedMemberComesBack)
{
    Crowd crowd(1, GetParam(), {3, 0, 60});
    ASSERT_TRUE(crowd.world.open(3));
    crowd.run(second_us, 0);
    uint32_t all = 0;
    for (const Node &node : crowd.world.nodes) {
        EXPECT_GE(creations_left(node.session, 0), 10u); // Half of an equal share.
        all += creations_left(node.session, 0);
    }
    EXPECT_EQ(all, 60u);
    for (const size_t gone : {size_t{2}, size_t{0}}) { // The host at last.
        leave(crowd.world.nodes[gone].session);
        crowd.run(2 * second_us, 0);
    }
    EXPECT_EQ(creations_left(crowd.world.nodes[1].session, 0), 60u);
}

// The living objects of departed members use their places, also when the host has gone on alone
// since.
TEST(CapacityOfOne, AHostThatGoesOnAloneHasAllPlaces)
{
    Crowd crowd(1, Topology::mesh, {4, 0, 60});
    ASSERT_TRUE(crowd.world.open(4));
    crowd.run(second_us, 0);
    for (int i = 0; i < 5; ++i)
        ASSERT_NE(create(crowd.world.nodes[3].session, 0, Body{}), ObjectId::none);
    crowd.run(second_us, 0);
    leave(crowd.world.nodes[3].session);
    crowd.run(2 * second_us, 0);
    Session *host = crowd.world.nodes[0].session;
    ASSERT_EQ(session_stats(host).objects, 5u);
    for (const size_t other : {size_t{1}, size_t{2}})
        crowd.world.cut(0, other, true);
    for (int i = 0; i < 600 && session_state(host) == State::open; ++i)
        crowd.step(0);
    ASSERT_EQ(session_state(host), State::cut_off);
    go_on(host);
    crowd.run(2 * second_us, 0);
    ASSERT_EQ(session_state(host), State::open);
    EXPECT_EQ(session_stats(host).objects, 5u);
    EXPECT_EQ(creations_left(host, 0), 55u);
    for (const ObjectId object : object_ids(host, 0))
        destroy(host, object);
    crowd.run(second_us, 0);
    EXPECT_EQ(creations_left(host, 0), 60u);
}

INSTANTIATE_TEST_SUITE_P(Topologies, Capacity, testing::Values(Topology::mesh, Topology::star),
                         [](const auto &topology) {
                             return topology.param == Topology::star ? "star" : "mesh";
                         });

}
