// Short soak tests; ./dev nightly runs a long one.
#include "sim/world/soak.h"
#include <gtest/gtest.h>

using namespace tern;

namespace {

// Begins the soak and runs it for so many rounds.
void run(Soak &soak, const SoakOptions &options, int rounds)
{
    soak::make(soak, options);
    for (int round = 0; round <= rounds; ++round)
        ASSERT_TRUE(soak::go_on(soak, round == 0 ? 0 : 2000)) << soak.wrong;
}

}

TEST(Soak, WhatIsKeptOfTheDeadIsBoundedByTheLiving)
{
    SoakOptions options;
    options.alive = 300;
    Soak soak;
    ASSERT_NO_FATAL_FAILURE(run(soak, options, 12));
    EXPECT_GT(soak.deaths, 20'000u);
    EXPECT_EQ(soak.peers_ever, 16u);
    EXPECT_GT(soak.migrations, 100u);
    // The living objects are scattered between the destroyed ones.
    EXPECT_GT(soak.ranges_max, 100u);
    EXPECT_LE(soak.ranges_max, soak.alive_max + soak.peers_ever);
}

TEST(Soak, LossMakesNoDifference)
{
    SoakOptions options;
    options.seed = 2;
    options.peers = 3;
    options.alive = 100;
    options.loss = 0.15f;
    Soak soak;
    ASSERT_NO_FATAL_FAILURE(run(soak, options, 4));
    EXPECT_GT(soak.deaths, 7'000u);
}
