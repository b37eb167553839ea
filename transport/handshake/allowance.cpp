#include "transport/handshake/allowance.h"
#include <algorithm>

namespace tern::allowance {

static constexpr uint64_t one = 1'000'000;

Allowance make(uint32_t per_second, uint32_t burst)
{
    return {per_second, burst, burst * one, 0};
}

static void fill(Allowance &a, uint64_t now_us)
{
    const uint64_t full = a._burst * one;
    // A bucket is full after burst / per_second seconds. A longer pause is cut, so that the product
    // below cannot overflow.
    const uint64_t since_us =
        std::min(now_us - a._filled_us, full / std::max(a._per_second, 1u) + 1);
    a._millionths = std::min(a._millionths + since_us * a._per_second, full);
    a._filled_us = now_us;
}

bool take(Allowance &a, uint64_t now_us, uint32_t tokens)
{
    fill(a, now_us);
    if (a._millionths < tokens * one) return false;
    a._millionths -= tokens * one;
    return true;
}

uint32_t left(Allowance &a, uint64_t now_us)
{
    fill(a, now_us);
    return static_cast<uint32_t>(a._millionths / one);
}

}
