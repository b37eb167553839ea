#include "transport/connection/sent_packets.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <rapidcheck/gtest.h>
#include <set>
#include <vector>

using namespace tern;

namespace {

struct Sending {
    std::vector<uint64_t> memory = std::vector<uint64_t>(20'000);
    SentPackets &sent = *reinterpret_cast<SentPackets *>(memory.data());
    std::vector<PacketOutcome> outcomes;
    uint64_t now_us = 0;
    LossThreshold lost = {100'000, true};

    Sending()
    {
        flat::Builder builder{reinterpret_cast<std::byte *>(memory.data()), sizeof sent};
        sent_packets::place(builder, sent);
    }
    uint64_t send(bool eliciting = true)
    {
        SentPacket packet{};
        packet.sent_us = now_us;
        packet.ack_eliciting = eliciting;
        return sent_packets::add(sent, packet);
    }
    // Passes an ack of these packet numbers to the sender.
    AckEffect ack(const std::set<uint64_t> &numbers, bool take = true)
    {
        const uint64_t largest = *numbers.rbegin();
        bitmap.assign(64, std::byte{0});
        for (uint64_t number : numbers)
            if (number != largest) {
                const uint64_t bit = 512 - (largest - number);
                bitmap[bit / 8] |= static_cast<std::byte>(1u << bit % 8);
            }
        while (!bitmap.empty() && bitmap[0] == std::byte{0})
            bitmap.erase(bitmap.begin());
        frame = {FrameKind::ack, CloseReason::none, 0, static_cast<uint32_t>(largest), bitmap};
        EXPECT_TRUE(sent_packets::is_possible(sent, frame));
        const AckEffect effect = sent_packets::take_ack(sent, frame, lost, now_us);
        take ? take_packet_outcomes() : settle_packet_outcomes();
        return effect;
    }
    void detect_lost()
    {
        sent_packets::detect_lost(sent, lost, now_us);
        take_packet_outcomes();
    }
    void declare_all_lost()
    {
        sent_packets::declare_all_lost(sent, now_us);
        take_packet_outcomes();
    }
    void settle_packet_outcomes()
    {
        for (PacketOutcome outcome; sent_packets::settle_packet_outcome(sent, outcome);)
            settled[outcome.packet] = outcome.acked;
    }
    void take_packet_outcomes()
    {
        settle_packet_outcomes();
        for (PacketOutcome outcome; sent_packets::take_packet_outcome(sent, outcome);) {
            EXPECT_EQ(settled.at(outcome.packet), outcome.acked) << outcome.packet;
            outcomes.push_back(outcome);
        }
        EXPECT_EQ(settled.size(), outcomes.size());
    }
    std::map<uint64_t, bool> reported()
    {
        std::map<uint64_t, bool> result;
        for (const PacketOutcome &outcome : outcomes) {
            EXPECT_EQ(0u, result.count(outcome.packet)) << "told twice: " << outcome.packet;
            result[outcome.packet] = outcome.acked;
        }
        return result;
    }
    std::map<uint64_t, bool> settled;
    std::vector<std::byte> bitmap;
    Frame frame{};
};

using Reported = std::map<uint64_t, bool>;

}

TEST(SentPackets, APacketIsLostWhenThreeLaterOnesAreAcked)
{
    Sending s;
    for (int i = 0; i < 5; i += 1)
        s.send();
    s.ack({2});
    EXPECT_EQ((Reported{{2, true}}), s.reported());
    s.ack({3});
    EXPECT_EQ((Reported{{0, false}, {2, true}, {3, true}}), s.reported());
    s.ack({4});
    EXPECT_EQ((Reported{{0, false}, {1, false}, {2, true}, {3, true}, {4, true}}), s.reported());
    EXPECT_EQ(sent_packets_max, sent_packets::room(s.sent));
    EXPECT_EQ(0u, sent_packets::eliciting_count(s.sent));
}

TEST(SentPackets, APacketIsLostByTimeOnlyOnceALaterOneIsAcked)
{
    Sending s;
    s.send();
    s.now_us = 10;
    s.send();
    s.now_us = 500'000;
    s.detect_lost();
    EXPECT_EQ(Reported{}, s.reported());
    s.now_us = 99'999;
    s.ack({1});
    EXPECT_EQ((Reported{{1, true}}), s.reported());
    s.now_us = 100'000;
    s.detect_lost();
    EXPECT_EQ((Reported{{0, false}, {1, true}}), s.reported());
}

TEST(SentPackets, OnAPathThatReordersNothingIsLostByCount)
{
    Sending s;
    s.lost.by_count = false;
    for (int i = 0; i < 10; i += 1)
        s.send();
    s.now_us = 99'999;
    EXPECT_EQ(0u, s.ack({9}).reordered_us);
    EXPECT_EQ((Reported{{9, true}}), s.reported());
    EXPECT_EQ(99'999u, s.ack({3, 9}).reordered_us);
    s.now_us = 100'000;
    s.detect_lost();
    EXPECT_EQ(10u, s.reported().size());
    s.now_us = 130'000;
    const AckEffect late = s.ack({4, 9});
    EXPECT_EQ(1u, late.late_count);
    EXPECT_EQ(130'000u, late.reordered_us);
}

TEST(SentPackets, ALateAckChangesNothingButGivesASample)
{
    Sending s;
    s.send();
    s.now_us = 1'000'000;
    s.declare_all_lost();
    const AckEffect late = s.ack({0});
    EXPECT_TRUE(late.sampled);
    EXPECT_EQ(1'000'000u, late.measured_us);
    EXPECT_FALSE(late.eliciting);
    EXPECT_EQ((Reported{{0, false}}), s.reported());
    EXPECT_FALSE(s.ack({0}).sampled);
}

// The late ack arrives in the same tick, before the caller takes the outcome. The caller still gets
// the outcome on which the connection acted.
TEST(SentPackets, AFateThatWaitsForItsCallerIsNotChangedByALateAck)
{
    Sending s;
    for (int i = 0; i < 5; i += 1)
        s.send();
    s.ack({4}, false);
    EXPECT_EQ(1u, s.ack({0, 4}, false).late_count);
    s.take_packet_outcomes();
    EXPECT_EQ((Reported{{0, false}, {1, false}, {4, true}}), s.reported());
}

// Packets with an outcome that is not taken yet keep their places, so there is less room for
// others.
TEST(SentPackets, FatesThatNobodyHasTakenAreKeptWhileMoreIsSent)
{
    Sending s;
    sent_packets::skip_to(s.sent, 60); // These packets change places when the ring grows.
    for (int i = 0; i < 4; i += 1)
        s.send();
    s.ack({60, 62, 63}, false);
    sent_packets::declare_all_lost(s.sent, s.now_us);
    s.settle_packet_outcomes();
    for (size_t i = 4; i < sent_packets_max; i += 1)
        s.send();
    EXPECT_EQ(0u, sent_packets::room(s.sent));
    s.take_packet_outcomes();
    EXPECT_EQ((Reported{{60, true}, {61, false}, {62, true}, {63, true}}), s.reported());
    EXPECT_EQ(4u, sent_packets::room(s.sent));
}

TEST(SentPackets, ARoundTripIsMeasuredOnlyOnTheLargestAndOnlyIfItElicits)
{
    Sending s;
    s.send();
    s.send(false);
    s.now_us = 50;
    EXPECT_FALSE(s.ack({1}).sampled);
    const AckEffect older = s.ack({0});
    EXPECT_FALSE(older.sampled);
    EXPECT_TRUE(older.eliciting);
}

TEST(SentPackets, AnAckOfWhatWasNeverSentIsImpossible)
{
    Sending s;
    s.bitmap = {std::byte{1}};
    s.frame = {FrameKind::ack, CloseReason::none, 0, 0, {}};
    EXPECT_FALSE(sent_packets::is_possible(s.sent, s.frame));
    s.send();
    EXPECT_TRUE(sent_packets::is_possible(s.sent, s.frame));
    s.frame.low = 1;
    EXPECT_FALSE(sent_packets::is_possible(s.sent, s.frame));
    s.frame.low = 0xffffffff;
    EXPECT_FALSE(sent_packets::is_possible(s.sent, s.frame));
    s.frame.low = 0;
    s.frame.bytes = s.bitmap;
    EXPECT_FALSE(sent_packets::is_possible(s.sent, s.frame)) << "packet -8";
    for (int i = 0; i < 8; i += 1)
        s.send();
    s.frame.low = 8;
    EXPECT_TRUE(sent_packets::is_possible(s.sent, s.frame));
}

TEST(SentPackets, FullIsFullUntilTheOldestMeetsItsFate)
{
    Sending s;
    for (size_t i = 0; i < sent_packets_max; i += 1)
        s.send();
    EXPECT_EQ(0u, sent_packets::room(s.sent));
    s.ack({1, 2});
    EXPECT_EQ(0u, sent_packets::room(s.sent));
    s.ack({0, 2});
    EXPECT_EQ(3u, sent_packets::room(s.sent));
}

TEST(SentPackets, AnAckOfSomethingForgottenGivesNoSample)
{
    Sending s;
    s.send();
    s.declare_all_lost();
    for (size_t i = 0; i < sent_packets_max; i += 1)
        s.send();
    EXPECT_FALSE(s.ack({0}).sampled);
}

RC_GTEST_PROP(SentPackets, EachFateIsToldOnceAndAsTheAcksSay, ())
{
    Sending s;
    const uint64_t start = *rc::gen::element<uint64_t>(0, (1ull << 32) - 40, (1ull << 60) - 300);
    sent_packets::skip_to(s.sent, start);
    std::set<uint64_t> acked, open;
    uint64_t largest_acked = 0;
    bool any_acked = false;
    for (int i = 0; i < 150; i += 1) {
        s.now_us += *rc::gen::inRange<uint64_t>(0, 20'000);
        if (*rc::gen::inRange(0, 3) > 0) {
            open.insert(s.send(*rc::gen::arbitrary<bool>()));
            continue;
        }
        const uint64_t next = sent_packets::next(s.sent);
        if (next == start) continue;
        std::set<uint64_t> numbers;
        const uint64_t low = next - start > 40 ? next - 40 : start;
        for (int j = *rc::gen::inRange(1, 6); j > 0; j -= 1)
            numbers.insert(*rc::gen::inRange(low, next));
        const size_t before = s.outcomes.size();
        s.ack(numbers);
        largest_acked = std::max(any_acked ? largest_acked : 0, *numbers.rbegin());
        any_acked = true;
        for (size_t j = before; j < s.outcomes.size(); j += 1) {
            const PacketOutcome outcome = s.outcomes[j];
            RC_ASSERT(open.erase(outcome.packet) == 1);
            RC_ASSERT(outcome.acked == (numbers.count(outcome.packet) == 1));
            if (j > before) RC_ASSERT(s.outcomes[j - 1].packet < outcome.packet);
            if (outcome.acked) continue;
            const SentPacket &packet = sent_packets::at(s.sent, outcome.packet);
            RC_ASSERT(outcome.packet + 3 <= largest_acked ||
                      s.now_us - packet.sent_us >= s.lost.age_us);
        }
        for (uint64_t number : open) {
            RC_ASSERT(numbers.count(number) == 0);
            RC_ASSERT(number + 3 > largest_acked);
        }
    }
    uint32_t eliciting = 0;
    for (uint64_t number : open)
        eliciting += sent_packets::at(s.sent, number).ack_eliciting;
    RC_ASSERT(eliciting == sent_packets::eliciting_count(s.sent));
}

// The number of places doubles as more packets are in flight, whatever number the packets start at.
TEST(SentPackets, KeepsWhatIsInFlightWhenItTakesMorePlaces)
{
    for (const uint64_t start : {uint64_t{0}, uint64_t{37}, uint64_t{1000}}) {
        Sending s;
        for (uint64_t i = 0; i < start; i += 1) {
            s.send();
            s.ack({i});
        }
        s.outcomes.clear();
        s.settled.clear();
        EXPECT_EQ(s.sent._places, sent_places_min);
        for (uint64_t i = start; i < start + sent_packets_max; i += 1) {
            s.now_us = i;
            EXPECT_EQ(s.send(), i);
            ASSERT_EQ(sent_packets::at(s.sent, start).sent_us, start);
        }
        EXPECT_EQ(s.sent._places, sent_packets_max);
        EXPECT_EQ(sent_packets::room(s.sent), 0u);
        for (uint64_t i = start; i < start + sent_packets_max; i += 1) {
            ASSERT_EQ(sent_packets::at(s.sent, i).sent_us, i);
            ASSERT_EQ(sent_packets::at(s.sent, i).state, SentState::in_flight);
        }
        s.declare_all_lost();
        EXPECT_EQ(s.reported().size(), sent_packets_max);
    }
}

TEST(SentPackets, APacketWhosePlaceIsTakenGivesNoRoundTrip)
{
    Sending s;
    for (int i = 0; i < 20; i += 1)
        s.send();
    s.declare_all_lost();
    s.now_us = 5'000;
    for (size_t i = 0; i < s.sent._places - 10; i += 1) {
        s.send();
        s.declare_all_lost();
    }
    EXPECT_FALSE(s.ack({5}).sampled) << "its place has been taken";
    const AckEffect effect = s.ack({15});
    EXPECT_TRUE(effect.sampled);
    EXPECT_EQ(effect.measured_us, 5'000u);
}
