// Bit packing for the wire: little-endian, least significant bit first. Writer and reader are
// sticky: do everything, check once at the end.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace tern {

struct BitWriter { // Closed.
    std::span<std::byte> _buffer;
    size_t _bit_count;
    bool _overflow; // Something did not fit; what was written from there on is not there.
};

struct BitReader { // Closed.
    std::span<const std::byte> _buffer;
    size_t _bit_count; // Read so far.
    bool _failed;      // Read beyond the end, or a value that has another, shorter form.
};

namespace bits {

BitWriter writer(std::span<std::byte> buffer);
void write(BitWriter &w, uint64_t value, unsigned bit_count); // 0 to 64.
void write_bool(BitWriter &w, bool value);
// 7 bits and a flag for more, lowest first: 8 bits for < 128, 80 for the largest.
void write_varint(BitWriter &w, uint64_t value);
void write_bytes(BitWriter &w, std::span<const std::byte> bytes); // At any bit position.
bool overflow(const BitWriter &w);
size_t bit_count(const BitWriter &w);
size_t size_bytes(const BitWriter &w); // Rounded up; the rest of the last byte is zero.
// Takes back what was written since bit_count was `bit_count`, an overflow included.
void rewind(BitWriter &w, size_t bit_count);

BitReader reader(std::span<const std::byte> buffer);
uint64_t read(BitReader &r, unsigned bit_count); // 0 to 64. 0 once failed.
bool read_bool(BitReader &r);
uint64_t read_varint(BitReader &r); // Fails for a form that is longer than needed.
void read_bytes(BitReader &r, std::span<std::byte> bytes);
void skip(BitReader &r, size_t bit_count);
void fail(BitReader &r); // For a value that the caller finds wrong.
bool failed(const BitReader &r);
size_t bit_count(const BitReader &r);
// Not failed, and nothing but zero bits to the end of the last byte is left.
bool complete(const BitReader &r);

// How many bits hold 0 to value. 0 for 0.
unsigned width(uint64_t value);

}
}
