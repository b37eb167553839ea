#include "transport/connection/round_trip.h"
#include <gtest/gtest.h>

using namespace tern;

TEST(RoundTrip, TheFirstSampleIsTheEstimate)
{
    RoundTrip r{};
    EXPECT_FALSE(round_trip::known(r));
    EXPECT_EQ(0u, round_trip::smoothed_us(r));
    round_trip::sample(r, 100'000, 20'000);
    EXPECT_EQ(100'000u, round_trip::smoothed_us(r));
    EXPECT_EQ(50'000u, round_trip::variance_us(r));
}

// Worked out by hand from RFC 9002, section 5.3.
TEST(RoundTrip, LaterSamplesWeighAnEighth)
{
    RoundTrip r{};
    round_trip::sample(r, 80'000, 0);
    round_trip::sample(r, 160'000, 16'000);
    EXPECT_EQ((7 * 80'000 + 144'000) / 8u, round_trip::smoothed_us(r));
    EXPECT_EQ((3 * 40'000 + 64'000) / 4u, round_trip::variance_us(r));
}

TEST(RoundTrip, ADelayIsNotBelievedBelowTheLeastRoundTrip)
{
    RoundTrip r{};
    round_trip::sample(r, 80'000, 0);
    round_trip::sample(r, 80'000, 50'000);
    EXPECT_EQ(80'000u, round_trip::smoothed_us(r));
}

TEST(RoundTrip, ALongDelayIsBelievedInPart)
{
    RoundTrip r{};
    round_trip::sample(r, 10'000, 0);
    round_trip::sample(r, 1'010'000, 1'000'000);
    EXPECT_EQ((7 * 10'000 + 946'000) / 8u, round_trip::smoothed_us(r));
}

TEST(RoundTrip, LossAndProbeTimesFollow)
{
    RoundTrip r{};
    EXPECT_EQ(333'000u * 9 / 8, round_trip::loss_threshold(r, 0).age_us);
    EXPECT_EQ(3 * 333'000 + ack_wait_us, round_trip::probe_us(r));
    round_trip::sample(r, 80'000, 0);
    EXPECT_EQ(90'000u, round_trip::loss_threshold(r, 0).age_us);
    EXPECT_EQ(80'000 + 4 * 40'000 + ack_wait_us, round_trip::probe_us(r));
    // A round trip of zero leaves the granularity of the clock, 1 ms (RFC 9002, 6.1.2).
    RoundTrip near{};
    round_trip::sample(near, 0, 0);
    EXPECT_TRUE(round_trip::known(near));
    EXPECT_EQ(1'000u, round_trip::loss_threshold(near, 0).age_us);
    EXPECT_EQ(1 + 1'000 + ack_wait_us, round_trip::probe_us(near));
}

TEST(RoundTrip, APathThatReordersGivesAllPacketsTheTimeOfTheSlowest)
{
    constexpr uint64_t second_us = 1'000'000;
    RoundTrip r{};
    round_trip::sample(r, 80'000, 0);
    EXPECT_TRUE(round_trip::loss_threshold(r, 0).by_count);
    uint64_t now_us = 20 * second_us;
    round_trip::reordered(r, 120'000, now_us);
    EXPECT_EQ(120'000u * 9 / 8, round_trip::loss_threshold(r, now_us).age_us);
    EXPECT_FALSE(round_trip::loss_threshold(r, now_us).by_count);
    now_us += 6 * second_us; // The next period.
    round_trip::reordered(r, 100'000, now_us);
    EXPECT_EQ(120'000u * 9 / 8, round_trip::loss_threshold(r, now_us).age_us);
    now_us += 6 * second_us;
    EXPECT_EQ(100'000u * 9 / 8, round_trip::loss_threshold(r, now_us).age_us);
    now_us += 6 * second_us;
    EXPECT_EQ(80'000u * 9 / 8, round_trip::loss_threshold(r, now_us).age_us);
    EXPECT_TRUE(round_trip::loss_threshold(r, now_us).by_count);
    round_trip::reordered(r, 9 * second_us, now_us); // A peer that has stood still.
    EXPECT_EQ(2 * 80'000u * 9 / 8, round_trip::loss_threshold(r, now_us).age_us);
}

TEST(RoundTrip, TheLossTimeFollowsALatestRoundTripThatIsLonger)
{
    RoundTrip r{};
    for (int i = 0; i < 4; ++i)
        round_trip::sample(r, 80'000, 0);
    round_trip::sample(r, 160'000, 0);
    EXPECT_EQ(90'000u, round_trip::smoothed_us(r));
    EXPECT_EQ(160'000u * 9 / 8, round_trip::loss_threshold(r, 0).age_us); // RFC 9002, 6.1.2
    round_trip::sample(r, 80'000, 0);
    EXPECT_EQ(round_trip::smoothed_us(r) * 9 / 8, round_trip::loss_threshold(r, 0).age_us);
}
