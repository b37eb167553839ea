// Which states the explorer covers, and that all invariants hold in them. The numbers of states pin
// the rules: another number means that the behaviour has changed, which must be intended.
#include "sim/explorer/explorer.h"
#include <gtest/gtest.h>

using namespace tern;

namespace {

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
    const ExploreResult result = all_of({.peers = 3, .claims = 2, .destroys = 1, .crashes = 1});
    EXPECT_GT(result.states, 10'000u);
    EXPECT_GT(result.quiet, 100u);
}

TEST(Explorer, FourPeersAClaimADestroyAndACrash)
{
    EXPECT_GT(all_of({.peers = 4, .claims = 1, .destroys = 1, .crashes = 1}).states, 30'000u);
}

TEST(Explorer, ANewcomerWhileAnObjectMigratesAndDies)
{
    EXPECT_GT(all_of({.peers = 3, .claims = 1, .destroys = 1, .joins = 1}).states, 30'000u);
}

TEST(Explorer, ANewcomerAndACrashOfAnybody)
{
    EXPECT_GT(all_of({.peers = 2, .claims = 1, .destroys = 1, .crashes = 1, .joins = 1}).states,
              1'000u);
}

TEST(Explorer, AnUpdateThatIsLostOrLate)
{
    EXPECT_GT(
        all_of({.peers = 3, .claims = 1, .destroys = 1, .crashes = 1, .updates = 1, .losses = 1})
            .states,
        100'000u);
}

TEST(Explorer, TwoObjects)
{
    EXPECT_GT(all_of({.peers = 3, .creates = 2, .claims = 1, .destroys = 1}).states, 10'000u);
}

TEST(Explorer, OrphansThatAreDestroyed)
{
    EXPECT_GT(all_of({.peers = 3, .claims = 2, .destroys = 1, .crashes = 1, .mortal = true}).states,
              5'000u);
}

TEST(Explorer, WhatOneHasToSayWaits)
{
    EXPECT_GT(all_of({.peers = 3, .claims = 2, .destroys = 1, .holds = 1}).states, 30'000u);
    EXPECT_GT(all_of({.peers = 3, .claims = 1, .destroys = 1, .crashes = 1, .holds = 1}).states,
              25'000u);
}

TEST(Explorer, WhatWaitsWhileValuesChange)
{
    EXPECT_GT(all_of({.peers = 3, .claims = 2, .updates = 1, .holds = 1}).states, 100'000u);
}

TEST(Explorer, WhatWaitsWhileOneJoins)
{
    EXPECT_GT(all_of({.peers = 2, .claims = 1, .destroys = 1, .joins = 1, .holds = 1}).states,
              10'000u);
}

TEST(Explorer, ALivingPeerIsTakenForGone)
{
    EXPECT_GT(
        all_of({.peers = 3, .claims = 2, .destroys = 1, .crashes = 1, .suspicions = 1}).states,
        50'000u);
    EXPECT_GT(
        all_of({.peers = 3, .claims = 1, .destroys = 1, .updates = 1, .losses = 1, .suspicions = 1})
            .states,
        300'000u);
}

TEST(Explorer, AHostDiesWhileItCountsOutAnother)
{
    EXPECT_GT(all_of({.peers = 4, .creates = 0, .crashes = 1, .suspicions = 1}).states, 3'000u);
}

TEST(Explorer, ALivingPeerIsTakenForGoneWhileOneJoins)
{
    EXPECT_GT(all_of({.peers = 3, .destroys = 1, .joins = 1, .suspicions = 1}).states, 50'000u);
}

TEST(Explorer, ForgedMessagesChangeNothing)
{
    EXPECT_GT(all_of({.peers = 3, .claims = 2, .destroys = 1, .crashes = 1, .forges = 1}).states,
              100'000u);
}

// A liar among three: nobody honest is charged or removed, and the others agree when it has gone.
TEST(Explorer, ALiarHarmsNobodyHonest)
{
    EXPECT_GT(all_of({.peers = 3, .claims = 1, .destroys = 1, .lies = 1}).states, 80'000u);
    EXPECT_GT(all_of({.peers = 3, .claims = 1, .crashes = 1, .lies = 1}).states, 80'000u);
    EXPECT_GT(all_of({.peers = 3, .claims = 1, .crashes = 1, .lies = 1, .star = true}).states,
              70'000u);
}

TEST(Explorer, ALiarMayBeNextInLine)
{
    EXPECT_GT(all_of({.peers = 4, .crashes = 1, .lies = 1, .liar = 2}).states, 300'000u);
}

TEST(Explorer, TwoLiesOneAfterTheOther)
{
    EXPECT_GT(all_of({.peers = 3, .claims = 1, .lies = 2}).states, 100'000u);
}

TEST(Explorer, ALiarAmongFiveWhileAnyoneDies)
{
    EXPECT_GT(all_of({.peers = 5, .creates = 0, .crashes = 1, .lies = 1}).states, 400'000u);
    EXPECT_GT(all_of({.peers = 5, .creates = 0, .crashes = 1, .lies = 1, .star = true}).states,
              400'000u);
}

// Merging states that differ only in the names of peers hides no other state.
TEST(Explorer, SymmetryHidesNothing)
{
    ExploreScope whole = {.peers = 3, .claims = 2, .destroys = 1};
    const ExploreResult folded = all_of(whole);
    whole.symmetry = false;
    const ExploreResult unfolded = all_of(whole);
    EXPECT_LT(folded.states, unfolded.states);
    EXPECT_LT(unfolded.states, 2 * folded.states);
    EXPECT_EQ(folded.depth, unfolded.depth);
}

TEST(Explorer, CanBeAskedInPieces)
{
    Explorer whole = explorer::make({.peers = 3, .claims = 1, .destroys = 1, .crashes = 1});
    while (explorer::advance(whole, 1'000'000)) {
    }
    Explorer pieces = explorer::make({.peers = 3, .claims = 1, .destroys = 1, .crashes = 1});
    while (explorer::advance(pieces, 7)) {
    }
    EXPECT_EQ(explorer::result(whole).states, explorer::result(pieces).states);
    EXPECT_EQ(explorer::result(whole).edges, explorer::result(pieces).edges);
    EXPECT_EQ(explorer::count_ways(whole).log10, explorer::count_ways(pieces).log10);
}
