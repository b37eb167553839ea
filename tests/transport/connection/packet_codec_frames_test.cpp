#include "tests/transport/connection/bytes.h"
#include "transport/connection/packet_codec.h"
#include "transport/little_endian.h"
#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <vector>

using namespace tern;
using connection_test::Bytes, connection_test::bytes;

namespace {

// Reads all frames and writes each again. Returns an empty vector if any is malformed.
Bytes rewritten(const Bytes &content)
{
    FrameReader reader = frames::reader(content);
    Bytes result;
    for (;;) {
        const Frame frame = frames::next(reader);
        if (frame.kind == FrameKind::none) break;
        Bytes to(2000);
        size_t size = 0;
        if (frame.kind == FrameKind::ack) {
            Ack ack{frame.low, frame.delay_units, static_cast<uint8_t>(frame.bytes.size()), {}};
            std::copy(frame.bytes.begin(), frame.bytes.end(), ack.bitmap);
            size = frames::write_ack(to, ack);
        }
        if (frames::is_chunk(frame.kind))
            size = frames::write_chunk_header(to, frames::stream(frame.kind), frame.low,
                                              frame.bytes.size());
        if (frame.kind == FrameKind::ping) size = frames::write_ping(to);
        if (frame.kind == FrameKind::close) size = frames::write_close(to, frame.reason);
        if (frame.kind == FrameKind::padding)
            size = frames::write_padding(std::span(to).first(1 + frame.bytes.size()));
        if (frames::is_unreliable(frame.kind))
            size = frames::write_unreliable_header(to, frames::unreliable_kind(frame.kind),
                                                   frame.bytes.size());
        to.resize(size);
        if (frames::is_chunk(frame.kind) || frames::is_unreliable(frame.kind))
            to.insert(to.end(), frame.bytes.begin(), frame.bytes.end());
        const bool is_last =
            frame.bytes.data() + frame.bytes.size() == content.data() + content.size();
        if (frames::is_unreliable(frame.kind) && !is_last) {
            to.resize(to.size() + unreliable_length_bytes);
            const size_t frame_bytes = size + frame.bytes.size();
            to.resize(frame_bytes + frames::put_length(to, frame_bytes));
        }
        result.insert(result.end(), to.begin(), to.end());
    }
    return frames::failed(reader) ? Bytes{} : result;
}

bool is_malformed(const Bytes &content)
{
    return rewritten(content).empty();
}

const Bytes whole = bytes({1,    4, 3,    2, 1, 9,    0, 1, 0x80, // ack
                           2,    5, 0,    0, 0, 2,    0, 7, 7,    // world
                           3,    1, 0,    0, 0, 1,    0, 8,       // calls
                           4,    5, 2,                            // ping, close
                           0x41, 1, 0x82, 2, 2, 0x61, 3,          // updates, clock, call
                           6,    0, 0});                          // padding

}

TEST(Frames, TheBytesOfEveryKind)
{
    FrameReader reader = frames::reader(whole);
    Frame f = frames::next(reader);
    EXPECT_EQ(FrameKind::ack, f.kind);
    EXPECT_EQ(0x01020304u, f.low);
    EXPECT_EQ(9u, f.delay_units);
    EXPECT_EQ(std::byte{0x80}, f.bytes[0]);
    f = frames::next(reader);
    EXPECT_EQ(FrameKind::world_chunk, f.kind);
    EXPECT_EQ(5u, f.low);
    EXPECT_EQ(2u, f.bytes.size());
    EXPECT_EQ(FrameKind::calls_chunk, frames::next(reader).kind);
    EXPECT_EQ(FrameKind::ping, frames::next(reader).kind);
    EXPECT_EQ(CloseReason::removed, frames::next(reader).reason);
    EXPECT_EQ(UnreliableKind::updates, frames::unreliable_kind(frames::next(reader).kind));
    EXPECT_EQ(UnreliableKind::notice, frames::unreliable_kind(frames::next(reader).kind));
    EXPECT_EQ(UnreliableKind::call, frames::unreliable_kind(frames::next(reader).kind));
    f = frames::next(reader);
    EXPECT_EQ(FrameKind::padding, f.kind);
    EXPECT_EQ(2u, f.bytes.size());
    EXPECT_EQ(FrameKind::none, frames::next(reader).kind);
    EXPECT_FALSE(frames::failed(reader));
    EXPECT_EQ(whole, rewritten(whole));
}

TEST(Frames, PaddingFillsItsSpanAndNoByteMore)
{
    for (const size_t size : {1u, 2u, 8u}) {
        Bytes to(size + 2, std::byte{0x55});
        EXPECT_EQ(size, frames::write_padding(std::span(to).subspan(1, size)));
        EXPECT_EQ(std::byte{0x55}, to.front());
        EXPECT_EQ(std::byte{0x55}, to.back());
        for (size_t i = 2; i <= size; ++i)
            EXPECT_EQ(std::byte{0}, to[i]) << i;
    }
}

TEST(Frames, PaddingIsZerosToTheEnd)
{
    EXPECT_FALSE(is_malformed(bytes({6})));
    EXPECT_FALSE(is_malformed(bytes({4, 6, 0, 0, 0})));
    EXPECT_TRUE(is_malformed(bytes({4, 6, 0, 1, 0})));
    EXPECT_TRUE(is_malformed(bytes({6, 0, 4})));
    EXPECT_TRUE(is_malformed(bytes({6, 6})));
}

TEST(Frames, AnUnreliableMessageHasThreeBytesOfHeaderIfItIsLongAndNotTheLast)
{
    for (const size_t size : {1u, 30u, 31u, 32u, 255u, 256u, 1100u}) {
        for (unsigned kind = 0; kind < 7; kind += 1) {
            Bytes content(size <= 30 ? 1 : 3, static_cast<std::byte>(32 + 32 * kind));
            if (size <= 30) content[0] |= static_cast<std::byte>(size);
            if (size > 30) content[1] = static_cast<std::byte>(size);
            if (size > 30) content[2] = static_cast<std::byte>(size / 256);
            content.resize(content.size() + size, std::byte{7});
            EXPECT_EQ(is_malformed(content), size > 30) << "the last has no length";
            content.insert(content.end(), {std::byte{0x41}, std::byte{9}});
            FrameReader reader = frames::reader(content);
            const Frame frame = frames::next(reader);
            ASSERT_TRUE(frames::is_unreliable(frame.kind)) << size << " " << kind;
            EXPECT_EQ(static_cast<unsigned>(frames::unreliable_kind(frame.kind)), kind);
            EXPECT_EQ(frame.bytes.size(), size);
            EXPECT_EQ(rewritten(content), content);
            content.pop_back();
            EXPECT_TRUE(is_malformed(content)) << size;
        }
    }
}

TEST(Frames, TheLastUnreliableMessageGoesToTheEndIfItIsLong)
{
    for (const size_t size : {1u, 30u, 31u, 32u, 1100u}) {
        Bytes content = bytes({4, 0x5f});
        content.resize(content.size() + size, std::byte{7});
        EXPECT_EQ(is_malformed(content), size <= 30) << size;
        if (size <= 30) continue;
        EXPECT_EQ(rewritten(content), content);
        FrameReader reader = frames::reader(content);
        frames::next(reader);
        EXPECT_EQ(frames::next(reader).bytes.size(), size);
    }
}

TEST(Frames, AnyCutThatIsNotBetweenFramesIsMalformed)
{
    const std::vector<size_t> ends{9, 18, 26, 27, 29, 31, 34, 36, 37, 38};
    for (size_t size = 0; size < whole.size(); size += 1) {
        const Bytes cut(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size));
        const bool at_end = std::count(ends.begin(), ends.end(), size) > 0;
        EXPECT_EQ(!at_end, is_malformed(cut)) << size;
    }
}

TEST(Frames, WhatHasAnotherFormIsMalformed)
{
    EXPECT_TRUE(is_malformed({}));
    EXPECT_TRUE(is_malformed(bytes({0})));
    EXPECT_TRUE(is_malformed(bytes({9})));
    EXPECT_TRUE(is_malformed(bytes({255})));
    EXPECT_TRUE(is_malformed(bytes({4, 0}))) << "padding";
    EXPECT_TRUE(is_malformed(bytes({1, 9, 0, 0, 0, 0, 0, 1, 0}))) << "a bitmap byte for nothing";
    EXPECT_TRUE(is_malformed(bytes({2, 0, 0, 0, 0, 0, 0}))) << "an empty chunk";
    EXPECT_TRUE(is_malformed(bytes({0x40, 0, 0}))) << "an empty message";
    EXPECT_TRUE(is_malformed(bytes({0x40, 1, 0, 1}))) << "a length that has a shorter form";
    for (const int unused : {6, 11, 12, 63})
        EXPECT_TRUE(is_malformed(bytes({unused, 1, 0, 1}))) << unused;
    EXPECT_TRUE(is_malformed(bytes({5, 0}))) << "no reason";
    EXPECT_TRUE(is_malformed(bytes({5, 7}))) << "an unknown reason";
}

TEST(Frames, KindsOutOfOrderOrTooManyAreMalformed)
{
    EXPECT_FALSE(is_malformed(bytes({4})));
    EXPECT_TRUE(is_malformed(bytes({4, 4})));
    EXPECT_TRUE(is_malformed(bytes({5, 1, 5, 1})));
    EXPECT_TRUE(is_malformed(bytes({5, 1, 4})));
    EXPECT_TRUE(is_malformed(bytes({4, 1, 0, 0, 0, 0, 0, 0, 0})));
    EXPECT_TRUE(is_malformed(bytes({0x41, 1, 4})));
    EXPECT_FALSE(is_malformed(bytes({3, 0, 0, 0, 0, 1, 0, 1, 2, 0, 0, 0, 0, 1, 0, 1})));
}

TEST(Frames, ABitmapOf65BytesIsMalformed)
{
    for (size_t count : {64u, 65u}) {
        Bytes content = bytes({1, 0, 4, 0, 0, 0, 0, static_cast<int>(count)});
        content.resize(content.size() + count, std::byte{0xff});
        EXPECT_EQ(count == 65, is_malformed(content));
    }
}

// Frames that can be read are written back to identical bytes, because each has one encoding.
RC_GTEST_PROP(Frames, WhatIsReadHasOneEncoding, (std::vector<uint8_t> noise))
{
    Bytes content = whole;
    const size_t cut = *rc::gen::inRange<size_t>(0, whole.size());
    content.erase(content.begin(), content.begin() + static_cast<ptrdiff_t>(cut));
    for (size_t i = 0; i + 1 < noise.size(); i += 2)
        if (!content.empty()) content[noise[i] % content.size()] = std::byte{noise[i + 1]};
    const Bytes again = rewritten(content);
    if (!again.empty()) RC_ASSERT(again == content);
}

TEST(LittleEndian, RebuildsTheNearestNumber)
{
    using little_endian::rebuilt;
    EXPECT_EQ(5u, rebuilt(5, 0));
    EXPECT_EQ((1ull << 32) + 2, rebuilt(2, (1ull << 32) - 3));
    EXPECT_EQ((1ull << 32) - 3, rebuilt(0xfffffffd, (1ull << 32) + 7));
    EXPECT_GT(rebuilt(0xffffffff, 0), 1ull << 63) << "below zero";
    EXPECT_EQ((1ull << 60) - 1, rebuilt(0xffffffff, 1ull << 60));
}
