// The sending side of a connection: queues, window, budget, packets.
#include "connection_pair.h"
#include "tern/limits.hpp"
#include "transport/connection/connection_types.h"
#include <gtest/gtest.h>

using namespace connection_test;

TEST(ConnectionSend, TheBudgetIsKept)
{
    ConnectionLimits slow = limits();
    slow.send_bytes_per_second_max = 50'000;
    Pair pair(1, slow);
    const uint64_t start_us = pair.now_us;
    uint64_t bytes = 0;
    for (int i = 0; i < 300; i += 1) {
        while (connection::queue_message(*pair.side[0], StreamId::world, numbered(1, 900))) {
        }
        while (!connection::peek_message(*pair.side[1], StreamId::world).empty())
            connection::consume_message(*pair.side[1], StreamId::world);
        const size_t before = pair.log.size();
        ASSERT_TRUE(pair.tick());
        for (size_t j = before; j < pair.log.size(); j += 1)
            bytes += pair.log[j].to == 1 ? pair.log[j].bytes.size() : 0;
        ASSERT_LE(bytes, 5'000 + (pair.now_us - start_us) * 50'000 / 1'000'000);
    }
    EXPECT_GT(bytes, 5 * 50'000u * 9 / 10) << "and it is used";
}

TEST(ConnectionSend, AFullQueueRefusesAMessageWhole)
{
    Pair pair;
    Connection &c = *pair.side[0];
    while (connection::queue_message(c, StreamId::calls, numbered(1, 1000))) {
    }
    const uint64_t queued = connection::queued_offset(c, StreamId::calls);
    const size_t room = connection::queue_room_bytes(c, StreamId::calls);
    EXPECT_LT(room, 1000u);
    EXPECT_FALSE(connection::queue_message(c, StreamId::calls, numbered(1, room + 1)));
    EXPECT_EQ(queued, connection::queued_offset(c, StreamId::calls));
    EXPECT_TRUE(connection::queue_message(c, StreamId::calls, numbered(1, room)));
    EXPECT_EQ(0u, connection::queue_room_bytes(c, StreamId::calls));
    // Each stream has its own queue.
    EXPECT_TRUE(connection::queue_message(c, StreamId::world, numbered(1, 1000)));
}

TEST(ConnectionSend, NoMoreThanAWindowIsInFlight)
{
    Pair pair(1, {4'000'000'000, 10'000'000, {400'000, 1000}});
    pair.open_window(0);
    while (connection::queue_message(*pair.side[0], StreamId::world, numbered(1, 5000))) {
    }
    pair.network.cut[1] = true;
    pair.send_due(0);
    EXPECT_FALSE(connection::wants_packet(*pair.side[0], pair.now_us));
    uint64_t bytes = 0;
    for (const Sent &sent : pair.log) {
        if (sent.bytes.size() > datagram_bytes_base) continue; // A path size probe: only padding
        bytes += sent.bytes.size() - data_header_bytes - 7 - tag_bytes;
    }
    EXPECT_EQ(stream_window_bytes, bytes);
}

TEST(ConnectionSend, TheCallerLimitsTheStreamBytesOfAPacket)
{
    Pair pair;
    connection::queue_message(*pair.side[0], StreamId::world, numbered(1, 800));
    connection::queue_message(*pair.side[0], StreamId::calls, numbered(1, 800));
    pair.send_packet(0, {}, 100);
    EXPECT_EQ(data_header_bytes + 7 + 100 + tag_bytes, pair.log.back().bytes.size());
    pair.send_packet(0, {}, 0);
    EXPECT_EQ(1u, pair.log.size()) << "a packet with nothing in it was sent";
    pair.send_packet(0);
    EXPECT_EQ(datagram_bytes_base, pair.log.back().bytes.size());
}

TEST(ConnectionSend, APacketWithNothingInItLeavesItsNumberFree)
{
    Pair pair;
    EXPECT_EQ(0u, pair.send_packet(0));
    EXPECT_EQ(Pair::nothing, pair.send_packet(0));
    EXPECT_EQ(1u, pair.send_packet(0, {text("x")}));
}

TEST(ConnectionSend, UnreliableMessagesFillTheDatagramAndNoMore)
{
    Pair pair;
    Connection &c = *pair.side[0];
    Packet packet = connection::begin_packet(c, pair.side[0].buffer, 0, pair.now_us);
    const size_t room = connection::unreliable_room(packet).size();
    EXPECT_EQ(datagram_bytes_base - data_header_bytes - 1 - 1 - tag_bytes, room);
    connection::add_unreliable(packet, UnreliableKind::call, room);
    EXPECT_TRUE(connection::unreliable_room(packet).empty());
    EXPECT_EQ(datagram_bytes_base, connection::finish_packet(c, packet, pair.now_us).size());
}

// A long message gets a length field only if another message follows. The message is then moved to
// make room for the field.
TEST(ConnectionSend, UnreliableMessagesOfAllLengthsFollowEachOther)
{
    for (const size_t first : {1u, 30u, 31u, 500u}) {
        for (const size_t second : {1u, 30u, 31u, 500u}) {
            Pair pair;
            Connection &c = *pair.side[0];
            Packet packet = connection::begin_packet(c, pair.side[0].buffer, 0, pair.now_us);
            const size_t before = packet.size_bytes;
            for (const size_t size : {first, second}) {
                const std::span<std::byte> room = connection::unreliable_room(packet);
                std::memset(room.data(), static_cast<int>(size % 251), size);
                connection::add_unreliable(packet, UnreliableKind::call, size);
            }
            const size_t length_bytes = first > 30 ? 2 : 0;
            EXPECT_EQ(packet.size_bytes - before, 1 + first + length_bytes + 1 + second);
            EXPECT_EQ(packet.unreliable_header_bytes, 2 + length_bytes);
            const auto sealed = connection::finish_packet(c, packet, pair.now_us);
            const OpenedPacket opened = pair.open(1, Bytes(sealed.begin(), sealed.end()));
            ASSERT_EQ(opened.unreliable_count, 2u);
            const size_t sizes[] = {first, second};
            for (size_t i = 0; i < 2; i += 1) {
                const std::span<const std::byte> bytes = opened.unreliable[i].bytes;
                ASSERT_EQ(bytes.size(), sizes[i]);
                for (const std::byte byte : bytes)
                    ASSERT_EQ(std::to_integer<size_t>(byte), sizes[i] % 251);
            }
        }
    }
}

TEST(ConnectionSend, NoMoreThan64UnreliableMessagesGoInAPacket)
{
    Pair pair;
    Connection &c = *pair.side[0];
    Packet packet = connection::begin_packet(c, pair.side[0].buffer, 0, pair.now_us);
    for (size_t i = 0; i < unreliable_messages_max; i += 1) {
        ASSERT_FALSE(connection::unreliable_room(packet).empty());
        connection::unreliable_room(packet)[0] = std::byte{7};
        connection::add_unreliable(packet, UnreliableKind::notice, 1);
    }
    EXPECT_TRUE(connection::unreliable_room(packet).empty());
    const auto datagram = connection::finish_packet(c, packet, pair.now_us);
    const OpenedPacket opened = pair.open(1, Bytes(datagram.begin(), datagram.end()));
    EXPECT_EQ(Opening::ok, opened.opening);
    EXPECT_EQ(unreliable_messages_max, opened.unreliable_count);
    EXPECT_EQ(UnreliableKind::notice, opened.unreliable[63].kind);
}

TEST(ConnectionSend, WithoutAPlaceForItsFateNoPacketGoes)
{
    Pair pair(1, {4'000'000'000, 10'000'000, {1000, 1000}});
    pair.open_window(0);
    size_t count = 0;
    for (; connection::has_budget(*pair.side[0], pair.now_us); count += 1)
        pair.send_packet(0, {text("x")});
    EXPECT_EQ(1021u, count) << "three places are the goodbyes'";
    for (const Sent &sent : pair.log)
        pair.deliver(1, sent.bytes);
    pair.send_packet(1);
    pair.deliver(0, pair.log.back().bytes);
    EXPECT_FALSE(connection::has_budget(*pair.side[0], pair.now_us)) << "fates nobody has read";
    EXPECT_TRUE(pair.take_packet_outcomes(0));
    EXPECT_GT(pair.side[0].outcomes.size(), 1000u);
    EXPECT_TRUE(connection::has_budget(*pair.side[0], pair.now_us));
}

TEST(ConnectionSend, NeitherStreamStarvesTheOther)
{
    ConnectionLimits slow = limits();
    slow.send_bytes_per_second_max = 50'000;
    Pair pair(1, slow);
    uint32_t received[stream_count] = {};
    for (int i = 0; i < 300; i += 1) {
        for (size_t s = 0; s < stream_count; s += 1) {
            const auto stream = static_cast<StreamId>(s);
            while (connection::queue_message(*pair.side[0], stream, numbered(1, 900))) {
            }
            for (; !connection::peek_message(*pair.side[1], stream).empty(); received[s] += 1)
                connection::consume_message(*pair.side[1], stream);
        }
        ASSERT_TRUE(pair.tick());
    }
    EXPECT_GT(received[0], 80u);
    EXPECT_GT(received[1], 80u);
}

// Results of sending one message of 30 bytes in each tick: the mean number of times that each byte
// was sent, and the longest time from queueing a message to reading it.
struct Redundancy {
    double copies;
    uint64_t worst_us;
};

static Redundancy redundancy(double loss, int ticks)
{
    Pair pair;
    pair.network.loss = loss;
    uint64_t sent = 0, read = 0, bytes = 0;
    Redundancy result{};
    std::vector<uint64_t> queued_us;
    for (int i = 0; i < ticks; i += 1) {
        if (i < ticks - 60) {
            EXPECT_TRUE(connection::queue_message(*pair.side[0], StreamId::calls, numbered(1, 30)));
            queued_us.push_back(pair.now_us);
            sent += 1;
        }
        const size_t before = pair.log.size();
        EXPECT_TRUE(pair.tick());
        for (size_t j = before; j < pair.log.size(); j += 1) {
            if (pair.log[j].to != 1) continue;
            const OpenedPacket packet = pair.open(1, pair.log[j].bytes);
            for (const Frame &frame : packet.frames)
                if (frames::is_chunk(frame.kind)) bytes += frame.bytes.size();
        }
        while (!connection::peek_message(*pair.side[1], StreamId::calls).empty()) {
            connection::consume_message(*pair.side[1], StreamId::calls);
            result.worst_us = std::max(result.worst_us, pair.now_us - queued_us[read]);
            read += 1;
        }
    }
    EXPECT_EQ(sent, read);
    result.copies = static_cast<double>(bytes) / static_cast<double>(31 * sent);
    return result;
}

TEST(ConnectionSend, WithoutLossEachByteGoesOnce)
{
    EXPECT_EQ(redundancy(0, 300).copies, 1);
}

TEST(ConnectionSend, WhereTheLinkLosesSmallMessagesRideTwiceOrThreeTimes)
{
    const Redundancy five = redundancy(0.05, 3000), forty = redundancy(0.4, 3000);
    EXPECT_GT(five.copies, 1.9);
    EXPECT_LT(five.copies, 2.1);
    EXPECT_GT(forty.copies, 2.8);
    EXPECT_LT(five.worst_us, 400'000u);
}

TEST(ConnectionSend, WhenTheLossIsOverEachByteGoesOnceAgain)
{
    Pair pair;
    const auto ticks = [&pair](int count) {
        for (int i = 0; i < count; i += 1) {
            EXPECT_TRUE(connection::queue_message(*pair.side[0], StreamId::world, numbered(1, 30)));
            EXPECT_TRUE(pair.tick());
            while (!connection::peek_message(*pair.side[1], StreamId::world).empty())
                connection::consume_message(*pair.side[1], StreamId::world);
        }
    };
    pair.network.loss = 0.2;
    ticks(200);
    EXPECT_GT(connection::copies(*pair.side[0]), 1u);
    pair.network.loss = 0;
    ticks(800);
    EXPECT_EQ(connection::copies(*pair.side[0]), 1u);
}

// If both copies of a message are lost, the third arrives as early as possible: the loss of the
// second copy is detected one round trip after it was sent, and the third takes half a round trip.
TEST(ConnectionSend, WhenAllCopiesAreLostAThirdGoesAfterOneRoundTrip)
{
    Pair pair;
    const uint64_t round_trip_us = 4 * tick_us; // 60 ms, rounded up to ticks
    uint64_t queued_us = 0, read_us = 0;
    uint32_t number = 0, read = 0;
    for (int i = 0; i < 400; i += 1) {
        pair.side[0].connection->_loss = 65'536 / 20;
        number += 1;
        EXPECT_TRUE(
            connection::queue_message(*pair.side[0], StreamId::calls, numbered(number, 30)));
        pair.network.cut[1] = i == 300 || i == 301;
        if (i == 300) queued_us = pair.now_us + tick_us; // The time of the tick that sends it
        EXPECT_TRUE(pair.tick());
        while (!connection::peek_message(*pair.side[1], StreamId::calls).empty()) {
            connection::consume_message(*pair.side[1], StreamId::calls);
            read += 1;
            if (read == 301) read_us = pair.now_us;
        }
    }
    EXPECT_EQ(read_us - queued_us, tick_us + round_trip_us + 2 * tick_us);
}
