// The limits on the number of peers, and a star of many peers that opens, converges and survives
// its host.
#include "tern/diagnostics.hpp"
#include "tern/limits.hpp"
#include "tern/untyped.hpp"
#include "tests/session/sim_world.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace tern;
using namespace tern::test;

namespace {

Config of(Topology topology, uint16_t peers_max)
{
    Config config = {};
    config.types = world_types;
    config.topology = topology;
    config.peers_max = peers_max;
    return config;
}

void expect_opens(Topology topology, uint16_t peers_max)
{
    Session *session = make_session(of(topology, peers_max));
    start(session);
    EXPECT_EQ(session_state(session), State::open);
    destroy_session(session);
}

size_t voters(const Session *session)
{
    size_t count = 0;
    for (const Member &member : inspect::replica(session).members.all())
        count += member.votes && !member.vote_is_new;
    return count;
}

}

TEST(PeersMax, IsBoundedByTheTopology)
{
    expect_opens(Topology::star, star_peers_max);
    expect_opens(Topology::mesh, mesh_peers_max);
    EXPECT_DEATH((void)make_session(of(Topology::star, star_peers_max + 1)), "513, at most 512");
    EXPECT_DEATH((void)make_session(of(Topology::mesh, mesh_peers_max + 1)), "65, at most 64");
    EXPECT_DEATH((void)make_session(of(Topology::star, 1)), "peers_max 1");
}

// All join at once. With a VIEW for each newcomer there would be thousands, and granting the votes
// one at a time would take a minute.
TEST(Many, JoinAStarAtOnceAndVoteSoon)
{
    constexpr size_t clients = 60;
    SimWorld world(1, {20, 60, 0.01f, 0});
    world.config = of(Topology::star, clients + 1);
    for (size_t i = 0; i <= clients; ++i)
        world.add();
    ASSERT_TRUE(world.step_until_open(30 * 5)) << world.describe(); // 5 s
    for (size_t i = 1; i <= 10; ++i)
        create(world.nodes[i].session, BODY, Body{{0, 0, 0}, static_cast<int32_t>(i)});
    ASSERT_TRUE(world.step_until_converged(200));
    for (const Node &node : world.nodes) {
        EXPECT_EQ(voters(node.session), clients + 1);
        EXPECT_EQ(session_stats(node.session).objects, 10u);
    }
    // Every member knows the addresses and keys of the others, so any of them can become the host.
    world.nodes[0].crashed = true;
    ASSERT_TRUE(world.step_until_converged(600)) << world.describe();
    PeerId lowest = PeerId::everyone;
    for (size_t i = 1; i <= clients; ++i)
        lowest = std::min(lowest, local_peer(world.nodes[i].session));
    EXPECT_EQ(host_peer(world.nodes[clients].session), lowest);
    EXPECT_EQ(session_stats(world.nodes[clients].session).objects, 10u);
}
