#pragma once
#include <iterator>
#include <numeric>
#include <tern/types.h>

namespace tern {

inline uint64_t breach_count(const Stats &stats) // Of all kinds.
{
    return std::accumulate(std::begin(stats.breaches), std::end(stats.breaches), uint64_t{0});
}

}
