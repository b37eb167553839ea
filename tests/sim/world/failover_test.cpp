// The cost of a host that dies or leaves, by seed. tern-sim failover prints the figures.
#include "sim/world/failover.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace tern;

namespace {

DeathTimes times_of(HostEnd end, uint64_t seed, bool idle = false)
{
    DeathOptions options;
    options.end = end;
    options.seed = seed;
    options.idle = idle;
    DeathTimes times = failover::run(options);
    EXPECT_EQ(times.wrong, "") << "seed " << seed;
    EXPECT_LE(times.asked_us, times.granted_us) << "seed " << seed;
    EXPECT_LE(times.granted_us, times.known_us) << "seed " << seed;
    return times;
}

constexpr uint64_t timeout_us = 2'000'000;

}

TEST(Failover, TheNextHostGrantsSoonAfterTheTimeout)
{
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        const DeathTimes times = times_of(HostEnd::crash, seed);
        EXPECT_GE(times.asked_us, timeout_us * 9 / 10) << "seed " << seed;
        EXPECT_LT(times.granted_us, timeout_us + 1'000'000) << "seed " << seed;
    }
}

TEST(Failover, AnIdleHostIsMissedNoLater)
{
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        const DeathTimes times = times_of(HostEnd::crash, seed, true);
        // The last packet of an idle host may be a quarter of the timeout old.
        EXPECT_GE(times.asked_us, timeout_us * 7 / 10) << "seed " << seed;
        EXPECT_LT(times.granted_us, timeout_us + 1'200'000) << "seed " << seed;
    }
}

TEST(Failover, TheSuccessorMayDieWithIt)
{
    for (uint64_t seed = 1; seed <= 20; ++seed)
        EXPECT_LT(times_of(HostEnd::two, seed).granted_us, timeout_us + 2'000'000)
            << "seed " << seed;
}

// The other objects continue without interruption, and the host's objects keep their last values.
TEST(Failover, AHostThatLeavesIsFollowedWithoutATickLost)
{
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        const DeathTimes times = times_of(HostEnd::leave, seed);
        EXPECT_EQ(times.inherited, 10u) << "seed " << seed;
        EXPECT_EQ(times.lost_ticks, 0u) << "seed " << seed;
        EXPECT_LE(times.age_us, std::max<uint64_t>(2 * times.age_before_us, 250'000))
            << "seed " << seed;
        EXPECT_LT(times.gap_us, 1'000'000u) << "seed " << seed;
    }
}
