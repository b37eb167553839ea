#include "sim/network/delay_line.h"
#include "base/assert.h"
#include "base/mistake.h"
#include <algorithm>
#include <cstring>

namespace tern::delay_line {

static bool is_probability(const char *function, const char *name, float value)
{
    if (value >= 0 && value <= 1) return true; // A NaN is neither.
    return mistake::report(function, "Pass a probability from 0 to 1.", "%s is %g.", name,
                           static_cast<double>(value));
}

bool is_right(const Impairment &impairment, const char *function)
{
    if (impairment.latency_ms_min > impairment.latency_ms_max)
        return mistake::report(function, "Make latency_ms_min <= latency_ms_max.",
                               "latency_ms_min is %u and latency_ms_max %u.",
                               impairment.latency_ms_min, impairment.latency_ms_max);
    return is_probability(function, "loss", impairment.loss) &&
           is_probability(function, "duplicate", impairment.duplicate);
}

// The order for std::push_heap, which puts the largest first: the next flight is the largest.
static bool is_later(const Flight &a, const Flight &b)
{
    return a.due_us != b.due_us ? a.due_us > b.due_us : a.sequence > b.sequence;
}

static size_t slots_in_use(const DelayLine &line)
{
    return line._fresh_slots - line._free_slots.size();
}

DelayLine make(const Impairment &impairment, uint64_t seed, uint32_t datagrams_max)
{
    DelayLine line = {};
    line._random = random::from_seed(seed);
    line._impairment = impairment;
    line._datagrams_max = datagrams_max;
    line._heap.reserve(datagrams_max);
    line._free_slots.reserve(datagrams_max);
    line._bytes.reset(static_cast<std::byte *>(
        memory::allocate({}, size_t{datagrams_max} * socket_datagram_bytes_max)));
    TERN_ASSERT(line._bytes, "no memory for %u datagrams", datagrams_max);
    return line;
}

void set_impairment(DelayLine &line, const Impairment &impairment)
{
    line._impairment = impairment;
}

static uint64_t drawn_latency_us(DelayLine &line)
{
    const uint64_t min_us = uint64_t{line._impairment.latency_ms_min} * 1000;
    const uint64_t max_us = uint64_t{line._impairment.latency_ms_max} * 1000;
    return min_us + random::below(line._random, max_us - min_us + 1);
}

static void send_copy(DelayLine &line, uint64_t due_us, const Address &from,
                      const Datagram &datagram)
{
    if (slots_in_use(line) == line._datagrams_max) {
        line._lost += 1;
        return;
    }
    uint32_t slot = line._fresh_slots;
    if (line._free_slots.empty()) {
        line._fresh_slots += 1;
    } else {
        slot = line._free_slots.back();
        line._free_slots.pop_back();
    }
    const size_t size_bytes = datagram.bytes.size();
    if (size_bytes > 0)
        std::memcpy(&line._bytes[size_t{slot} * socket_datagram_bytes_max], datagram.bytes.data(),
                    size_bytes);
    line._heap.push_back(
        {due_us, line._sequence, from, datagram.address, slot, static_cast<uint32_t>(size_bytes)});
    line._sequence += 1;
    std::push_heap(line._heap.begin(), line._heap.end(), is_later);
}

// Draws equally often for each datagram, also for lost ones, so that changing one rate does not
// change the other draws of a seed.
void send(DelayLine &line, uint64_t now_us, const Address &from, const Datagram &datagram)
{
    TERN_ASSERT(datagram.bytes.size() <= socket_datagram_bytes_max, "%zu bytes",
                datagram.bytes.size());
    const double lost = static_cast<double>(line._impairment.loss);
    const bool first_is_lost = random::chance(line._random, lost);
    const bool is_doubled =
        random::chance(line._random, static_cast<double>(line._impairment.duplicate));
    const bool second_is_lost = random::chance(line._random, lost);
    const uint64_t first_due_us = now_us + drawn_latency_us(line);
    const uint64_t second_due_us = now_us + drawn_latency_us(line);
    if (first_is_lost)
        line._lost += 1;
    else
        send_copy(line, first_due_us, from, datagram);
    if (!is_doubled) return;
    line._duplicated += 1;
    if (second_is_lost)
        line._lost += 1;
    else
        send_copy(line, second_due_us, from, datagram);
}

uint64_t next_due_us(const DelayLine &line)
{
    return line._heap.empty() ? UINT64_MAX : line._heap.front().due_us;
}

Flight take(DelayLine &line)
{
    TERN_ASSERT(!line._heap.empty(), "nothing is under way");
    std::pop_heap(line._heap.begin(), line._heap.end(), is_later);
    const Flight flight = line._heap.back();
    line._heap.pop_back();
    return flight;
}

std::span<const std::byte> bytes(const DelayLine &line, const Flight &flight)
{
    return {&line._bytes[size_t{flight.slot} * socket_datagram_bytes_max], flight.size_bytes};
}

void release(DelayLine &line, const Flight &flight)
{
    TERN_ASSERT(line._free_slots.size() < line._fresh_slots, "slot %u is free already",
                flight.slot);
    line._free_slots.push_back(flight.slot);
}

uint64_t lost(const DelayLine &line)
{
    return line._lost;
}

uint64_t duplicated(const DelayLine &line)
{
    return line._duplicated;
}

}
