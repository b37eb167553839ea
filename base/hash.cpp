#include "base/hash.h"
#include <bit>

namespace tern::hash {

// A bijection of 64 bits: flipping one bit of the input flips about half of the output bits.
static uint64_t mixed(uint64_t value)
{
    value = (value ^ value >> 32) * 0xd6e8feb86659fd93;
    value = (value ^ value >> 32) * 0xd6e8feb86659fd93;
    return value ^ value >> 32;
}

// Little-endian on every machine, so that hashes are equal everywhere.
static uint64_t word(std::span<const std::byte, 8> bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < 8; ++i)
        value |= std::to_integer<uint64_t>(bytes[i]) << (8 * i);
    return value;
}

// The length comes last, so that zeros that pad the last word differ from zero bytes.
uint64_t add(uint64_t hash, std::span<const std::byte> bytes)
{
    const size_t size_bytes = bytes.size();
    while (bytes.size() >= 8) {
        hash = add(hash, word(bytes.first<8>()));
        bytes = bytes.subspan(8);
    }
    if (!bytes.empty()) {
        std::byte last[8] = {};
        for (size_t i = 0; i < bytes.size(); ++i)
            last[i] = bytes[i];
        hash = add(hash, word(last));
    }
    return add(hash, static_cast<uint64_t>(size_bytes));
}

uint64_t add_numbers(uint64_t hash, std::span<const std::byte> bytes, size_t number_bytes)
{
    if (std::endian::native == std::endian::little || number_bytes == 1) return add(hash, bytes);
    for (size_t at = 0; at < bytes.size(); at += 8) {
        std::byte little[8] = {};
        for (size_t i = at; i < bytes.size() && i < at + 8; ++i) {
            const size_t within = i % number_bytes;
            little[i - at] = bytes[i - within + (number_bytes - 1 - within)];
        }
        hash = add(hash, word(little));
    }
    return add(hash, static_cast<uint64_t>(bytes.size()));
}

// Without the rotation equal values would cancel; without the constant zeros would have no effect.
uint64_t add(uint64_t hash, uint64_t value)
{
    return mixed((hash << 23 | hash >> 41) ^ mixed(value + 0x9e3779b97f4a7c15));
}

}
