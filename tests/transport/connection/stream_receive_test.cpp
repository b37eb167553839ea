#include "transport/connection/stream_receive.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <vector>

using namespace tern;

namespace {

struct Receiver {
    std::vector<uint64_t> memory;
    StreamReceive *stream;
    Receiver()
    {
        flat::Builder builder{nullptr, sizeof(StreamReceive)};
        StreamReceive unused{};
        stream_receive::place(builder, unused);
        memory.resize(builder.used_bytes / 8 + 1);
        stream = reinterpret_cast<StreamReceive *>(memory.data());
        builder = {reinterpret_cast<std::byte *>(memory.data()), sizeof(StreamReceive)};
        stream_receive::place(builder, *stream);
    }
    StreamReceive &operator*() { return *stream; }
};

using Bytes = std::vector<std::byte>;

void append_message(Bytes &bytes, size_t length, int seed)
{
    size_t rest = length;
    for (; rest >= 128; rest >>= 7)
        bytes.push_back(static_cast<std::byte>((rest & 127) | 128));
    bytes.push_back(static_cast<std::byte>(rest));
    for (size_t i = 0; i < length; i += 1)
        bytes.push_back(static_cast<std::byte>(i * 31 + static_cast<size_t>(seed)));
}

Bytes content(std::span<const std::byte> message)
{
    return {message.begin(), message.end()};
}

bool is_broken(std::initializer_list<int> values)
{
    Receiver r;
    Bytes bytes;
    for (int value : values)
        bytes.push_back(static_cast<std::byte>(value));
    stream_receive::store(*r, 0, bytes);
    return stream_receive::peek(*r).broken;
}

}

TEST(StreamReceive, LengthsThatCannotBeAreBroken)
{
    EXPECT_FALSE(is_broken({1}));
    EXPECT_FALSE(is_broken({0x80, 0x80, 0x04})) << "65536";
    EXPECT_FALSE(is_broken({0x80, 0x80}));
    EXPECT_TRUE(is_broken({0}));
    EXPECT_TRUE(is_broken({0x81, 0x80, 0x04})) << "65537";
    EXPECT_TRUE(is_broken({0x85, 0x00})) << "5 in a longer form";
    EXPECT_TRUE(is_broken({0x80, 0x80, 0x80}));
    EXPECT_TRUE(is_broken({0xff, 0xff, 0x7f}));
}

TEST(StreamReceive, OnlyTheWindowFits)
{
    Receiver r;
    EXPECT_TRUE(stream_receive::fits(*r, 0, stream_receive_bytes));
    EXPECT_FALSE(stream_receive::fits(*r, 1, stream_receive_bytes));
    EXPECT_TRUE(stream_receive::fits(*r, stream_receive_bytes - 1, 1));
    EXPECT_FALSE(stream_receive::fits(*r, stream_receive_bytes, 1));
    EXPECT_FALSE(stream_receive::fits(*r, 0xffffffff, 1)) << "below zero";
    EXPECT_FALSE(stream_receive::fits(*r, 0xffffffff, 2)) << "from below zero into the window";
    Bytes bytes;
    append_message(bytes, 10, 0);
    stream_receive::store(*r, 0, bytes);
    stream_receive::consume(*r);
    EXPECT_TRUE(stream_receive::fits(*r, stream_receive_bytes + 10, 1));
    EXPECT_FALSE(stream_receive::fits(*r, stream_receive_bytes + 11, 1));
    EXPECT_TRUE(stream_receive::fits(*r, 0, 5)) << "a duplicate of what was consumed";
}

TEST(StreamReceive, AVisibleMessageIsNotOverwritten)
{
    Receiver r;
    Bytes bytes;
    append_message(bytes, 10, 1);
    stream_receive::store(*r, 0, bytes);
    const Bytes before = content(stream_receive::peek(*r).message);
    const std::span<const std::byte> message = stream_receive::peek(*r).message;
    const Bytes other(40, std::byte{0xee});
    stream_receive::store(*r, 3, other);
    EXPECT_EQ(before, content(message));
}

TEST(StreamReceive, TheSenderNeverOutrunsTheWindow)
{
    // The longest message without its last byte, and a whole window after the acked bytes.
    Receiver r;
    Bytes bytes;
    append_message(bytes, stream_message_bytes_max, 1);
    bytes.pop_back();
    for (size_t at = 0; at < bytes.size(); at += 1000)
        stream_receive::store(
            *r, static_cast<uint32_t>(at),
            std::span(bytes).subspan(at, std::min<size_t>(1000, bytes.size() - at)));
    EXPECT_TRUE(stream_receive::peek(*r).message.empty());
    const auto last = static_cast<uint32_t>(bytes.size() + stream_window_bytes - 1);
    EXPECT_TRUE(stream_receive::fits(*r, last, 1));
}

// The pieces of a long stream arrive out of order, repeated and overlapping.
RC_GTEST_PROP(StreamReceive, GivesEveryMessageOnceAndInOrder, ())
{
    Receiver r;
    const uint64_t start = *rc::gen::element<uint64_t>(0, 262'000, (1ull << 32) - 40'000);
    r.stream->_consumed = r.stream->_arrived = start;
    Bytes bytes;
    std::vector<Bytes> messages;
    const int count = *rc::gen::inRange(1, 30);
    for (int i = 0; i < count; i += 1) {
        const size_t length = *rc::gen::element<size_t>(1, 20, 127, 128, 1000, 9000, 16'384,
                                                        stream_message_bytes_max);
        append_message(bytes, length, i);
        messages.push_back(Bytes(bytes.end() - static_cast<ptrdiff_t>(length), bytes.end()));
    }
    std::vector<bool> here(bytes.size());
    size_t consumed = 0, next = 0, arrived = 0;
    while (next < messages.size()) {
        // Often the first missing piece, so that the loop ends.
        const size_t size = *rc::gen::inRange<size_t>(1, 6000);
        size_t from = arrived;
        if (*rc::gen::inRange(0, 3) > 0) from = *rc::gen::inRange(arrived, arrived + 20'000);
        from -= std::min(from, *rc::gen::inRange<size_t>(0, 100));
        from = std::min(from, bytes.size() - 1);
        const size_t to = std::min({bytes.size(), from + size, consumed + stream_receive_bytes});
        if (from >= to) continue;
        RC_ASSERT(stream_receive::fits(*r, static_cast<uint32_t>(start + from), to - from));
        stream_receive::store(*r, static_cast<uint32_t>(start + from),
                              std::span(bytes).subspan(from, to - from));
        std::fill(here.begin() + static_cast<ptrdiff_t>(from),
                  here.begin() + static_cast<ptrdiff_t>(to), true);
        while (arrived < bytes.size() && here[arrived])
            arrived += 1;
        for (;;) {
            const Peek peek = stream_receive::peek(*r);
            RC_ASSERT(!peek.broken);
            const bool complete = next < messages.size() &&
                                  consumed + peek.length_bytes + messages[next].size() <= arrived &&
                                  !peek.message.empty();
            RC_ASSERT(peek.message.empty() == !complete);
            if (!complete) break;
            RC_ASSERT(content(peek.message) == messages[next]);
            consumed += peek.length_bytes + messages[next].size();
            next += 1;
            stream_receive::consume(*r);
        }
        // The bytes that arrived but were not consumed are less than one message.
        const size_t left = arrived - consumed;
        const bool less_than_one = next == messages.size() || left < messages[next].size() + 3;
        RC_ASSERT(less_than_one);
    }
    RC_ASSERT(consumed == bytes.size());
}

TEST(StreamReceive, ItTellsWhetherBytesWereHereAlready)
{
    Receiver r;
    const Bytes bytes(20, std::byte{1});
    const auto store = [&](uint32_t offset, size_t size) {
        return stream_receive::store(*r, offset, std::span(bytes).first(size));
    };
    EXPECT_TRUE(store(0, 10));
    EXPECT_FALSE(store(0, 10));
    EXPECT_FALSE(store(5, 10)) << "half of them";
    EXPECT_TRUE(store(15, 5));
    EXPECT_TRUE(store(30, 5)) << "behind a gap";
    EXPECT_FALSE(store(30, 5));
    EXPECT_FALSE(store(33, 5));
    EXPECT_FALSE(store(20, 20)) << "the gap and what is behind it";
    EXPECT_TRUE(store(40, 5));
}
