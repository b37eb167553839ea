// Which states the explorer covers, and that all invariants hold in them. The numbers of states pin
// the rules: another number means that the behaviour has changed, which must be intended.
#include "sim/explorer/explorer.h"
#include <gtest/gtest.h>

using namespace tern;

namespace {

ExploreScope scope(uint16_t peers, uint16_t claims, uint16_t destroys, uint16_t crashes)
{
    ExploreScope scope;
    scope.peers = peers;
    scope.claims = claims;
    scope.destroys = destroys;
    scope.crashes = crashes;
    return scope;
}

ExploreResult all_of(const ExploreScope &scope)
{
    Explorer e = explorer::make(scope);
    while (explorer::advance(e, 10'000)) {
    }
    const ExploreResult result = explorer::result(e);
    EXPECT_TRUE(result.exhausted) << result.violation.invariant << " " << result.violation.text;
    EXPECT_TRUE(explorer::count_ways(e).known);
    return result;
}

}

TEST(Explorer, ThreePeersTwoClaimsADestroyAndACrash)
{
    const ExploreResult result = all_of(scope(3, 2, 1, 1));
    EXPECT_GT(result.states, 10'000u);
    EXPECT_GT(result.quiet, 100u);
}

TEST(Explorer, FourPeersAClaimADestroyAndACrash)
{
    EXPECT_GT(all_of(scope(4, 1, 1, 1)).states, 30'000u);
}

TEST(Explorer, ANewcomerWhileAnObjectMigratesAndDies)
{
    ExploreScope joined = scope(3, 1, 1, 0);
    joined.joins = 1;
    EXPECT_GT(all_of(joined).states, 30'000u);
}

TEST(Explorer, ANewcomerAndACrashOfAnybody)
{
    ExploreScope joined = scope(2, 1, 1, 1);
    joined.joins = 1;
    EXPECT_GT(all_of(joined).states, 1'000u);
}

TEST(Explorer, AnUpdateThatIsLostOrLate)
{
    ExploreScope updated = scope(3, 1, 1, 1);
    updated.updates = 1;
    updated.losses = 1;
    EXPECT_GT(all_of(updated).states, 100'000u);
}

TEST(Explorer, TwoObjects)
{
    ExploreScope two = scope(3, 1, 1, 0);
    two.creates = 2;
    EXPECT_GT(all_of(two).states, 10'000u);
}

TEST(Explorer, OrphansThatAreDestroyed)
{
    ExploreScope mortal = scope(3, 2, 1, 1);
    mortal.mortal = true;
    EXPECT_GT(all_of(mortal).states, 5'000u);
}

TEST(Explorer, WhatOneHasToSayWaits)
{
    ExploreScope held = scope(3, 2, 1, 0);
    held.holds = 1;
    EXPECT_GT(all_of(held).states, 30'000u);
    held = scope(3, 1, 1, 1);
    held.holds = 1;
    EXPECT_GT(all_of(held).states, 25'000u);
}

TEST(Explorer, WhatWaitsWhileValuesChange)
{
    ExploreScope held = scope(3, 2, 0, 0);
    held.holds = held.updates = 1;
    EXPECT_GT(all_of(held).states, 100'000u);
}

TEST(Explorer, WhatWaitsWhileOneJoins)
{
    ExploreScope held = scope(2, 1, 1, 0);
    held.holds = held.joins = 1;
    EXPECT_GT(all_of(held).states, 10'000u);
}

TEST(Explorer, ALivingPeerIsTakenForGone)
{
    ExploreScope suspected = scope(3, 2, 1, 1);
    suspected.suspicions = 1;
    EXPECT_GT(all_of(suspected).states, 50'000u);
    suspected = scope(3, 1, 1, 0);
    suspected.suspicions = suspected.updates = suspected.losses = 1;
    EXPECT_GT(all_of(suspected).states, 300'000u);
}

TEST(Explorer, AHostDiesWhileItCountsOutAnother)
{
    ExploreScope half = scope(4, 0, 0, 1);
    half.creates = 0;
    half.suspicions = 1;
    EXPECT_GT(all_of(half).states, 3'000u);
}

TEST(Explorer, ALivingPeerIsTakenForGoneWhileOneJoins)
{
    ExploreScope suspected = scope(3, 0, 1, 0);
    suspected.suspicions = suspected.joins = 1;
    EXPECT_GT(all_of(suspected).states, 50'000u);
}

TEST(Explorer, ForgedMessagesChangeNothing)
{
    ExploreScope forging = scope(3, 2, 1, 1);
    forging.forges = 1;
    EXPECT_GT(all_of(forging).states, 100'000u);
}

// Merging states that differ only in the names of peers hides no other state.
TEST(Explorer, SymmetryHidesNothing)
{
    ExploreScope whole = scope(3, 2, 1, 0);
    const ExploreResult folded = all_of(whole);
    whole.symmetry = false;
    const ExploreResult unfolded = all_of(whole);
    EXPECT_LT(folded.states, unfolded.states);
    EXPECT_LT(unfolded.states, 2 * folded.states);
    EXPECT_EQ(folded.depth, unfolded.depth);
}

TEST(Explorer, CanBeAskedInPieces)
{
    Explorer whole = explorer::make(scope(3, 1, 1, 1));
    while (explorer::advance(whole, 1'000'000)) {
    }
    Explorer pieces = explorer::make(scope(3, 1, 1, 1));
    while (explorer::advance(pieces, 7)) {
    }
    EXPECT_EQ(explorer::result(whole).states, explorer::result(pieces).states);
    EXPECT_EQ(explorer::result(whole).edges, explorer::result(pieces).edges);
    EXPECT_EQ(explorer::count_ways(whole).log10, explorer::count_ways(pieces).log10);
}
