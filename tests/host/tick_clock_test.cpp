#include "host/tick_clock.h"
#include <gtest/gtest.h>
#include <numeric>
#include <vector>

using namespace dedicated;

namespace {

constexpr uint32_t hz = 50; // The period is 20,000 us, which is also a bound of the histogram.
constexpr uint64_t period_us = 20'000;

struct TickClockTest : testing::Test {
    TickClock clock = {};
    uint64_t now_us = 7'000;

    TickClockTest() { tick_clock::set_rate(clock, hz, now_us); }

    // A whole tick. Returns what begin() does.
    uint64_t tick(uint64_t took_us)
    {
        const uint64_t stalled_us = tick_clock::begin(clock, now_us);
        now_us += took_us;
        tick_clock::end(clock, now_us);
        return stalled_us;
    }
    void sleep() { now_us += tick_clock::pause_us(clock, now_us); }
};

}

TEST_F(TickClockTest, TicksThatTakeTooLongAreCountedAsOverruns)
{
    for (const uint64_t took_us :
         {uint64_t{0}, period_us - 1, period_us, period_us + 1, 3 * period_us}) {
        tick(took_us);
        sleep();
    }
    EXPECT_EQ(clock.ticks.count, 5u);
    EXPECT_EQ(clock.ticks.overruns, 2u);
}

TEST_F(TickClockTest, EachTickIsInOneBucketAndInTheSum)
{
    const std::vector<uint64_t> took_us = {0, 500, 501, 2'000, 49'999, 250'000, 250'001, 400'000};
    for (const uint64_t each_us : took_us)
        tick(each_us);
    const std::array<uint64_t, tick_bounds_us.size() + 1> expected = {2, 1, 1, 0, 0, 0, 1, 0, 1, 2};
    EXPECT_EQ(clock.ticks.histogram, expected);
    EXPECT_EQ(clock.ticks.count, took_us.size());
    EXPECT_EQ(clock.ticks.sum_us, std::accumulate(took_us.begin(), took_us.end(), uint64_t{0}));
}

TEST_F(TickClockTest, AStallBetweenTicksIsReturnedAndCounted)
{
    EXPECT_EQ(tick(1'000), 0u); // Nothing was before the first.
    now_us += tick_clock::stall_us + period_us - 1'000;
    EXPECT_EQ(tick(1'000), 0u);
    EXPECT_EQ(clock.ticks.overruns, 0u);
    now_us += tick_clock::stall_us + period_us;
    EXPECT_EQ(tick(1'000), tick_clock::stall_us + period_us + 1'000);
    EXPECT_EQ(clock.ticks.overruns, 1u);
    sleep();
    EXPECT_EQ(tick(1'000), 0u);
    EXPECT_EQ(clock.ticks.overruns, 1u);
}

TEST_F(TickClockTest, ATickThatIsAStallByItselfIsOneOverrun)
{
    tick(2 * tick_clock::stall_us);
    sleep();
    EXPECT_GT(tick(1'000), 2 * tick_clock::stall_us);
    EXPECT_EQ(clock.ticks.overruns, 1u);
}

TEST_F(TickClockTest, ALongTickDelaysNoLaterOne)
{
    const uint64_t base_us = now_us;
    for (uint64_t i = 1; i <= 10; ++i) {
        tick(i * 1'999);
        sleep();
        EXPECT_EQ(now_us, base_us + i * period_us);
    }
    tick(3 * period_us + 5);
    sleep();
    EXPECT_EQ(now_us, base_us + 14 * period_us); // Three ticks are skipped.
    tick(0);
    sleep();
    EXPECT_EQ(now_us, base_us + 15 * period_us);
}

TEST_F(TickClockTest, AnotherRateStartsAnotherGridAndKeepsTheCounts)
{
    tick(period_us + 1);
    tick_clock::set_rate(clock, 5, now_us);
    const uint64_t base_us = now_us;
    tick(period_us + 1); // No overrun at this rate.
    sleep();
    EXPECT_EQ(now_us, base_us + 200'000);
    EXPECT_EQ(clock.ticks.hz, 5u);
    EXPECT_EQ(clock.ticks.count, 2u);
    EXPECT_EQ(clock.ticks.overruns, 1u);
}
