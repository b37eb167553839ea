// Bit packing for the wire format: little-endian, least significant bit first. Errors of writer and
// reader are sticky: write or read everything, then check once at the end.
//
// The functions of the hot path are inline, which saves a tenth of a session's instructions
// (docs/decisions.md, "How fast the simulation is").
#pragma once
#include "base/assert.h"
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace tern {

struct BitWriter { // Closed.
    std::span<std::byte> _buffer;
    size_t _bit_count;
    bool _overflow; // A value did not fit. Neither it nor any later value has been written.
};

struct BitReader { // Closed.
    std::span<const std::byte> _buffer;
    size_t _bit_count; // Read so far.
    bool _failed;      // A read went beyond the end or found a value that is not canonical.
};

namespace bits {

inline BitWriter writer(std::span<std::byte> buffer);
// Writes the low bit_count bits (0 to 64); all higher bits of value must be 0.
inline void write(BitWriter &w, uint64_t value, unsigned bit_count);
inline void write_bool(BitWriter &w, bool value);
// LEB128: 7 bits of the value in each byte, lowest first, and a flag if more follow. 8 bits for a
// value below 128, 80 bits for the largest.
inline void write_varint(BitWriter &w, uint64_t value);
void write_bytes(BitWriter &w, std::span<const std::byte> bytes); // Needs no alignment.
// Copies bit_count bits that another writer wrote, from bit `first` of `from` on. The source buffer
// must continue for 8 bytes behind these bits.
void write_bits(BitWriter &w, const std::byte *from, size_t first, size_t bit_count);
inline bool overflow(const BitWriter &w);
inline bool room(const BitWriter &w, size_t bit_count); // No overflow, and bit_count more bits fit.
inline size_t bit_count(const BitWriter &w);
inline size_t size_bytes(const BitWriter &w); // Rounded up; unused bits of the last byte are zero.
// Removes everything after the first `bit_count` bits, and an overflow.
void rewind(BitWriter &w, size_t bit_count);

inline BitReader reader(std::span<const std::byte> buffer);
inline uint64_t read(BitReader &r, unsigned bit_count); // 0 to 64 bits. Returns 0 once failed.
inline bool read_bool(BitReader &r);
inline uint64_t read_varint(BitReader &r); // Fails if a shorter encoding of the value exists.
void read_bytes(BitReader &r, std::span<std::byte> bytes); // Once failed: zeros.
inline void skip(BitReader &r, size_t bit_count);
inline void fail(BitReader &r); // Call it for a value that is out of range.
inline bool failed(const BitReader &r);
inline size_t bit_count(const BitReader &r);
// Not failed, all bytes read, and all unread bits of the last byte are zero.
bool complete(const BitReader &r);
bool only_zeros_left(const BitReader &r); // Not failed, and all unread bits are zero.

// How many bits hold the numbers 0 to value; 0 for 0.
inline unsigned width(uint64_t value);

// --- Inline ---

// Converts between this machine's byte order and little-endian. Compilers know this form.
inline uint64_t wire_order(uint64_t word)
{
    if constexpr (std::endian::native == std::endian::little) return word;
    word = (word & 0x00ff00ff00ff00ff) << 8 | (word >> 8 & 0x00ff00ff00ff00ff);
    word = (word & 0x0000ffff0000ffff) << 16 | (word >> 16 & 0x0000ffff0000ffff);
    return word << 32 | word >> 32;
}

// Loads eight bytes: bit i of the word is bit i of the buffer at this position.
inline uint64_t load_word(const std::byte *at)
{
    uint64_t word;
    std::memcpy(&word, at, sizeof word);
    return wire_order(word);
}

inline void store_word(std::byte *at, uint64_t word)
{
    word = wire_order(word);
    std::memcpy(at, &word, sizeof word);
}

// The slow path: values that span nine bytes or do not fit, and the last bytes of a buffer.
void write_bytewise(BitWriter &w, uint64_t value, unsigned bit_count);
uint64_t read_bytewise(BitReader &r, unsigned bit_count);
// Varints of two bytes or more; `first` is the byte that was already read.
void write_long_varint(BitWriter &w, uint64_t value);
uint64_t read_long_varint(BitReader &r, uint64_t first);

inline BitWriter writer(std::span<std::byte> buffer)
{
    return {buffer, 0, false};
}

inline void write(BitWriter &w, uint64_t value, unsigned bit_count)
{
    TERN_SLOW_ASSERT(bit_count == 64 || value >> bit_count == 0, "%llx in %u bits",
                     static_cast<unsigned long long>(value), bit_count);
    const size_t at = w._bit_count / 8;
    const unsigned used = w._bit_count % 8;
    if (at + 8 > w._buffer.size() || used + bit_count > 64 || w._overflow)
        return write_bytewise(w, value, bit_count);
    const uint64_t kept = load_word(&w._buffer[at]) & ((1ull << used) - 1);
    store_word(&w._buffer[at], kept | value << used);
    w._bit_count += bit_count;
}

inline void write_bool(BitWriter &w, bool value)
{
    write(w, value, 1);
}

inline void write_varint(BitWriter &w, uint64_t value)
{
    if (value >= 128) return write_long_varint(w, value);
    write(w, value, 8);
}

inline bool overflow(const BitWriter &w)
{
    return w._overflow;
}

inline bool room(const BitWriter &w, size_t bit_count)
{
    return !w._overflow && w._bit_count + bit_count <= w._buffer.size() * 8;
}

inline size_t bit_count(const BitWriter &w)
{
    return w._bit_count;
}

inline size_t size_bytes(const BitWriter &w)
{
    return (w._bit_count + 7) / 8;
}

inline BitReader reader(std::span<const std::byte> buffer)
{
    return {buffer, 0, false};
}

inline uint64_t read(BitReader &r, unsigned bit_count)
{
    const size_t size = r._buffer.size();
    if (size < 8 || r._failed) return read_bytewise(r, bit_count);
    // Near the end the word is the last eight bytes, so that short buffers are read as fast.
    const size_t at = std::min(r._bit_count / 8, size - 8);
    const size_t used = r._bit_count - at * 8;
    if (used + bit_count > 64) return read_bytewise(r, bit_count);
    r._bit_count += bit_count;
    const uint64_t value = load_word(&r._buffer[at]) >> used % 64; // 64 for 0 bits at the end.
    return bit_count == 64 ? value : value & ((1ull << bit_count) - 1);
}

inline bool read_bool(BitReader &r)
{
    return read(r, 1) != 0;
}

inline uint64_t read_varint(BitReader &r)
{
    const uint64_t first = read(r, 8);
    return first < 128 ? first : read_long_varint(r, first);
}

inline void skip(BitReader &r, size_t bit_count)
{
    if (r._failed || bit_count > r._buffer.size() * 8 - r._bit_count)
        r._failed = true;
    else
        r._bit_count += bit_count;
}

inline void fail(BitReader &r)
{
    r._failed = true;
}

inline bool failed(const BitReader &r)
{
    return r._failed;
}

inline size_t bit_count(const BitReader &r)
{
    return r._bit_count;
}

inline unsigned width(uint64_t value)
{
    return static_cast<unsigned>(std::bit_width(value));
}

}
}
