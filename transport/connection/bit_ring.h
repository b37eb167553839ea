// One bit for each of the last 262,144 bytes of a stream: arrived, acked, lost. It cannot be full,
// whatever ranges the network makes of a stream.
#pragma once
#include "base/flat.h"

namespace tern {

inline constexpr size_t bit_ring_bits = 256 * 1024; // A range never spans more than this.

struct BitRing { // Closed. The bit of an offset lies at offset % bit_ring_bits.
    Flat<uint64_t> _words;
};

namespace bit_ring {

void place(flat::Builder &builder, BitRing &ring);
// The bits of [from, to). The answer: how many of them changed.
size_t set(BitRing &ring, uint64_t from, uint64_t to);
size_t clear(BitRing &ring, uint64_t from, uint64_t to);
// The first offset in [from, to) whose bit is set (or clear); `to` if there is none.
uint64_t first_set(const BitRing &ring, uint64_t from, uint64_t to);
uint64_t first_clear(const BitRing &ring, uint64_t from, uint64_t to);

}
}
