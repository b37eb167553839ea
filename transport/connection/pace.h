// A byte budget: a token bucket that fills at a steady rate.
#pragma once
#include "tern/types.h"

namespace tern {

struct Pace { // Closed.
    uint64_t _rate_bytes_per_second;
    uint64_t _burst_bytes;
    uint64_t _byte_microseconds; // What is in it, in millionths of a byte.
    uint64_t _filled_us;
};

namespace pace {

// Full at first. A burst is two datagrams or what a tenth of a second brings.
Pace make(uint32_t bytes_per_second, uint64_t now_us);
// What is in it stays, up to a burst.
void set_rate(Pace &pace, uint64_t bytes_per_second, uint64_t now_us);
uint64_t available_bytes(const Pace &pace, uint64_t now_us);
void spend(Pace &pace, size_t bytes, uint64_t now_us); // More than there is: down to nothing.

}
}
