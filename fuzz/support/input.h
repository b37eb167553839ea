// Takes the numbers and bytes that a target needs from the front of a fuzzer's input.
#pragma once
#include "base/assert.h"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tern::fuzz {

struct Input { // Open. Reads beyond the end give zeros.
    std::span<const uint8_t> rest;
};

namespace input {

inline bool empty(const Input &in)
{
    return in.rest.empty();
}

inline uint8_t u8(Input &in)
{
    if (in.rest.empty()) return 0;
    const uint8_t value = in.rest[0];
    in.rest = in.rest.subspan(1);
    return value;
}

inline uint16_t u16(Input &in)
{
    const unsigned low = u8(in);
    return static_cast<uint16_t>(low | static_cast<unsigned>(u8(in)) << 8);
}

inline uint32_t u32(Input &in)
{
    const uint32_t low = u16(in);
    return low | static_cast<uint32_t>(u16(in)) << 16;
}

inline uint64_t u64(Input &in)
{
    const uint64_t low = u32(in);
    return low | static_cast<uint64_t>(u32(in)) << 32;
}

// Returns up to count_max bytes; fewer at the end of the input.
inline std::span<const uint8_t> bytes(Input &in, size_t count_max)
{
    const std::span<const uint8_t> taken = in.rest.first(std::min(count_max, in.rest.size()));
    in.rest = in.rest.subspan(taken.size());
    return taken;
}

inline std::span<const std::byte> all(Input &in)
{
    return std::as_bytes(bytes(in, in.rest.size()));
}

}
}
