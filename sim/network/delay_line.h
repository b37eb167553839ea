// A queue of datagrams under way. A seeded generator decides whether a datagram is lost or
// duplicated, and its delay. Datagrams come out when they are due, and those with equal times in
// sending order.
#pragma once
#include "base/memory.h"
#include "base/random.h"
#include "tern/sim.hpp"
#include <memory>
#include <vector>

namespace tern {

struct Flight {
    uint64_t due_us;
    uint64_t sequence;
    Address from, to;
    uint32_t slot; // See delay_line::bytes().
    uint32_t size_bytes;
};

struct ReleaseMemory {
    void operator()(std::byte *bytes) const { memory::release({}, bytes); }
};

struct DelayLine { // Closed.
    Random _random;
    Impairment _impairment;
    uint32_t _datagrams_max; // Slots, including those taken out and not released; beyond, lost.
    uint64_t _sequence;
    uint64_t _lost;
    uint64_t _duplicated;
    std::vector<Flight> _heap; // The next to come out is first.
    std::vector<uint32_t> _free_slots;
    uint32_t _fresh_slots;                              // Slots from this one on were never used.
    std::unique_ptr<std::byte[], ReleaseMemory> _bytes; // socket_datagram_bytes_max for each slot.
};

namespace delay_line {

// Whether each number is in its range. If one is not, it is reported as a mistake in the call of
// `function`.
bool is_right(const Impairment &impairment, const char *function);
// Allocates all memory. Pages of slots that are never used are never touched.
DelayLine make(const Impairment &impairment, uint64_t seed, uint32_t datagrams_max);
void set_impairment(DelayLine &line, const Impairment &impairment);
// Copies the bytes; asserts that there are at most socket_datagram_bytes_max.
void send(DelayLine &line, uint64_t now_us, const Address &from, const Datagram &datagram);
uint64_t next_due_us(const DelayLine &line); // UINT64_MAX: nothing is under way.
Flight take(DelayLine &line);                // The next one. Asserts that there is one.
std::span<const std::byte> bytes(const DelayLine &line, const Flight &flight);
void release(DelayLine &line, const Flight &flight); // Ends the life of its bytes.
// Datagrams lost by chance or for want of a slot. Both copies of a duplicated one count.
uint64_t lost(const DelayLine &line);
uint64_t duplicated(const DelayLine &line);

}
}
