// Datagrams under way: each may be lost or doubled and is delayed by a seeded generator. What is
// due comes out in order of time, and of sending where times are equal.
#pragma once
#include "base/random.h"
#include "tern/sim.h"
#include <memory>
#include <vector>

namespace tern {

struct Flight {
    uint64_t due_us;
    uint64_t sequence;
    Address from, to;
    uint32_t slot; // Where its bytes are.
    uint32_t size_bytes;
};

struct DelayLine { // Closed.
    Random _random;
    Impairment _impairment;
    uint32_t _datagrams_max; // With a slot, taken out or not; what comes beyond is lost.
    uint64_t _sequence;
    uint64_t _lost;
    uint64_t _duplicated;
    std::vector<Flight> _heap; // The next one first.
    std::vector<uint32_t> _free_slots;
    uint32_t _fresh_slots;               // From here on no slot has been used yet.
    std::unique_ptr<std::byte[]> _bytes; // socket_datagram_bytes_max for each slot.
};

namespace delay_line {

// All memory is taken here; what is never used is never touched.
DelayLine make(const Impairment &impairment, uint64_t seed, uint32_t datagrams_max);
void set_impairment(DelayLine &line, const Impairment &impairment);
// Copies the bytes, at most socket_datagram_bytes_max.
void send(DelayLine &line, uint64_t now_us, const Address &from, const Datagram &datagram);
uint64_t next_due_us(const DelayLine &line); // UINT64_MAX: nothing is under way.
Flight take(DelayLine &line);                // The next; there must be one.
std::span<const std::byte> bytes(const DelayLine &line, const Flight &flight);
void release(DelayLine &line, const Flight &flight); // Of one taken: its bytes are gone.
uint64_t lost(const DelayLine &line); // By chance or for want of a slot. Of a doubled one, each.
uint64_t duplicated(const DelayLine &line);

}
}
