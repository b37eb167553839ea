// A byte budget: a token bucket that fills at a steady rate.
#pragma once
#include "tern/types.hpp"

namespace tern {

struct Pace { // Closed.
    uint64_t _rate_bytes_per_second;
    uint64_t _burst_bytes;
    uint64_t _byte_microseconds; // The fill of the bucket at _filled_us, in millionths of a byte.
    uint64_t _filled_us;
};

namespace pace {

// The bucket starts full. It holds a burst: the bytes of a tenth of a second, but at least two
// datagrams.
Pace make(uint32_t bytes_per_second, uint64_t now_us);
// Keeps the fill, up to the new burst.
void set_rate(Pace &pace, uint64_t bytes_per_second, uint64_t now_us);
uint64_t available_bytes(const Pace &pace, uint64_t now_us);
// Takes bytes out of the bucket; it becomes empty if it holds fewer.
void spend(Pace &pace, size_t bytes, uint64_t now_us);

}
}
