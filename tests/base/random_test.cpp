#include "base/random.h"
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <rapidcheck.h>

using namespace tern;

TEST(Random, GeneratorIsXoshiro)
{
    Random random = {{1, 2, 3, 4}}; // The published example of xoshiro256**
    EXPECT_EQ(random::next(random), 11'520u);
    EXPECT_EQ(random::next(random), 0u);
    EXPECT_EQ(random::next(random), 1'509'978'240u);
    EXPECT_EQ(random::next(random), 1'215'971'899'390'074'240u);
}

TEST(Random, SeedsAreSpreadBySplitmix)
{
    // An independent calculation of both algorithms in unbounded integers gave these values.
    Random zero = random::from_seed(0);
    EXPECT_EQ(random::next(zero), 0x99ec5f36cb75f2b4u);
    EXPECT_EQ(random::next(zero), 0xbf6e1f784956452au);
    EXPECT_EQ(random::next(zero), 0x1a5f849d4933e6e0u);
    Random other = random::from_seed(42);
    EXPECT_EQ(random::next(other), 0x15780b2e0c2ec716u);
}

TEST(Random, SameSeedGivesTheSameNumbersAndAnotherSeedOthers)
{
    Random a = random::from_seed(7), b = random::from_seed(7), c = random::from_seed(8);
    int equal = 0;
    for (int i = 0; i < 1000; ++i) {
        const uint64_t drawn = random::next(a);
        EXPECT_EQ(drawn, random::next(b));
        equal += drawn == random::next(c);
    }
    EXPECT_EQ(equal, 0);
}

TEST(Random, BelowStaysBelowAnyBound)
{
    const bool holds = rc::check("below(bound) < bound", [](uint64_t seed) {
        const uint64_t bound = *rc::gen::suchThat<uint64_t>([](uint64_t b) { return b > 0; });
        Random random = random::from_seed(seed);
        for (int i = 0; i < 20; ++i)
            RC_ASSERT(random::below(random, bound) < bound);
    });
    EXPECT_TRUE(holds);
}

TEST(Random, BelowIsEvenEvenForABoundNearTheTopOfTheRange)
{
    // The bound is three quarters of the range: a plain modulo would return numbers of the lower
    // third twice as often.
    const uint64_t bound = 3ull << 62;
    Random random = random::from_seed(1);
    std::array<int, 3> counts = {};
    for (int i = 0; i < 30'000; ++i)
        counts[random::below(random, bound) / (1ull << 62)] += 1;
    for (int count : counts)
        EXPECT_NEAR(count, 10'000, 400); // Five standard deviations
}

TEST(Random, BelowOneIsZeroAndSmallBoundsReachEveryValue)
{
    Random random = random::from_seed(2);
    std::array<int, 6> counts = {};
    for (int i = 0; i < 6'000; ++i) {
        EXPECT_EQ(random::below(random, 1), 0u);
        counts[random::below(random, 6)] += 1;
    }
    for (int count : counts)
        EXPECT_NEAR(count, 1'000, 150);
}

TEST(Random, UnitIsWithinZeroAndOneAndEvenlySpread)
{
    Random random = random::from_seed(3);
    double sum = 0, squares = 0;
    for (int i = 0; i < 100'000; ++i) {
        const double drawn = random::unit(random);
        ASSERT_GE(drawn, 0);
        ASSERT_LT(drawn, 1);
        sum += drawn;
        squares += drawn * drawn;
    }
    EXPECT_NEAR(sum / 100'000, 0.5, 0.005);
    EXPECT_NEAR(squares / 100'000, 1.0 / 3, 0.005);
}

TEST(Random, ChanceOfZeroNeverAndOfOneAlways)
{
    Random random = random::from_seed(4);
    int hits = 0;
    for (int i = 0; i < 10'000; ++i) {
        EXPECT_FALSE(random::chance(random, 0));
        EXPECT_TRUE(random::chance(random, 1));
        hits += random::chance(random, 0.05);
    }
    EXPECT_NEAR(hits, 500, 110); // Five standard deviations
}
