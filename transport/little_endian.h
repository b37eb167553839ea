// Stores and loads whole bytes, least significant first. Packet headers and frames use this instead
// of bits.h because they are byte-aligned and on the hot path.
#pragma once
#include <cstddef>
#include <cstdint>

namespace tern::little_endian {

inline void store16(std::byte *to, uint16_t value)
{
    to[0] = static_cast<std::byte>(value);
    to[1] = static_cast<std::byte>(value >> 8);
}

inline void store32(std::byte *to, uint32_t value)
{
    store16(to, static_cast<uint16_t>(value));
    store16(to + 2, static_cast<uint16_t>(value >> 16));
}

inline void store64(std::byte *to, uint64_t value)
{
    store32(to, static_cast<uint32_t>(value));
    store32(to + 4, static_cast<uint32_t>(value >> 32));
}

inline uint16_t load16(const std::byte *from)
{
    return static_cast<uint16_t>(std::to_integer<unsigned>(from[0]) |
                                 std::to_integer<unsigned>(from[1]) << 8);
}

inline uint32_t load32(const std::byte *from)
{
    return load16(from) | static_cast<uint32_t>(load16(from + 2)) << 16;
}

inline uint64_t load64(const std::byte *from)
{
    return load32(from) | static_cast<uint64_t>(load32(from + 4)) << 32;
}

// Decodes a truncated packet number (RFC 9000, A.3): the number with these low 32 bits that is
// nearest to `around`. A result below zero wraps to one above 2^63, which every caller must reject
// by its range check.
inline uint64_t rebuilt(uint32_t low, uint64_t around)
{
    const auto difference = static_cast<int32_t>(low - static_cast<uint32_t>(around));
    return around + static_cast<uint64_t>(static_cast<int64_t>(difference));
}

}
