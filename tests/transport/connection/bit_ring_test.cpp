#include "transport/connection/bit_ring.h"
#include <gtest/gtest.h>
#include <memory>
#include <rapidcheck/gtest.h>
#include <set>
#include <vector>

using namespace tern;

namespace {

struct Placed {
    std::vector<uint64_t> block = std::vector<uint64_t>(bit_ring_bits / 64 + 16);
    BitRing &ring = *reinterpret_cast<BitRing *>(block.data());
    Placed()
    {
        flat::Builder builder{reinterpret_cast<std::byte *>(block.data()), sizeof(BitRing)};
        bit_ring::place(builder, ring);
    }
};

uint64_t first(const std::set<uint64_t> &model, bool wanted, uint64_t from, uint64_t to)
{
    while (from < to && (model.count(from) == 1) != wanted)
        from += 1;
    return from;
}

}

RC_GTEST_PROP(BitRing, AgreesWithASetOfOffsets, ())
{
    Placed placed;
    std::set<uint64_t> model;
    const uint64_t start = *rc::gen::element<uint64_t>(0, 262'000, (1ull << 32) - 500, 1ull << 60);
    const int steps = *rc::gen::inRange(1, 60);
    for (int i = 0; i < steps; i += 1) {
        const uint64_t from = start + *rc::gen::inRange<uint64_t>(0, 1000);
        const uint64_t to = from + *rc::gen::inRange<uint64_t>(0, 300);
        const bool sets = *rc::gen::arbitrary<bool>();
        size_t changed = 0;
        for (uint64_t bit = from; bit < to; bit += 1)
            changed += sets ? model.insert(bit).second : model.erase(bit);
        RC_ASSERT(changed == (sets ? bit_ring::set(placed.ring, from, to)
                                   : bit_ring::clear(placed.ring, from, to)));
        const uint64_t low = start + *rc::gen::inRange<uint64_t>(0, 700);
        const uint64_t high = low + *rc::gen::inRange<uint64_t>(0, 700);
        RC_ASSERT(bit_ring::first_set(placed.ring, low, high) == first(model, true, low, high));
        RC_ASSERT(bit_ring::first_clear(placed.ring, low, high) == first(model, false, low, high));
    }
}

TEST(BitRing, TakesAWholeRoundAtOnce)
{
    Placed placed;
    EXPECT_EQ(bit_ring_bits, bit_ring::set(placed.ring, 77, 77 + bit_ring_bits));
    EXPECT_EQ(77 + bit_ring_bits, bit_ring::first_clear(placed.ring, 77, 77 + bit_ring_bits));
    EXPECT_EQ(bit_ring_bits, bit_ring::clear(placed.ring, 77, 77 + bit_ring_bits));
    EXPECT_EQ(77 + bit_ring_bits, bit_ring::first_set(placed.ring, 77, 77 + bit_ring_bits));
}
