#include "base/bits.h"
#include "base/random.h"
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <vector>

using namespace tern;

TEST(Bits, TheFirstBitIsTheLowestOfTheFirstByte)
{
    std::byte buffer[2] = {std::byte{0xff}, std::byte{0xff}};
    BitWriter w = bits::writer(buffer);
    bits::write(w, 1, 1);
    bits::write(w, 0, 2);
    bits::write(w, 0x1ff, 9);
    EXPECT_EQ(std::to_integer<int>(buffer[0]), 0xf9);
    EXPECT_EQ(std::to_integer<int>(buffer[1]), 0x0f);
    EXPECT_EQ(bits::size_bytes(w), 2u);
}

TEST(Bits, AVarintHasOneForm)
{
    const std::byte longer[] = {std::byte{0x81}, std::byte{0x00}};
    BitReader r = bits::reader(longer);
    bits::read_varint(r);
    EXPECT_TRUE(bits::failed(r));
    std::vector<std::byte> endless(12, std::byte{0xff});
    r = bits::reader(endless);
    bits::read_varint(r);
    EXPECT_TRUE(bits::failed(r));
    const std::byte beyond[] = {std::byte{0xff}, std::byte{0xff}, std::byte{0xff}, std::byte{0xff},
                                std::byte{0xff}, std::byte{0xff}, std::byte{0xff}, std::byte{0xff},
                                std::byte{0xff}, std::byte{0x02}};
    r = bits::reader(beyond);
    bits::read_varint(r);
    EXPECT_TRUE(bits::failed(r));
}

TEST(Bits, BitsAreCopiedFromAnyBitToAnyBit)
{
    Random random = random::from_seed(11);
    for (int round = 0; round < 20'000; ++round) {
        std::byte from[72], to[64], bitwise[64];
        for (std::byte &b : from)
            b = static_cast<std::byte>(random::below(random, 256));
        const size_t size = 1 + random::below(random, 64);
        const size_t before = random::below(random, size * 8);
        const size_t first = random::below(random, 64);
        const size_t count = random::below(random, 64 * 8 - first);
        BitWriter w = bits::writer({to, size}), b = bits::writer({bitwise, size});
        for (size_t i = 0; i < before; ++i) {
            bits::write_bool(w, i % 3 == 0);
            bits::write_bool(b, i % 3 == 0);
        }
        bits::write_bits(w, from, first, count);
        for (size_t i = 0; i < count; ++i)
            bits::write_bool(b, (from[(first + i) / 8] >> (first + i) % 8 & std::byte{1}) !=
                                    std::byte{0});
        ASSERT_EQ(bits::overflow(w), bits::overflow(b)) << round;
        ASSERT_EQ(bits::overflow(w), before + count > size * 8) << round;
        if (bits::overflow(w)) continue;
        ASSERT_EQ(bits::bit_count(w), bits::bit_count(b)) << round;
        ASSERT_EQ(std::memcmp(to, bitwise, bits::size_bytes(w)), 0) << round;
    }
}

TEST(Bits, OverflowSticksAndRewindTakesItBack)
{
    std::byte buffer[1];
    BitWriter w = bits::writer(buffer);
    bits::write(w, 5, 3);
    bits::write(w, 0, 6);
    EXPECT_TRUE(bits::overflow(w));
    bits::write(w, 1, 1);
    EXPECT_EQ(bits::bit_count(w), 3u);
    bits::rewind(w, 2);
    EXPECT_FALSE(bits::overflow(w));
    EXPECT_EQ(std::to_integer<int>(buffer[0]), 1);
}

TEST(Bits, CompleteWantsNothingButZerosToTheEnd)
{
    const std::byte zeros[] = {std::byte{0x03}};
    BitReader r = bits::reader(zeros);
    bits::read(r, 2);
    EXPECT_TRUE(bits::complete(r));
    r = bits::reader(zeros);
    bits::read(r, 1);
    EXPECT_FALSE(bits::complete(r)); // An unread bit is 1.
    const std::byte more[] = {std::byte{0x03}, std::byte{0x00}};
    r = bits::reader(more);
    bits::read(r, 2);
    EXPECT_FALSE(bits::complete(r)); // A whole byte is unread.
}

TEST(Bits, SkippingBeyondTheEndFails)
{
    const std::byte bytes[] = {std::byte{0x81}, std::byte{0x03}};
    BitReader r = bits::reader(bytes);
    bits::skip(r, 7);
    EXPECT_EQ(bits::read(r, 3), 7u);
    bits::skip(r, 6);
    EXPECT_FALSE(bits::failed(r));
    bits::skip(r, 1);
    EXPECT_TRUE(bits::failed(r));
}

RC_GTEST_PROP(Bits, WhatIsWrittenIsRead, (const std::vector<std::pair<uint64_t, uint8_t>> &items))
{
    std::vector<std::byte> buffer(items.size() * 20 + 1);
    BitWriter w = bits::writer(buffer);
    for (const auto &[value, kind] : items) {
        const unsigned width = kind % 65u;
        const uint64_t cut = width == 64 ? value : value & ((1ull << width) - 1);
        bits::write(w, cut, width);
        bits::write_varint(w, value >> kind % 64u);
        bits::write_bytes(w, std::as_bytes(std::span(&kind, 1)));
    }
    RC_ASSERT(!bits::overflow(w));
    BitReader r = bits::reader(std::span(buffer).first(bits::size_bytes(w)));
    for (const auto &[value, kind] : items) {
        const unsigned width = kind % 65u;
        const uint64_t cut = width == 64 ? value : value & ((1ull << width) - 1);
        RC_ASSERT(bits::read(r, width) == cut);
        RC_ASSERT(bits::read_varint(r) == value >> kind % 64u);
        uint8_t read = 0;
        bits::read_bytes(r, std::as_writable_bytes(std::span(&read, 1)));
        RC_ASSERT(read == kind);
    }
    RC_ASSERT(bits::complete(r));
}

RC_GTEST_PROP(Bits, ReadingBeyondTheEndFailsAndGivesZero, (uint8_t size, uint8_t width))
{
    std::vector<std::byte> buffer(size % 16, std::byte{0xff});
    const unsigned bit_count = width % 65u;
    BitReader r = bits::reader(buffer);
    const uint64_t value = bits::read(r, bit_count);
    const bool beyond = bit_count > buffer.size() * 8;
    RC_ASSERT(bits::failed(r) == beyond);
    if (beyond) RC_ASSERT(value == 0u);
}
