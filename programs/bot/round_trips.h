// The distribution of round trips, counted in buckets, each 2 % wider than the one before.
#pragma once
#include <cstdint>
#include <vector>

namespace bot {

struct RoundTrips {
    std::vector<uint64_t> buckets; // Empty before the first add().
    uint64_t count = 0;
    uint32_t worst_us = 0;
};

void add(RoundTrips &trips, uint32_t rtt_us);
void add(RoundTrips &sum, const RoundTrips &other);
// The time that `percent` of the round trips did not exceed, exact to 2 %. 0 if there are none.
uint32_t percentile_us(const RoundTrips &trips, double percent);

}
