#include "round_trips.h"
#include <algorithm>
#include <cmath>

namespace bot {

static constexpr size_t bucket_count = 1200; // 1.02^1120 us is more than an hour.
static const double bucket_log = std::log(1.02);

void add(RoundTrips &trips, uint32_t rtt_us)
{
    if (trips.buckets.empty()) trips.buckets.resize(bucket_count);
    const double place = std::log(std::max(1.0, static_cast<double>(rtt_us))) / bucket_log;
    trips.buckets[std::min(bucket_count - 1, static_cast<size_t>(place))] += 1;
    trips.count += 1;
    trips.worst_us = std::max(trips.worst_us, rtt_us);
}

void add(RoundTrips &sum, const RoundTrips &other)
{
    if (other.count == 0) return;
    sum.buckets.resize(bucket_count);
    for (size_t i = 0; i < bucket_count; ++i)
        sum.buckets[i] += other.buckets[i];
    sum.count += other.count;
    sum.worst_us = std::max(sum.worst_us, other.worst_us);
}

uint32_t percentile_us(const RoundTrips &trips, double percent)
{
    if (trips.count == 0) return 0;
    const double wanted = static_cast<double>(trips.count) * percent / 100;
    uint64_t below = 0;
    for (size_t i = 0; i < bucket_count; ++i) {
        below += trips.buckets[i];
        if (static_cast<double>(below) < wanted || below == 0) continue;
        const double middle = std::exp((static_cast<double>(i) + 0.5) * bucket_log);
        return std::min(trips.worst_us, static_cast<uint32_t>(middle));
    }
    return trips.worst_us;
}

}
