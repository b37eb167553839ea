#include "base/hash.h"
#include <algorithm>
#include <bit>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <set>
#include <string_view>
#include <vector>

using namespace tern;

static uint64_t hash_of(std::string_view text)
{
    return hash::add(hash::start, std::as_bytes(std::span(text.data(), text.size())));
}

TEST(Hash, ValuesAreThoseOfEveryOtherMachine)
{
    // An independent calculation in unbounded integers gave these values. They must never change.
    EXPECT_EQ(hash_of(""), 0xf840b1e851f977a9u);
    EXPECT_EQ(hash_of("tern"), 0xae7edcde14367b16u);
    EXPECT_EQ(hash_of("game object"), 0x6761bb9667c0a72cu);
    EXPECT_EQ(hash::add(hash::start, uint64_t{0x0123456789abcdef}), 0x644872855cf11a82u);
}

TEST(Hash, EightBytesCountAsALittleEndianValue)
{
    const std::byte bytes[] = {std::byte{0xef}, std::byte{0xcd}, std::byte{0xab}, std::byte{0x89},
                               std::byte{0x67}, std::byte{0x45}, std::byte{0x23}, std::byte{0x01}};
    const uint64_t value = hash::add(hash::start, uint64_t{0x0123456789abcdef});
    EXPECT_EQ(hash::add(hash::start, bytes), hash::add(value, uint64_t{8}));
}

template <class T> static uint64_t hash_of_numbers()
{
    const T numbers[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    return hash::add_numbers(hash::start, std::as_bytes(std::span(numbers)), sizeof(T));
}

template <class T> static uint64_t hash_of_little_endian_bytes()
{
    std::vector<std::byte> bytes(11 * sizeof(T));
    for (size_t i = 0; i < 11; ++i)
        bytes[i * sizeof(T)] = static_cast<std::byte>(i + 1);
    return hash::add(hash::start, bytes);
}

TEST(Hash, NumbersCountAsLittleEndianOnes)
{
    EXPECT_EQ(hash_of_numbers<uint8_t>(), hash_of_little_endian_bytes<uint8_t>());
    EXPECT_EQ(hash_of_numbers<uint16_t>(), hash_of_little_endian_bytes<uint16_t>());
    EXPECT_EQ(hash_of_numbers<uint32_t>(), hash_of_little_endian_bytes<uint32_t>());
    EXPECT_EQ(hash_of_numbers<uint64_t>(), hash_of_little_endian_bytes<uint64_t>());
    EXPECT_EQ(hash::add_numbers(hash::start, {}, 8), hash_of(""));
}

TEST(Hash, BytesDoNotDependOnTheirAlignment)
{
    const std::string_view text = "0123456789abcdefghijklmnopq";
    std::byte buffer[64];
    for (size_t shift = 0; shift < 8; ++shift) {
        std::transform(text.begin(), text.end(), buffer + shift,
                       [](char c) { return static_cast<std::byte>(c); });
        EXPECT_EQ(hash::add(hash::start, {buffer + shift, text.size()}), hash_of(text));
    }
}

TEST(Hash, TrailingZerosAndTheSplitOfTheBytesCount)
{
    std::set<uint64_t> seen;
    const std::byte zeros[32] = {};
    for (size_t size = 0; size <= 32; ++size)
        seen.insert(hash::add(hash::start, {zeros, size}));
    EXPECT_EQ(seen.size(), 33u);

    const std::span text = std::as_bytes(std::span("abcdefgh", 8));
    const uint64_t halves = hash::add(hash::add(hash::start, text.first(4)), text.last(4));
    EXPECT_NE(halves, hash::add(hash::start, text));
}

TEST(Hash, OrderOfValuesCounts)
{
    const bool holds = rc::check("swapped values", [](uint64_t a, uint64_t b) {
        RC_PRE(a != b);
        RC_ASSERT(hash::add(hash::add(hash::start, a), b) !=
                  hash::add(hash::add(hash::start, b), a));
    });
    EXPECT_TRUE(holds);
}

TEST(Hash, OneFlippedBitFlipsAboutHalfOfTheHash)
{
    std::vector<std::byte> bytes(100);
    const uint64_t before = hash::add(hash::start, bytes);
    int flipped_sum = 0;
    for (size_t bit = 0; bit < 800; ++bit) {
        bytes[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
        const int flipped = std::popcount(before ^ hash::add(hash::start, bytes));
        bytes[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
        EXPECT_GE(flipped, 10) << "bit " << bit;
        flipped_sum += flipped;
    }
    EXPECT_NEAR(flipped_sum / 800.0, 32, 1);
}

TEST(Hash, NoCollisionAmongAMillionSmallValues)
{
    std::vector<uint64_t> hashes;
    for (uint64_t value = 0; value < 1'000'000; ++value)
        hashes.push_back(hash::add(hash::start, value));
    std::sort(hashes.begin(), hashes.end());
    EXPECT_EQ(std::adjacent_find(hashes.begin(), hashes.end()), hashes.end());

    // A hash table of 2^n places uses the low bits only, so they must be spread well by themselves.
    std::set<uint64_t> low;
    for (uint64_t value = 0; value < 4096; ++value)
        low.insert(hash::add(hash::start, value << 32) & 0xffff);
    EXPECT_GT(low.size(), 3'800u); // A perfect hash gives 3,971 on average.
}
