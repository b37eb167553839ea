// Packets that arrive at a connection: forged, replayed, malformed and hostile ones.
#include "tern/limits.hpp"
#include "tests/transport/connection/bytes.h"
#include "tests/transport/connection/connection_pair.h"
#include <gtest/gtest.h>

using namespace connection_test;

namespace {

// Into memory that is used again: the state is large.
void take_snapshot(Bytes &snapshot, const Side &side)
{
    snapshot.resize(side.state().size());
    std::memcpy(snapshot.data(), side.state().data(), snapshot.size());
}

Bytes snapshot(const Side &side)
{
    Bytes taken;
    take_snapshot(taken, side);
    return taken;
}

bool unchanged(const Side &side, const Bytes &before)
{
    return std::memcmp(side.state().data(), before.data(), before.size()) == 0;
}

Opening opening_of(Pair &pair, const Bytes &content, uint64_t number = 0)
{
    return pair.open(1, Pair::sealed(0, number, content)).opening;
}

}

TEST(ConnectionReceive, AnyFlippedBitOfARecordedExchangeIsRefusedAndChangesNothing)
{
    Pair pair(4);
    pair.network = {20'000, 30'000, 0.1, 0};
    for (uint32_t i = 0; i < 12; i += 1) {
        connection::queue_message(*pair.side[0], StreamId::world, numbered(i, 40));
        connection::queue_message(*pair.side[1], StreamId::calls, numbered(i, 20));
        pair.send_packet(0, {numbered(i, 30)});
        ASSERT_TRUE(pair.tick());
    }
    const std::vector<Sent> recorded = pair.log;
    const Bytes before[2] = {snapshot(pair.side[0]), snapshot(pair.side[1])};
    size_t refused = 0;
    for (const Sent &sent : recorded) {
        for (size_t bit = 0; bit < sent.bytes.size() * 8; bit += 1) {
            Bytes flipped = sent.bytes;
            flipped[bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
            ASSERT_NE(Opening::ok, pair.open(sent.to, flipped).opening) << bit;
            refused += 1;
        }
    }
    EXPECT_GT(refused, 10'000u);
    EXPECT_TRUE(unchanged(pair.side[0], before[0]));
    EXPECT_TRUE(unchanged(pair.side[1], before[1]));
}

TEST(ConnectionReceive, AnyFlippedBitOfAFreshDatagramIsRefused)
{
    Pair pair;
    connection::queue_message(*pair.side[0], StreamId::world, numbered(1, 40));
    pair.send_packet(0, {text("update")});
    const Bytes datagram = pair.log.back().bytes;
    const Bytes before = snapshot(pair.side[1]);
    for (size_t bit = 0; bit < datagram.size() * 8; bit += 1) {
        Bytes flipped = datagram;
        flipped[bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
        const Opening opening = pair.open(1, flipped).opening;
        EXPECT_EQ(Opening::forged, opening) << bit;
    }
    for (size_t size = 0; size < datagram.size(); size += 1) {
        const Bytes cut(datagram.begin(), datagram.begin() + static_cast<ptrdiff_t>(size));
        EXPECT_NE(Opening::ok, pair.open(1, cut).opening) << size;
    }
    EXPECT_TRUE(unchanged(pair.side[1], before));
    EXPECT_EQ(Opening::ok, pair.open(1, datagram).opening);
}

TEST(ConnectionReceive, OpeningChangesNothingAndAPacketNotAcceptedHasNeverBeen)
{
    Pair pair;
    pair.send_packet(0, {text("update")});
    const Bytes before = snapshot(pair.side[1]);
    for (int i = 0; i < 3; i += 1) {
        const OpenedPacket packet = pair.open(1, pair.log.back().bytes);
        ASSERT_EQ(Opening::ok, packet.opening);
        ASSERT_EQ(1u, packet.unreliable_count);
        EXPECT_EQ(UnreliableKind::updates, packet.unreliable[0].kind);
        EXPECT_EQ(6u, packet.unreliable[0].bytes.size());
    }
    EXPECT_TRUE(unchanged(pair.side[1], before));
    pair.accept[1] = false;
    pair.receive_all();
    pair.wire.clear();
    pair.accept[1] = true;
    ASSERT_TRUE(pair.run(3'000'000));
    ASSERT_EQ(1u, pair.side[0].outcomes.count(0));
    EXPECT_FALSE(pair.side[0].outcomes[0]);
}

TEST(ConnectionReceive, AReplayIsRefusedForeverAndASecondAcceptDoesNothing)
{
    Pair pair;
    pair.send_packet(0, {text("update")});
    const Bytes datagram = pair.log.back().bytes;
    PacketRoom other_room;
    const OpenedPacket first = pair.open(1, datagram);
    const OpenedPacket second = connection::open_packet(*pair.side[1], datagram, other_room);
    connection::accept(*pair.side[1], first, pair.now_us);
    const Bytes before = snapshot(pair.side[1]);
    connection::accept(*pair.side[1], second, pair.now_us + 1);
    EXPECT_TRUE(unchanged(pair.side[1], before));
    EXPECT_EQ(Opening::replayed, pair.open(1, datagram).opening);
    for (int i = 0; i < 3000; i += 1) {
        pair.now_us += 1000; // Slow enough for the pace to allow every packet.
        pair.send_packet(0, {text("x")});
        ASSERT_TRUE(pair.deliver(1, pair.log.back().bytes));
        pair.send_packet(1);
        pair.deliver(0, pair.log.back().bytes);
        pair.take_packet_outcomes(0);
        pair.take_packet_outcomes(1);
    }
    EXPECT_EQ(Opening::replayed, pair.open(1, datagram).opening);
}

TEST(ConnectionReceive, TheDirectionsHaveDifferentKeys)
{
    Pair pair;
    pair.send_packet(0);
    EXPECT_EQ(Opening::forged, pair.open(0, pair.log.back().bytes).opening);
}

TEST(ConnectionReceive, WhatCannotBeIsMalformedAsAWhole)
{
    Pair pair;
    EXPECT_EQ(Opening::ok, opening_of(pair, bytes({4})));
    EXPECT_EQ(Opening::malformed, opening_of(pair, {})) << "nothing in it";
    EXPECT_EQ(Opening::malformed, opening_of(pair, bytes({4, 0}))) << "trailing garbage";
    EXPECT_EQ(Opening::malformed, opening_of(pair, bytes({77}))) << "unknown kind";
    EXPECT_EQ(Opening::malformed, opening_of(pair, bytes({1, 0, 0, 0, 0, 0, 0, 0})))
        << "an ack of a packet that was never sent";
    pair.send_packet(1);
    EXPECT_EQ(Opening::ok, opening_of(pair, bytes({1, 0, 0, 0, 0, 0, 0, 0})));
    EXPECT_EQ(Opening::malformed, opening_of(pair, bytes({1, 1, 0, 0, 0, 0, 0, 0})));
    EXPECT_EQ(Opening::malformed, opening_of(pair, bytes({1, 0, 0, 0, 0, 0, 0, 1, 128})))
        << "an ack of a packet before the first";
    EXPECT_EQ(Opening::ok, opening_of(pair, bytes({2, 0xff, 0xff, 3, 0, 1, 0, 9})));
    EXPECT_EQ(Opening::no_room, opening_of(pair, bytes({2, 0xff, 0xff, 3, 0, 2, 0, 9, 9})))
        << "a byte beyond the window";
    EXPECT_EQ(Opening::no_room, opening_of(pair, bytes({2, 0xff, 0xff, 0xff, 0xff, 1, 0, 9})));
    EXPECT_EQ(Opening::malformed, opening_of(pair, bytes({2, 0xff, 0xff, 0xff, 0xff, 1, 0, 9, 77})))
        << "and what follows is in no format";
}

TEST(ConnectionReceive, MoreUnreliableMessagesThanThereMayBeAreMalformed)
{
    for (size_t count : {unreliable_messages_max, unreliable_messages_max + 1}) {
        Pair pair;
        Bytes content;
        for (size_t i = 0; i < count; i += 1)
            for (int value : {0x41, 9})
                content.push_back(static_cast<std::byte>(value));
        EXPECT_EQ(count == unreliable_messages_max ? Opening::ok : Opening::malformed,
                  opening_of(pair, content));
    }
}

TEST(ConnectionReceive, ALengthThatCannotBeClosesTheLink)
{
    for (const Bytes &content :
         {bytes({2, 0, 0, 0, 0, 1, 0, 0}), bytes({2, 0, 0, 0, 0, 3, 0, 0xff, 0xff, 0x7f})}) {
        Pair pair;
        ASSERT_TRUE(pair.deliver(1, Pair::sealed(0, 0, content)));
        EXPECT_TRUE(connection::peek_message(*pair.side[1], StreamId::world).empty());
        EXPECT_TRUE(connection::peek_message(*pair.side[1], StreamId::world).empty());
        EXPECT_EQ(ConnectionState::closing, connection::state(*pair.side[1]));
        ASSERT_TRUE(pair.run(200'000));
        EXPECT_EQ(ConnectionState::closed_by_us, connection::state(*pair.side[1]));
        EXPECT_EQ(CloseReason::protocol_error, connection::close_reason(*pair.side[1]));
        EXPECT_EQ(ConnectionState::closed_by_peer, connection::state(*pair.side[0]));
        EXPECT_EQ(CloseReason::protocol_error, connection::close_reason(*pair.side[0]));
    }
}

// An authenticated but broken peer may send pieces of frames, some of them valid.
TEST(ConnectionReceive, RandomFramesUnderTheRightKeyAreTakenWholeOrChangeNothing)
{
    uint64_t taken = 0, refused = 0;
    Bytes before;
    for (uint64_t seed = 0; seed < 300; seed += 1) {
        Pair pair(seed);
        Random &random = pair.random;
        uint64_t number = 0;
        for (int i = 0; i < 60; i += 1) {
            pair.send_due(1);
            Bytes content;
            for (uint64_t frames = random::below(random, 5); frames > 0; frames -= 1) {
                const auto kind = static_cast<int>(random::below(random, 10));
                content.push_back(static_cast<std::byte>(kind));
                if (kind == 5 && random::chance(random, 0.8)) content.pop_back();
                const bool has_number = kind >= 1 && kind <= 3;
                if (has_number)
                    for (int value : {random::chance(random, 0.9) ? 0 : 0x80, 0, 0, 0}) {
                        const int low = static_cast<int>(random::below(random, 8));
                        content.push_back(static_cast<std::byte>(content.size() % 4 ? value : low));
                    }
                if (kind == 1) content.resize(content.size() + 2);
                const auto length = random::below(random, 30);
                if (kind == 1 || has_number || kind >= 6)
                    content.push_back(static_cast<std::byte>(length));
                if (kind != 1 && (has_number || kind >= 6)) content.push_back(std::byte{0});
                if (kind != 4)
                    for (uint64_t j = 0; j < length; j += 1)
                        content.push_back(static_cast<std::byte>(random::next(random)));
            }
            const Bytes datagram = Pair::sealed(0, number, content);
            take_snapshot(before, pair.side[1]);
            const bool ok = pair.deliver(1, datagram);
            ASSERT_TRUE(ok || unchanged(pair.side[1], before));
            ASSERT_TRUE(!ok || pair.open(1, datagram).opening == Opening::replayed);
            taken += ok;
            refused += !ok;
            number += 1 + random::below(random, 3);
            for (StreamId stream : {StreamId::world, StreamId::calls})
                while (!connection::peek_message(*pair.side[1], stream).empty())
                    connection::consume_message(*pair.side[1], stream);
            pair.now_us += tick_us;
            connection::update(*pair.side[1], pair.now_us);
            for (PacketOutcome outcome; connection::take_packet_outcome(*pair.side[1], outcome);) {
            }
            if (connection::state(*pair.side[1]) != ConnectionState::open) break;
        }
    }
    EXPECT_GT(taken, 500u);
    EXPECT_GT(refused, 500u);
}

TEST(ConnectionReceive, AcksStopOnceThePeerIsKnownToHaveReadThem)
{
    Pair pair;
    ASSERT_TRUE(pair.run(300'000));
    for (int i = 0; i < 100; i += 1) {
        pair.send_packet(0, {text("x")});
        pair.send_packet(1, {text("x")});
        ASSERT_TRUE(pair.tick());
    }
    // Header, ack, message and tag. The bitmap of the ack covers only the few packets in flight.
    EXPECT_LE(pair.log.back().bytes.size(), data_header_bytes + 8 + 3 + 4 + tag_bytes);
    const size_t before = pair.log.size();
    ASSERT_TRUE(pair.run(1'000'000));
    EXPECT_LE(pair.log.size() - before, 6u) << "acks of acks never end";
}

TEST(ConnectionReceive, AnAckIsSentAtOnceForTwoAndSoonForOne)
{
    Pair pair;
    pair.network.latency_us = 0;
    ASSERT_TRUE(pair.run(300'000));
    pair.send_packet(0, {text("x")});
    pair.receive_all();
    EXPECT_FALSE(connection::wants_packet(*pair.side[1], pair.now_us));
    EXPECT_TRUE(connection::wants_packet(*pair.side[1], pair.now_us + 20'000));
    pair.send_packet(0, {text("x")});
    pair.receive_all();
    EXPECT_TRUE(connection::wants_packet(*pair.side[1], pair.now_us));
    const uint64_t number = pair.send_packet(1);
    pair.receive_all();
    EXPECT_FALSE(connection::wants_packet(*pair.side[0], pair.now_us)) << "an ack of an ack";
    EXPECT_NE(Pair::nothing, number);
}

TEST(ConnectionReceive, AnAckThatWasHeldBackCanFollow)
{
    Pair pair;
    pair.network.latency_us = 0;
    ASSERT_TRUE(pair.run(300'000)); // Until neither side has anything to send.
    const uint64_t acked = pair.send_packet(0, {text("x")});
    const OpenedPacket packet = pair.open(1, pair.log.back().bytes);
    ASSERT_TRUE(connection::accept(*pair.side[1], packet, pair.now_us, connection::Acking::no));
    EXPECT_FALSE(connection::wants_packet(*pair.side[1], pair.now_us + 20'000));
    connection::acknowledge(*pair.side[1], packet, pair.now_us);
    EXPECT_TRUE(connection::wants_packet(*pair.side[1], pair.now_us + 20'000));
    const Bytes before = snapshot(pair.side[1]);
    connection::acknowledge(*pair.side[1], packet, pair.now_us);
    EXPECT_TRUE(unchanged(pair.side[1], before)) << "a second ack";
    pair.wire.clear(); // The packet itself must not come again.
    ASSERT_TRUE(pair.run(3'000'000));
    ASSERT_EQ(1u, pair.side[0].outcomes.count(acked));
    EXPECT_TRUE(pair.side[0].outcomes[acked]);
}
