#include "transport/connection/stream_send.h"
#include <gtest/gtest.h>
#include <memory>
#include <rapidcheck/gtest.h>
#include <string>
#include <vector>

using namespace tern;

namespace {

struct Sender {
    std::vector<uint64_t> memory;
    StreamSend *stream;
    explicit Sender(size_t queue_bytes_max)
    {
        flat::Builder builder{nullptr, sizeof(StreamSend)};
        StreamSend unused{};
        stream_send::place(builder, unused, queue_bytes_max);
        memory.resize(builder.used_bytes / 8 + 1);
        stream = reinterpret_cast<StreamSend *>(memory.data());
        builder = {reinterpret_cast<std::byte *>(memory.data()), sizeof(StreamSend)};
        stream_send::place(builder, *stream, queue_bytes_max);
    }
    StreamSend &operator*() { return *stream; }
};

std::vector<std::byte> message(size_t size, int seed)
{
    std::vector<std::byte> bytes(size);
    for (size_t i = 0; i < size; i += 1)
        bytes[i] = static_cast<std::byte>(i * 31 + static_cast<size_t>(seed));
    return bytes;
}

std::vector<std::byte> joined(const StreamBytes &bytes)
{
    std::vector<std::byte> all(bytes.first.begin(), bytes.first.end());
    all.insert(all.end(), bytes.second.begin(), bytes.second.end());
    return all;
}

size_t size(const StreamBytes &bytes)
{
    return bytes.first.size() + bytes.second.size();
}

uint32_t low(uint64_t offset)
{
    return static_cast<uint32_t>(offset);
}

}

TEST(StreamSend, AMessageGetsItsLengthInFront)
{
    for (size_t length : {1u, 127u, 128u, 16383u, 16384u, 65536u}) {
        Sender s(100'000);
        ASSERT_TRUE(stream_send::queue(*s, message(length, 1)));
        const size_t prefix = length < 128 ? 1 : length < 16384 ? 2 : 3;
        EXPECT_EQ(prefix + length, stream_send::queued(*s));
        std::vector<std::byte> bytes = joined(stream_send::take_new(*s, 100'000, 1, 0));
        ASSERT_EQ(prefix + length, bytes.size());
        size_t decoded = 0;
        for (size_t i = 0; i < prefix; i += 1)
            decoded |= (std::to_integer<size_t>(bytes[i]) & 127) << 7 * i;
        EXPECT_EQ(length, decoded);
        bytes.erase(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(prefix));
        EXPECT_EQ(message(length, 1), bytes);
    }
}

TEST(StreamSend, RoomIsTheLargestMessageThatFits)
{
    for (size_t capacity = 0; capacity < 400; capacity += 1) {
        Sender s(capacity);
        const size_t room = stream_send::room_bytes(*s);
        EXPECT_FALSE(stream_send::queue(*s, message(room + 1, 0))) << capacity;
        EXPECT_EQ(0u, stream_send::queued(*s));
        if (room == 0) continue;
        EXPECT_TRUE(stream_send::queue(*s, message(room, 0))) << capacity;
    }
    for (size_t capacity = 16'370; capacity < 16'400; capacity += 1) {
        Sender s(capacity);
        const size_t room = stream_send::room_bytes(*s);
        if (room < stream_message_bytes_max) {
            EXPECT_FALSE(stream_send::queue(*s, message(room + 1, 0))) << capacity;
        }
        EXPECT_TRUE(stream_send::queue(*s, message(room, 0))) << capacity;
    }
}

TEST(StreamSend, AFullQueueTakesNothingUntilBytesAreAcked)
{
    Sender s(100);
    ASSERT_TRUE(stream_send::queue(*s, message(99, 0)));
    EXPECT_EQ(0u, stream_send::room_bytes(*s));
    EXPECT_FALSE(stream_send::queue(*s, message(1, 0)));
    stream_send::take_new(*s, 100, 1, 0);
    stream_send::arrived(*s, 0, 10);
    EXPECT_EQ(9u, stream_send::room_bytes(*s));
    EXPECT_TRUE(stream_send::queue(*s, message(9, 0)));
}

TEST(StreamSend, NothingBeyondTheWindowIsSent)
{
    Sender s(400'000);
    for (int i = 0; i < 20; i += 1)
        ASSERT_TRUE(stream_send::queue(*s, message(16'000, i)));
    EXPECT_EQ(stream_window_bytes, size(stream_send::take_new(*s, 400'000, 1, 0)));
    EXPECT_FALSE(stream_send::any_new(*s, 1, 0));
    EXPECT_EQ(0u, size(stream_send::take_new(*s, 400'000, 1, 0)));
    stream_send::arrived(*s, 1000, 500);
    EXPECT_FALSE(stream_send::any_new(*s, 1, 0)) << "not the first bytes";
    stream_send::arrived(*s, 0, 1000);
    EXPECT_EQ(1500u, stream_send::acked(*s));
    EXPECT_EQ(1500u, size(stream_send::take_new(*s, 200'000, 1, 0)));
}

TEST(StreamSend, LostBytesAreSentAgainOldestFirstAndOnce)
{
    Sender s(1000);
    ASSERT_TRUE(stream_send::queue(*s, message(900, 3)));
    const std::vector<std::byte> all = joined(stream_send::take_new(*s, 902, 1, 0));
    stream_send::lost(*s, 500, 100);
    stream_send::lost(*s, 100, 100);
    stream_send::arrived(*s, 150, 10);
    EXPECT_TRUE(stream_send::any_lost(*s));
    StreamBytes again = stream_send::take_lost(*s, 1000);
    EXPECT_EQ(100u, again.offset);
    EXPECT_EQ(std::vector<std::byte>(all.begin() + 100, all.begin() + 150), joined(again));
    again = stream_send::take_lost(*s, 15);
    EXPECT_EQ(160u, again.offset);
    EXPECT_EQ(15u, size(again));
    EXPECT_EQ(25u, size(stream_send::take_lost(*s, 1000)));
    EXPECT_EQ(100u, size(stream_send::take_lost(*s, 1000)));
    EXPECT_FALSE(stream_send::any_lost(*s));
}

TEST(StreamSend, AProbeRepeatsTheOldestUnackedBytes)
{
    Sender s(1000);
    EXPECT_FALSE(stream_send::repeat_oldest(*s, 100));
    ASSERT_TRUE(stream_send::queue(*s, message(500, 3)));
    EXPECT_FALSE(stream_send::repeat_oldest(*s, 100)) << "nothing was sent yet";
    stream_send::take_new(*s, 300, 1, 0);
    stream_send::arrived(*s, 0, 50);
    EXPECT_TRUE(stream_send::repeat_oldest(*s, 100));
    const StreamBytes probe = stream_send::take_lost(*s, 1000);
    EXPECT_EQ(50u, probe.offset);
    EXPECT_EQ(100u, size(probe));
    // One copy is acked, the other lost.
    stream_send::arrived(*s, 50, 100);
    stream_send::lost(*s, 50, 250);
    EXPECT_EQ(150u, stream_send::take_lost(*s, 1000).offset);
}

// Compares with a model that keeps one state per byte. The ring wraps around many times, and
// offsets pass 2^32.
RC_GTEST_PROP(StreamSend, AgreesWithAStatePerByte, ())
{
    enum { waiting, flying, lost, acked };
    const size_t capacity = *rc::gen::inRange<size_t>(1, 700);
    Sender s(capacity);
    const uint64_t start = *rc::gen::element<uint64_t>(0, (1ull << 32) - 300);
    s.stream->_acked = s.stream->_sent = s.stream->_queued = s.stream->_lost_from = start;
    std::vector<std::byte> bytes; // All bytes ever queued
    std::vector<int> state;
    std::vector<StreamBytes> in_flight;
    int seed = 0;
    for (int i = 0; i < 300; i += 1) {
        const int what = *rc::gen::inRange(0, 4);
        if (what == 0) {
            const size_t length = *rc::gen::inRange<size_t>(1, 200);
            const bool fits = length <= stream_send::room_bytes(*s);
            RC_ASSERT(stream_send::queue(*s, message(length, seed)) == fits);
            if (!fits) continue;
            if (length >= 128) bytes.push_back(static_cast<std::byte>((length & 127) | 128));
            bytes.push_back(static_cast<std::byte>(length >= 128 ? length >> 7 : length));
            const std::vector<std::byte> added = message(length, seed);
            bytes.insert(bytes.end(), added.begin(), added.end());
            state.resize(bytes.size(), waiting);
            seed += 1;
        } else if (what == 1) {
            const bool again = *rc::gen::arbitrary<bool>();
            const size_t bytes_max = *rc::gen::inRange<size_t>(1, 150);
            const StreamBytes taken = again ? stream_send::take_lost(*s, bytes_max)
                                            : stream_send::take_new(*s, bytes_max, 1, 0);
            const std::vector<std::byte> content = joined(taken);
            const auto first = std::find(state.begin(), state.end(), again ? lost : waiting);
            RC_ASSERT(content.empty() == (first == state.end()));
            if (content.empty()) continue;
            RC_ASSERT(static_cast<ptrdiff_t>(taken.offset - start) == first - state.begin());
            for (size_t j = 0; j < content.size(); j += 1) {
                RC_ASSERT(state[taken.offset - start + j] == (again ? lost : waiting));
                RC_ASSERT(bytes[taken.offset - start + j] == content[j]);
                state[taken.offset - start + j] = flying;
            }
            in_flight.push_back(taken);
        } else if (!in_flight.empty()) {
            const size_t which = *rc::gen::inRange<size_t>(0, in_flight.size());
            const StreamBytes taken = in_flight[which];
            in_flight.erase(in_flight.begin() + static_cast<ptrdiff_t>(which));
            for (size_t j = 0; j < size(taken); j += 1) {
                int &now = state[taken.offset - start + j];
                if (now != acked) now = what == 2 ? acked : lost;
            }
            if (what == 2)
                stream_send::arrived(*s, low(taken.offset), size(taken));
            else
                stream_send::lost(*s, low(taken.offset), size(taken));
        }
        if (*rc::gen::inRange(0, 20) == 0 && stream_send::repeat_oldest(*s, 30)) {
            const size_t base = stream_send::acked(*s) - start;
            for (size_t j = base; j < std::min(base + 30, state.size()); j += 1)
                if (state[j] == flying) state[j] = lost;
        }
        const auto first =
            std::find_if(state.begin(), state.end(), [](int x) { return x != acked; });
        RC_ASSERT(stream_send::acked(*s) - start == static_cast<size_t>(first - state.begin()));
        RC_ASSERT(stream_send::queued(*s) - start == bytes.size());
        RC_ASSERT(s.stream->_acked_count ==
                  static_cast<size_t>(std::count(first, state.end(), acked)));
        RC_ASSERT(stream_send::any_lost(*s) ==
                  (std::find(state.begin(), state.end(), lost) != state.end()));
        RC_ASSERT(stream_send::any_new(*s, 1, 0) ==
                  (std::find(state.begin(), state.end(), waiting) != state.end()));
    }
}

// The stream bytes that the packets of each tick take. One message of message_bytes is queued in
// each of the first three ticks.
static std::vector<size_t> taken_by_tick(uint32_t copies, size_t message_bytes, size_t ticks)
{
    Sender s(10'000);
    std::vector<size_t> sizes;
    for (uint64_t now_us = 1; now_us <= ticks; now_us += 1) {
        const bool queued = now_us > 3 || stream_send::queue(*s, message(message_bytes, 1));
        EXPECT_TRUE(queued);
        sizes.push_back(0);
        while (stream_send::any_new(*s, copies, now_us)) {
            const StreamBytes taken = stream_send::take_new(*s, 10'000, copies, now_us);
            EXPECT_EQ(taken.offset + size(taken), stream_send::queued(*s));
            sizes.back() += size(taken);
        }
    }
    return sizes;
}

TEST(StreamSend, NewBytesRideInThePacketsOfAsManyTicksAsThereAreCopies)
{
    using Sizes = std::vector<size_t>;
    EXPECT_EQ(taken_by_tick(1, 10, 5), (Sizes{11, 11, 11, 0, 0}));
    EXPECT_EQ(taken_by_tick(2, 10, 6), (Sizes{11, 22, 22, 11, 0, 0}));
    EXPECT_EQ(taken_by_tick(3, 10, 7), (Sizes{11, 22, 33, 22, 11, 0, 0}));
}

TEST(StreamSend, WhatIsTooMuchRidesOnce)
{
    using Sizes = std::vector<size_t>;
    const size_t most = again_bytes_max - 2; // A length of two bytes precedes the message.
    EXPECT_EQ(taken_by_tick(2, most, 5), (Sizes{255, 510, 510, 255, 0}));
    EXPECT_EQ(taken_by_tick(2, most + 1, 5), (Sizes{256, 256, 256, 0, 0}));
}

TEST(StreamSend, WhatIsAckedDoesNotRideAgain)
{
    Sender s(10'000);
    stream_send::queue(*s, message(10, 1));
    stream_send::take_new(*s, 100, 2, 1);
    EXPECT_TRUE(stream_send::any_new(*s, 2, 2));
    stream_send::arrived(*s, 0, 11);
    EXPECT_FALSE(stream_send::any_new(*s, 2, 2));
}

TEST(StreamSend, ItTellsWhichBytesRideForTheLastTime)
{
    Sender s(10'000);
    for (uint64_t now_us = 1; now_us <= 4; now_us += 1) {
        stream_send::queue(*s, message(10, 1));
        const StreamBytes taken = stream_send::take_new(*s, 100, 2, now_us);
        EXPECT_EQ(taken.last_bytes, now_us == 1 ? 0u : 11u) << now_us;
    }
    Sender three(10'000);
    for (uint64_t now_us = 1; now_us <= 4; now_us += 1) {
        stream_send::queue(*three, message(10, 1));
        const StreamBytes taken = stream_send::take_new(*three, 100, 3, now_us);
        EXPECT_EQ(taken.last_bytes, now_us <= 2 ? 0u : 11u) << now_us;
    }
}
