// A 64-bit hash, equal on every machine. For digests and hash tables; it is not cryptographic.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace tern::hash {

inline constexpr uint64_t start = 0xcbf29ce484222325;
uint64_t add(uint64_t hash, std::span<const std::byte> bytes);
uint64_t add(uint64_t hash, uint64_t value);
// Adds numbers of 1, 2, 4 or 8 bytes each, which lie in memory in this machine's byte order.
uint64_t add_numbers(uint64_t hash, std::span<const std::byte> bytes, size_t number_bytes);

}
