// The cluster that the explorer searches: its possible moves, and which of its states are equal.
#include "sim/explorer/cluster.h"
#include "sim/explorer/cluster_oracles.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace tern;

namespace {

struct ClusterTest : ::testing::Test {
    ExploreScope scope = {};
    static constexpr uint16_t object_2_1 = 2 << 8 | 1;
    Cluster c;
    ClusterState s;

    void SetUp() override
    {
        scope.claims = scope.destroys = scope.crashes = scope.joins = 1;
        scope.holds = scope.suspicions = scope.forges = 1;
        scope.symmetry = false;
        c = cluster::make(scope);
        s = cluster::first_state(c);
    }
    void make(ClusterState &state, const Move &move)
    {
        ASSERT_TRUE(cluster::can(c, state, move));
        ASSERT_EQ(cluster::make_move(c, state, move), 0u);
    }
    static Move deliver(PeerPlace from, PeerPlace to) { return {MoveKind::deliver, from, to, 0}; }
};

}

TEST_F(ClusterTest, BeginsQuietWithAllIn)
{
    EXPECT_TRUE(cluster::quiet(c, s));
    EXPECT_FALSE(cluster_oracles::first_violation(c, s));
    for (PeerPlace place = 0; place < 3; ++place)
        EXPECT_TRUE(cluster::is_there(c, s, place));
    EXPECT_FALSE(cluster::is_there(c, s, 3)); // The newcomer, which has not joined.
}

TEST_F(ClusterTest, OrdersThatDoNotMatterLeadToOneState)
{
    make(s, {MoveKind::create, 1, 0, 0});
    ClusterState other = s;
    make(s, deliver(1, 0));
    make(s, deliver(1, 2));
    make(other, deliver(1, 2));
    make(other, deliver(1, 0));
    EXPECT_EQ(s.key, other.key);
    EXPECT_EQ(cluster::digest(c, s), cluster::digest(c, other));
}

TEST_F(ClusterTest, AStepIsDoneOnce)
{
    ClusterState again = s;
    make(s, {MoveKind::create, 1, 0, 0});
    make(s, deliver(1, 0));
    const size_t steps = peer_steps::step_count(cluster::steps(c));
    make(again, {MoveKind::create, 1, 0, 0});
    make(again, deliver(1, 0));
    EXPECT_EQ(peer_steps::step_count(cluster::steps(c)), steps);
    EXPECT_EQ(again.key, s.key);
}

TEST_F(ClusterTest, ACrashTakesWhatIsOnItsWayThere)
{
    make(s, {MoveKind::create, 1, 0, 0});
    make(s, {MoveKind::crash, 2, 0, 0});
    EXPECT_FALSE(cluster::can(c, s, deliver(1, 2)));
    EXPECT_TRUE(cluster::can(c, s, deliver(1, 0)));
    EXPECT_TRUE(cluster::can(c, s, {MoveKind::notice, 2, 0, 0}));
    // The only crash that the scope allows has been used.
    EXPECT_FALSE(cluster::can(c, s, {MoveKind::crash, 1, 0, 0}));
}

TEST_F(ClusterTest, WhatACrashedPeerSaidMayStillArrive)
{
    make(s, {MoveKind::create, 1, 0, 0});
    make(s, {MoveKind::crash, 1, 0, 0});
    EXPECT_TRUE(cluster::can(c, s, deliver(1, 2)));
    make(s, deliver(1, 2));
    const ObjectId object = object_id::make(static_cast<PeerId>(2), 1);
    const Believed *known = peer_steps::belief(cluster::steps(c), cluster::block(s, 2), object);
    ASSERT_NE(known, nullptr);
    EXPECT_TRUE(known->alive);
}

TEST_F(ClusterTest, ANewcomerHearsItsWelcomeFirst)
{
    make(s, {MoveKind::create, 1, 0, 0});
    make(s, {MoveKind::join, 3, 0, 0});
    make(s, deliver(0, 1)); // After this VIEW, peer 2 sends its world sync to the newcomer.
    EXPECT_NE(cluster::stream(c, s, 1, 3), 0u);
    EXPECT_FALSE(cluster::can(c, s, deliver(1, 3)));
    make(s, deliver(0, 3));
    EXPECT_TRUE(cluster::can(c, s, deliver(1, 3)));
}

TEST_F(ClusterTest, WhatIsHeldIsWrittenWhenItIsPulled)
{
    make(s, {MoveKind::hold, 1, 2, 0});
    make(s, {MoveKind::create, 1, 0, 0});
    EXPECT_NE(cluster::stream(c, s, 1, 0), 0u);
    EXPECT_EQ(cluster::stream(c, s, 1, 2), 0u);
    ClusterState dead = s;
    make(dead, {MoveKind::destroy, 1, 0, object_2_1});
    make(dead, {MoveKind::pull, 1, 2, 0});
    make(s, {MoveKind::pull, 1, 2, 0});
    EXPECT_NE(cluster::stream(c, s, 1, 2), 0u);
    // The CREATE is dropped as pointless; only the DESTROY is sent.
    EXPECT_EQ(cluster::list(c, cluster::stream(c, dead, 1, 2)).rest, 0u);
    // The only hold that the scope allows has been used.
    EXPECT_FALSE(cluster::can(c, s, {MoveKind::hold, 0, 2, 0}));
}

TEST_F(ClusterTest, AcksWaitTogetherWithWhatIsHeld)
{
    make(s, {MoveKind::create, 1, 0, 0});
    make(s, {MoveKind::hold, 1, 2, 0});
    const uint32_t sayer = cluster::block(s, 1);
    make(s, deliver(1, 2));
    EXPECT_EQ(cluster::block(s, 1), sayer);
    make(s, deliver(1, 0));
    EXPECT_FALSE(cluster::quiet(c, s));
    make(s, {MoveKind::pull, 1, 2, 0});
    EXPECT_NE(cluster::block(s, 1), sayer);
    EXPECT_TRUE(cluster::quiet(c, s));
    EXPECT_FALSE(cluster_oracles::first_violation(c, s));
}

TEST_F(ClusterTest, WhoIsTakenForGoneGoesOnAndIsNoMember)
{
    make(s, {MoveKind::suspect, 2, 0, 0});
    EXPECT_TRUE(cluster::is_there(c, s, 2));
    EXPECT_FALSE(cluster::is_member(c, s, 2));
    make(s, {MoveKind::create, 2, 0, 0});
    make(s, deliver(2, 1)); // Peer 2 does not know about the removal yet.
    while (cluster::can(c, s, deliver(0, 1)) || cluster::can(c, s, deliver(1, 0)))
        make(s, cluster::can(c, s, deliver(0, 1)) ? deliver(0, 1) : deliver(1, 0));
    // Neither member accepts messages of the removed peer any more, and the host owns the object.
    EXPECT_FALSE(cluster::can(c, s, deliver(2, 0)));
    const ObjectId object = object_id::make(static_cast<PeerId>(3), 1);
    const Believed *known = peer_steps::belief(cluster::steps(c), cluster::block(s, 1), object);
    ASSERT_NE(known, nullptr);
    EXPECT_EQ(known->owner, static_cast<PeerId>(1));
    // The removed peer detects that both others are gone, queries no one, and is a minority.
    while (cluster::can(c, s, deliver(1, 2)))
        make(s, deliver(1, 2));
    EXPECT_FALSE(cluster::quiet(c, s));
    make(s, {MoveKind::notice, 0, 2, 0});
    EXPECT_TRUE(cluster::can(c, s, {MoveKind::notice, 1, 2, 0}));
    make(s, {MoveKind::notice, 1, 2, 0});
    EXPECT_TRUE(cluster::quiet(c, s));
    EXPECT_FALSE(cluster::is_there(c, s, 2));
    EXPECT_FALSE(cluster_oracles::first_violation(c, s));
}

TEST_F(ClusterTest, WhatIsForgedArrivesAndChangesNothing)
{
    make(s, {MoveKind::create, 1, 0, 0});
    make(s, deliver(1, 0));
    make(s, deliver(1, 2));
    for (const MoveKind kind : {MoveKind::forge_migrate, MoveKind::forge_destroy}) {
        ClusterState forged = s;
        make(forged, {kind, 2, 0, object_2_1});
        EXPECT_EQ(cluster::block(forged, 2), cluster::block(s, 2));
        make(forged, deliver(2, 0));
        EXPECT_EQ(cluster::block(forged, 0), cluster::block(s, 0));
    }
    // A peer cannot forge a message about its own object.
    EXPECT_FALSE(cluster::can(c, s, {MoveKind::forge_destroy, 1, 0, object_2_1}));
    // No message is on its way to peer 3.
    EXPECT_FALSE(cluster::can(c, s, {MoveKind::replay, 2, 0, 1}));
}

struct LiarTest : ClusterTest {
    void SetUp() override
    {
        scope.claims = scope.crashes = 1;
        scope.lies = 4;
        scope.symmetry = false;
        c = cluster::make(scope);
        s = cluster::first_state(c);
    }
    Move lie(LieKind kind, PeerPlace to, uint16_t number = 0) const
    {
        return {MoveKind::lie, cluster::liar(c), to, number, kind};
    }
    bool knows(PeerPlace place, ObjectId object) const
    {
        return peer_steps::belief(cluster::steps(c), cluster::block(s, place), object) != nullptr;
    }
    unsigned roster(PeerPlace place) const
    {
        return peer_steps::glance(cluster::steps(c), cluster::block(s, place)).roster;
    }
};

TEST_F(LiarTest, TheLastMemberLiesAndNobodyElse)
{
    EXPECT_EQ(cluster::liar(c), 2);
    std::vector<Move> all;
    cluster::moves(c, s, all);
    uint32_t lies = 0;
    for (const Move &move : all) {
        lies += move.kind == MoveKind::lie;
        EXPECT_TRUE(move.kind != MoveKind::lie || move.a == 2);
    }
    EXPECT_GT(lies, 4u);
    scope.liar = 2;
    EXPECT_EQ(cluster::liar(cluster::make(scope)), 1);
}

TEST_F(LiarTest, ALieIsForOneReceiver)
{
    make(s, lie(LieKind::creates, 1, 0));
    make(s, deliver(2, 1));
    EXPECT_TRUE(knows(1, object_id::make(static_cast<PeerId>(3), 1)));
    EXPECT_FALSE(knows(0, object_id::make(static_cast<PeerId>(3), 1)));
    EXPECT_TRUE(cluster::quiet(c, s)); // Nothing is acked that the liar's session has not sent.
    EXPECT_EQ(cluster_oracles::first_violation(c, s).text, "");
}

TEST_F(LiarTest, WhoForgesIsRemovedByTheHostAndReportedByOthers)
{
    ClusterState other = s;
    make(s, lie(LieKind::queries, 0, 1));
    make(s, deliver(2, 0));
    EXPECT_EQ(roster(0), 0b011u);
    make(other, lie(LieKind::queries, 1, 0));
    make(other, deliver(2, 1));
    EXPECT_NE(cluster::stream(c, other, 1, 0), 0u); // ACCUSE
}

TEST_F(LiarTest, AnAccusationByTheLiarRemovesNobody)
{
    make(s, lie(LieKind::accuses, 0, 1));
    make(s, deliver(2, 0));
    EXPECT_EQ(roster(0), 0b111u);
}

TEST_F(LiarTest, WhatIsWithheldNeverArrives)
{
    make(s, {MoveKind::create, 2, 0, 0});
    make(s, {MoveKind::withhold, 2, 1, 0});
    make(s, deliver(2, 0));
    EXPECT_TRUE(cluster::quiet(c, s));
    EXPECT_FALSE(knows(1, object_id::make(static_cast<PeerId>(3), 1)));
    // Once the liar has gone, all agree.
    make(s, {MoveKind::oust, 2, 0, 0});
    while (!cluster::quiet(c, s)) {
        std::vector<Move> all;
        cluster::moves(c, s, all);
        const auto arrives = std::find_if(all.begin(), all.end(), [](const Move &move) {
            return move.kind == MoveKind::deliver;
        });
        ASSERT_NE(arrives, all.end());
        make(s, *arrives);
    }
    EXPECT_EQ(cluster_oracles::first_violation(c, s).text, "");
    EXPECT_TRUE(knows(1, object_id::make(static_cast<PeerId>(3), 1)));
    EXPECT_EQ(roster(1), 0b011u);
}

TEST_F(LiarTest, WhatAMuteOneReceivesIsNeverAcked)
{
    make(s, {MoveKind::create, 0, 0, 0});
    make(s, {MoveKind::mute, 2, 0, 0});
    EXPECT_TRUE(knows(2, object_id::make(static_cast<PeerId>(1), 1)));
    const Glance &host = peer_steps::glance(cluster::steps(c), cluster::block(s, 0));
    EXPECT_EQ(host.unsettled & 0b100u, 0b100u);
}

TEST_F(ClusterTest, WhatAnotherSaysIsForgedUnderOnesOwnName)
{
    make(s, {MoveKind::create, 1, 0, 0});
    make(s, deliver(1, 0));
    make(s, deliver(1, 2));
    make(s, {MoveKind::claim, 2, 0, object_2_1});
    make(s, deliver(2, 0));
    make(s, deliver(0, 2)); // The GRANT. Now 2 announces its tenure with MIGRATE.
    make(s, {MoveKind::replay, 1, 0, 2});
    const uint32_t host = cluster::block(s, 0);
    make(s, deliver(1, 0));
    EXPECT_EQ(cluster::block(s, 0), host);
}
