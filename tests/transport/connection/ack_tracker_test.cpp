#include "transport/connection/ack_tracker.h"
#include <gtest/gtest.h>
#include <map>
#include <rapidcheck/gtest.h>
#include <set>

using namespace tern;

namespace {

struct Tracking {
    AckTracker tracker{};
    ReplayWindow window{};
    uint64_t next_sent = 0;
    uint64_t read_end = 0;
    void arrive(uint64_t number, bool eliciting = true, uint64_t now_us = 0)
    {
        ack_tracker::arrive(tracker, window, {number, eliciting, now_us}, next_sent);
        replay_window::set(window, number);
    }
    BuiltAck build(uint64_t now_us = 0)
    {
        return ack_tracker::build(tracker, window, next_sent, read_end, now_us);
    }
    void start_at(uint64_t number)
    {
        replay_window::skip_to(window, number);
        tracker._floor = number;
    }
};

std::set<uint64_t> named(const Ack &ack, uint64_t largest)
{
    std::set<uint64_t> numbers{largest};
    const uint64_t bit_count = 8u * ack.bitmap_count;
    for (uint64_t bit = 0; bit < bit_count; bit += 1)
        if (std::to_integer<unsigned>(ack.bitmap[bit / 8]) >> bit % 8 & 1)
            numbers.insert(largest - bit_count + bit);
    return numbers;
}

}

// The model keeps the numbers of every ack, and learns that the peer knows them once that ack is
// acked itself. The tracker keeps only marks.
RC_GTEST_PROP(AckTracker, TellsAllThatIsNotKnownToBeKnown, ())
{
    Tracking t;
    const uint64_t start =
        *rc::gen::element<uint64_t>(0, 5, (1ull << 32) - 30, (1ull << 60) - 3000);
    t.start_at(start);
    t.next_sent = t.read_end = *rc::gen::element<uint64_t>(0, (1ull << 32) - 10, 1ull << 59);
    uint64_t newest = start, eliciting_end = 0;
    std::set<uint64_t> arrived, known;
    std::map<uint64_t, std::set<uint64_t>> said;
    const int steps = *rc::gen::inRange(1, 200);
    for (int i = 0; i < steps; i += 1) {
        const int what = *rc::gen::inRange(0, 4);
        if (what <= 1) {
            const uint64_t ahead = *rc::gen::weightedOneOf<uint64_t>(
                {{20, rc::gen::inRange<uint64_t>(0, 6)}, {1, rc::gen::inRange<uint64_t>(0, 700)}});
            const uint64_t back = *rc::gen::inRange<uint64_t>(0, 6);
            const uint64_t number = std::max(start, newest + ahead - std::min(newest, back));
            if (!replay_window::is_new(t.window, number)) continue;
            const bool eliciting = *rc::gen::arbitrary<bool>();
            t.arrive(number, eliciting);
            arrived.insert(number);
            const bool counts = eliciting && number + ack_window_packets > newest;
            if (counts) eliciting_end = std::max(eliciting_end, number + 1);
            newest = std::max(newest, number);
        } else if (what == 2) {
            std::set<uint64_t> expected;
            for (uint64_t number : arrived)
                if (!known.count(number) && number + ack_window_packets > newest)
                    expected.insert(number);
            const BuiltAck built = t.build();
            const bool waits = !expected.empty() && *expected.begin() >= eliciting_end &&
                               newest + 1 - *expected.begin() < ack_quiet_packets;
            RC_ASSERT(built.any == (!expected.empty() && !waits));
            t.next_sent += 1;
            if (!built.any) continue;
            std::set<uint64_t> &outcomes = said[t.next_sent - 1];
            RC_ASSERT(built.ack.largest_low == static_cast<uint32_t>(newest));
            outcomes = named(built.ack, newest);
            for (uint64_t number : expected)
                RC_ASSERT(outcomes.count(number));
            for (uint64_t number : outcomes)
                RC_ASSERT(arrived.count(number));
            // The bitmap is no longer than needed.
            RC_ASSERT(built.ack.bitmap_count == (newest - *expected.begin() + 7) / 8);
        } else if (!said.empty()) {
            const auto some =
                std::next(said.begin(), *rc::gen::inRange<int>(0, static_cast<int>(said.size())));
            known.insert(some->second.begin(), some->second.end());
            t.read_end = std::max(t.read_end, some->first + 1);
            said.erase(some);
        }
    }
}

TEST(AckTracker, SaysNothingBeforeAnythingArrives)
{
    Tracking t;
    EXPECT_FALSE(t.build().any);
    EXPECT_FALSE(ack_tracker::due(t.tracker, 1'000'000));
}

TEST(AckTracker, TwoThatElicitMakeAnAckDueAtOnce)
{
    Tracking t;
    t.arrive(0);
    EXPECT_FALSE(ack_tracker::due(t.tracker, 0));
    t.arrive(1);
    EXPECT_TRUE(ack_tracker::due(t.tracker, 0));
    EXPECT_TRUE(t.build().any);
    EXPECT_FALSE(ack_tracker::due(t.tracker, 1'000'000));
}

TEST(AckTracker, OneThatElicitsWaitsNoLongerThanTheAckWait)
{
    Tracking t;
    t.arrive(0, true, 5);
    EXPECT_FALSE(ack_tracker::due(t.tracker, 5 + ack_wait_us - 1));
    EXPECT_TRUE(ack_tracker::due(t.tracker, 5 + ack_wait_us));
}

TEST(AckTracker, OnesThatDoNotElicitMakeNoAckDueAndRideAlongTogether)
{
    Tracking t;
    for (uint64_t i = 0; i + 1 < ack_quiet_packets; i += 1) {
        t.arrive(i, false);
        EXPECT_FALSE(t.build().any) << i;
    }
    t.arrive(ack_quiet_packets - 1, false);
    EXPECT_FALSE(ack_tracker::due(t.tracker, 1'000'000));
    const BuiltAck built = t.build();
    ASSERT_TRUE(built.any);
    EXPECT_EQ(ack_quiet_packets, named(built.ack, ack_quiet_packets - 1).size());
}

TEST(AckTracker, OnesThatDoNotElicitRideAlongWithOneThatDoes)
{
    Tracking t;
    t.arrive(0, false);
    t.arrive(1);
    t.arrive(2, false);
    EXPECT_EQ(3u, named(t.build().ack, 2).size());
    t.arrive(3, false);
    EXPECT_EQ(4u, named(t.build().ack, 3).size()) << "the first may have been lost";
    t.next_sent = t.read_end = 1;
    EXPECT_FALSE(t.build().any);
}

TEST(AckTracker, TellsTheDelayOfTheLargestAndSaturates)
{
    Tracking t;
    t.arrive(1, true, 100);
    t.arrive(0, true, 400);
    EXPECT_EQ(50u, t.build(100 + 50 * ack_delay_unit_us + 3).ack.delay_units);
    EXPECT_EQ(65535u, t.build(100 + 10'000'000).ack.delay_units);
}

TEST(AckTracker, ALateArrivalAfterAnAckedAckIsStillTold)
{
    Tracking t;
    t.arrive(0);
    t.arrive(2);
    t.build();
    t.next_sent = 1;
    t.arrive(1);
    t.read_end = 1; // The peer has read the ack that does not contain 1.
    const BuiltAck built = t.build();
    ASSERT_TRUE(built.any);
    EXPECT_EQ(1u, named(built.ack, 2).count(1));
    t.next_sent = 2;
    t.read_end = 2;
    EXPECT_FALSE(t.build().any);
}

// Even if none of our packets has arrived for long, newly arrived packets of the peer are acked.
TEST(AckTracker, WhatArrivesIsToldHoweverFarBackTheLastAckLiesThatThePeerHasRead)
{
    for (uint64_t ahead = 0; ahead < 200'000; ahead += 1021) {
        Tracking t;
        t.next_sent = ahead;
        t.arrive(0);
        EXPECT_TRUE(t.build().any) << ahead;
        t.next_sent += ack_repeats_max;
        EXPECT_TRUE(t.build().any) << ahead;
        t.next_sent += 1;
        EXPECT_FALSE(t.build().any) << "told " << ack_repeats_max << " times, at " << ahead;
    }
}

// If we send much and receive little, the ring of marks has wrapped around by the late arrival.
TEST(AckTracker, ALateArrivalMakesNothingUnknownThatWasKnownLongAgo)
{
    Tracking t;
    for (uint64_t number = 0; number < 100; number += 1) {
        if (number == 1) continue;
        t.arrive(number);
        EXPECT_TRUE(t.build().any) << number;
        t.next_sent += 600;
        t.read_end = t.next_sent;
    }
    EXPECT_FALSE(t.build().any);
    t.arrive(1);
    const BuiltAck built = t.build();
    ASSERT_TRUE(built.any);
    EXPECT_EQ(100u, named(built.ack, 99).size());
    t.next_sent += 1;
    t.read_end = t.next_sent;
    EXPECT_FALSE(t.build().any) << "1 is known, and all others were";
}

TEST(AckTracker, HurryMakesAnAckOfWhatWaitsDueAndNoOther)
{
    Tracking t;
    ack_tracker::hurry(t.tracker);
    EXPECT_FALSE(ack_tracker::due(t.tracker, 0));
    t.arrive(0);
    EXPECT_FALSE(ack_tracker::due(t.tracker, 0));
    ack_tracker::hurry(t.tracker);
    EXPECT_TRUE(ack_tracker::due(t.tracker, 0));
}
