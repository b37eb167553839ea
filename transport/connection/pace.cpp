#include "transport/connection/pace.h"
#include "tern/limits.hpp"
#include <algorithm>

namespace tern::pace {

namespace {

constexpr uint64_t second_us = 1'000'000;

uint64_t filled(const Pace &pace, uint64_t now_us)
{
    // Even at 1 byte/s a burst fills within this time, and the product below fits 64 bits.
    constexpr uint64_t fill_us_max = 3'000 * second_us;
    const uint64_t since_us = std::min(now_us - pace._filled_us, fill_us_max);
    return std::min(pace._byte_microseconds + since_us * pace._rate_bytes_per_second,
                    pace._burst_bytes * second_us);
}

}

static uint64_t burst_bytes(uint64_t bytes_per_second)
{
    return std::max<uint64_t>(2 * datagram_bytes_max, bytes_per_second / 10);
}

Pace make(uint32_t bytes_per_second, uint64_t now_us)
{
    const uint64_t burst = burst_bytes(bytes_per_second);
    return {bytes_per_second, burst, burst * second_us, now_us};
}

void set_rate(Pace &pace, uint64_t bytes_per_second, uint64_t now_us)
{
    if (bytes_per_second == pace._rate_bytes_per_second) return;
    const uint64_t have = filled(pace, now_us);
    const uint64_t burst = burst_bytes(bytes_per_second);
    pace = {bytes_per_second, burst, std::min(have, burst * second_us), now_us};
}

uint64_t available_bytes(const Pace &pace, uint64_t now_us)
{
    return filled(pace, now_us) / second_us;
}

void spend(Pace &pace, size_t bytes, uint64_t now_us)
{
    const uint64_t have = filled(pace, now_us);
    pace._byte_microseconds = have - std::min(have, bytes * second_us);
    pace._filled_us = now_us;
}

}
