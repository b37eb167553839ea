#include "tern/limits.hpp"
#include "transport/connection/pace.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace tern;

TEST(Pace, StartsWithABurstOfATenthOfASecond)
{
    EXPECT_EQ(100'000u, pace::available_bytes(pace::make(1'000'000, 7), 7));
}

TEST(Pace, ASlowOneStillHoldsTwoDatagrams)
{
    const Pace slow = pace::make(100, 0);
    EXPECT_EQ(2 * datagram_bytes_max, pace::available_bytes(slow, 0));
}

TEST(Pace, FillsAtItsRateAndNoFurtherThanTheBurst)
{
    Pace p = pace::make(1'000'000, 0);
    pace::spend(p, 100'000, 0);
    EXPECT_EQ(0u, pace::available_bytes(p, 0));
    EXPECT_EQ(1u, pace::available_bytes(p, 1));
    EXPECT_EQ(50'000u, pace::available_bytes(p, 50'000));
    EXPECT_EQ(100'000u, pace::available_bytes(p, UINT64_MAX));
}

TEST(Pace, TheSlowestFillsToo)
{
    Pace p = pace::make(1, 0);
    pace::spend(p, 2 * datagram_bytes_max, 0);
    EXPECT_EQ(2 * datagram_bytes_max, pace::available_bytes(p, 2 * datagram_bytes_max * 1'000'000));
}

TEST(Pace, TheFastestDoesNotOverflow)
{
    Pace p = pace::make(UINT32_MAX, 0);
    pace::spend(p, UINT32_MAX, 0);
    EXPECT_EQ(UINT32_MAX / 10, pace::available_bytes(p, 1ull << 62));
}

RC_GTEST_PROP(Pace, NeverGivesMoreThanBurstAndRate, ())
{
    const uint32_t rate = *rc::gen::inRange<uint32_t>(1, 2'000'000);
    Pace p = pace::make(rate, 0);
    uint64_t now_us = 0, spent = 0;
    const uint64_t burst = pace::available_bytes(p, 0);
    for (int i = 0; i < 100; i += 1) {
        now_us += *rc::gen::inRange<uint64_t>(0, 30'000);
        const uint64_t bytes =
            std::min(pace::available_bytes(p, now_us), *rc::gen::inRange<uint64_t>(0, 5000));
        pace::spend(p, bytes, now_us);
        spent += bytes;
        RC_ASSERT(spent <= burst + now_us * rate / 1'000'000);
    }
}
