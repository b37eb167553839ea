// One bit for each of the last 262,144 bytes of a stream (arrived, acked or lost). Unlike a list of
// ranges it cannot overflow, whatever pattern of losses the network produces.
#pragma once
#include "base/flat.h"

namespace tern {

inline constexpr size_t bit_ring_bits = 256 * 1024; // No range may be longer.

struct BitRing { // Closed. The bit of an offset lies at offset % bit_ring_bits.
    Flat<uint64_t> _words;
};

namespace bit_ring {

void place(flat::Builder &builder, BitRing &ring);
// Sets (or clears) the bits of [from, to). Returns how many of them changed.
size_t set(BitRing &ring, uint64_t from, uint64_t to);
size_t clear(BitRing &ring, uint64_t from, uint64_t to);
// The first offset in [from, to) whose bit is set (or clear); `to` if there is none.
uint64_t first_set(const BitRing &ring, uint64_t from, uint64_t to);
uint64_t first_clear(const BitRing &ring, uint64_t from, uint64_t to);

}
}
