#include "transport/connection/bit_ring.h"
#include <algorithm>
#include <bit>

namespace tern::bit_ring {

namespace {

constexpr size_t word_count = bit_ring_bits / 64;

// The part of [from, to) that lies in the word of `from`.
struct Part {
    size_t word;
    uint64_t mask;
    uint64_t end;
};

Part first_part(uint64_t from, uint64_t to)
{
    const uint64_t end = std::min(to, (from / 64 + 1) * 64);
    const uint64_t ones = end - from == 64 ? ~0ull : (1ull << (end - from)) - 1;
    return {static_cast<size_t>(from / 64 % word_count), ones << from % 64, end};
}

uint64_t first(const BitRing &ring, uint64_t from, uint64_t to, uint64_t flip)
{
    TERN_ASSERT(from <= to && to - from <= bit_ring_bits, "%zu bits",
                static_cast<size_t>(to - from));
    while (from < to) {
        const Part part = first_part(from, to);
        const uint64_t found = (ring._words[part.word] ^ flip) & part.mask;
        if (found != 0) return from / 64 * 64 + static_cast<unsigned>(std::countr_zero(found));
        from = part.end;
    }
    return to;
}

}

void place(flat::Builder &builder, BitRing &ring)
{
    flat::place(builder, ring._words, word_count, word_count);
}

size_t set(BitRing &ring, uint64_t from, uint64_t to)
{
    TERN_ASSERT(from <= to && to - from <= bit_ring_bits, "%zu bits",
                static_cast<size_t>(to - from));
    size_t changed = 0;
    while (from < to) {
        const Part part = first_part(from, to);
        uint64_t &word = ring._words[part.word];
        changed += static_cast<size_t>(std::popcount(~word & part.mask));
        word |= part.mask;
        from = part.end;
    }
    return changed;
}

size_t clear(BitRing &ring, uint64_t from, uint64_t to)
{
    TERN_ASSERT(from <= to && to - from <= bit_ring_bits, "%zu bits",
                static_cast<size_t>(to - from));
    size_t changed = 0;
    while (from < to) {
        const Part part = first_part(from, to);
        uint64_t &word = ring._words[part.word];
        changed += static_cast<size_t>(std::popcount(word & part.mask));
        word &= ~part.mask;
        from = part.end;
    }
    return changed;
}

uint64_t first_set(const BitRing &ring, uint64_t from, uint64_t to)
{
    return first(ring, from, to, 0);
}

uint64_t first_clear(const BitRing &ring, uint64_t from, uint64_t to)
{
    return first(ring, from, to, ~0ull);
}

}
