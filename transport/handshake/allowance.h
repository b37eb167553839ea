// A token bucket: limits how often something may happen per second, and how often at once.
#pragma once
#include <cstdint>

namespace tern {

struct Allowance { // Closed.
    uint32_t _per_second;
    uint32_t _burst;
    uint64_t _millionths; // Content of the bucket, in millionths of a token.
    uint64_t _filled_us;
};

namespace allowance {

Allowance make(uint32_t per_second, uint32_t burst); // Begins full, with `burst` tokens.
// Takes the tokens. False if there are fewer.
bool take(Allowance &a, uint64_t now_us, uint32_t tokens = 1);
uint32_t left(Allowance &a, uint64_t now_us); // The tokens that are there.

}
}
