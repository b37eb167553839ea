// So many times per second, and so many at once: a token bucket that counts.
#pragma once
#include <cstdint>

namespace tern {

struct Allowance { // Closed.
    uint32_t _per_second;
    uint32_t _burst;
    uint64_t _millionths; // What is in it.
    uint64_t _filled_us;
};

namespace allowance {

Allowance make(uint32_t per_second, uint32_t burst); // Full at first.
bool take(Allowance &a, uint64_t now_us);            // False: none left.

}
}
