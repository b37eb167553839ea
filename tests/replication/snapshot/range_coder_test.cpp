#include "base/random.h"
#include "replication/snapshot/range_coder.h"
#include <gtest/gtest.h>
#include <vector>

namespace tern {

namespace {

constexpr unsigned many = 99;
// Symbols with a share of 1, with large shares, and with nearly all; the last gets the rest.
constexpr range_coder::Starts starts = {0,     1,     2,     3,     20,    30,    40,    400,
                                        410,   411,   412,   5000,  6000,  7000,  8000,  9000,
                                        9001,  9002,  9003,  9004,  9005,  9006,  9007,  9008,
                                        29000, 29001, 29002, 29003, 29100, 29200, 32766, 32767};

// A symbol of `starts` if bit_count is `many`, else bit_count bits, or one decision if it is 0.
struct Symbol {
    Probability probability;
    unsigned bit_count;
    uint32_t value;
};

std::vector<Symbol> random_symbols(Random &random, size_t count, double surprising)
{
    std::vector<Symbol> symbols(count);
    for (Symbol &s : symbols) {
        s.probability = static_cast<Probability>(1 + random::below(random, probability_one - 1));
        if (random::chance(random, 0.3)) s.probability = random::chance(random, 0.5) ? 1 : 32767;
        s.bit_count =
            random::chance(random, 0.3) ? 1 + static_cast<unsigned>(random::below(random, 8)) : 0;
        s.value = static_cast<uint32_t>(random::below(random, uint64_t{1} << s.bit_count));
        const double is_false = static_cast<double>(s.probability) / probability_one;
        if (s.bit_count == 0) s.value = random::chance(random, is_false) ? 0 : 1;
        if (s.bit_count == 0 && random::chance(random, surprising)) s.value ^= 1;
        if (random::chance(random, 0.3))
            s = {1, many, static_cast<uint32_t>(random::below(random, 32))};
    }
    return symbols;
}

template <class Coder> bool code(Coder &c, const Symbol &s)
{
    if (s.bit_count == many) return range_coder::code_symbol(c, s.value, starts) == s.value;
    if (s.bit_count > 0) return range_coder::code_bits(c, s.value, s.bit_count) == s.value;
    return range_coder::code(c, s.value != 0, s.probability) == (s.value != 0);
}

size_t write(std::span<const Symbol> symbols, std::span<std::byte> to)
{
    RangeEncoder e = range_coder::encoder(to);
    for (const Symbol &s : symbols)
        code(e, s);
    return range_coder::finish(e);
}

// Expects that exactly these symbols are read from what is written of them.
void expect_read_back(std::span<const Symbol> symbols)
{
    std::vector<std::byte> bytes(4096);
    bytes.resize(write(symbols, bytes));
    RangeDecoder d = range_coder::decoder(bytes);
    for (const Symbol &s : symbols)
        ASSERT_TRUE(code(d, s));
    ASSERT_TRUE(range_coder::complete(d));
}

}

TEST(RangeCoder, WhatIsWrittenIsRead)
{
    Random random = random::from_seed(1);
    for (int trial = 0; trial < 3000; ++trial) {
        expect_read_back(
            random_symbols(random, random::below(random, 300), trial % 3 == 0 ? 0.5 : 0));
        if (HasFatalFailure()) return;
    }
}

TEST(RangeCoder, CarriesRunThroughAllBytesThatAreHeld)
{
    // Encodes the upper end of the range again and again, which holds back bytes of 255 that a
    // carry can still change.
    for (unsigned length = 1; length < 60; ++length)
        for (uint32_t last = 0; last < 2; ++last) {
            std::vector<Symbol> symbols(length, Symbol{1, 0, 1});
            for (Symbol &s : symbols)
                s = {0, 8, 255};
            symbols.push_back({Probability{1}, 0, last});
            symbols.push_back({Probability{32767}, 0, 1});
            expect_read_back(symbols);
            if (HasFatalFailure()) return;
        }
}

TEST(RangeCoder, TakesAboutAsManyBitsAsChancesSay)
{
    Random random = random::from_seed(2);
    std::vector<std::byte> bytes(4096);
    // A decision with a probability of 0.9 takes 0.469 bits on average.
    std::vector<Symbol> symbols(8000, Symbol{29491, 0, 0});
    for (Symbol &s : symbols)
        s.value = random::chance(random, 0.9) ? 0 : 1;
    const double size = static_cast<double>(write(symbols, bytes));
    EXPECT_NEAR(size, 8000 * 0.469 / 8, 15);
}

TEST(RangeCoder, WhatDoesNotFitIsNotThere)
{
    Random random = random::from_seed(3);
    for (int trial = 0; trial < 500; ++trial) {
        const auto symbols = random_symbols(random, 200, 0.3);
        std::vector<std::byte> whole(1024), bytes(random::below(random, 60));
        const size_t size = write(symbols, whole);
        EXPECT_EQ(write(symbols, bytes), size <= bytes.size() ? size : 0);
        RangeEncoder e = range_coder::encoder(bytes);
        size_t count = 0;
        for (; count < symbols.size(); ++count) {
            const RangeEncoder before = e;
            code(e, symbols[count]);
            if (range_coder::fits(e)) continue;
            e = before;
            break;
        }
        bytes.resize(range_coder::finish(e));
        RangeDecoder d = range_coder::decoder(bytes);
        for (size_t i = 0; i < count; ++i)
            ASSERT_TRUE(code(d, symbols[i]));
        ASSERT_TRUE(count == 0 || range_coder::complete(d));
    }
}

TEST(RangeCoder, BytesThatAreMissingOrLeftAreNoticed)
{
    Random random = random::from_seed(5);
    const auto symbols = random_symbols(random, 400, 0.3);
    std::vector<std::byte> bytes(1024);
    bytes.resize(write(symbols, bytes));
    const auto read = [&](std::span<const std::byte> from) {
        RangeDecoder d = range_coder::decoder(from);
        for (const Symbol &s : symbols)
            code(d, s);
        return range_coder::complete(d);
    };
    EXPECT_TRUE(read(bytes));
    EXPECT_FALSE(read(std::span(bytes).first(bytes.size() - 9)));
    bytes.resize(bytes.size() + 5);
    EXPECT_FALSE(read(bytes));
}

}
