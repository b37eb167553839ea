// A hash table from 128-bit keys to numbers, for the many states of the explorer. Never iterated.
// Two things with equal keys are taken for the same thing: among n different things, some two have
// equal keys with a probability of n*n / 2^129. For 10^9 things that is less than one in 10^20.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tern {

struct Key128 {
    uint64_t low = 0, high = 0;
    friend bool operator==(const Key128 &, const Key128 &) = default;
};

// Grows by doubling. 24 bytes for each place, of which at most 3/4 are in use.
struct HashTable { // Closed.
    struct Place {
        Key128 key;
        uint32_t number; // 0: the place is free.
    };
    std::vector<Place> _places;
    size_t _count = 0;
};

namespace hash_table {

uint32_t find(const HashTable &table, const Key128 &key);       // 0: the key is not in it.
void add(HashTable &table, const Key128 &key, uint32_t number); // A new key; number > 0.
size_t size(const HashTable &table);
size_t size_bytes(const HashTable &table);

Key128 key(std::span<const uint64_t> words);
Key128 key(std::span<const std::byte> bytes);

// A hash: every bit of the result depends on every bit of `value`.
inline uint64_t mixed(uint64_t value)
{
    // The finalizer of splitmix64 (Steele, Lea and Flood 2014).
    value += 0x9e3779b97f4a7c15;
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
    value = (value ^ value >> 27) * 0x94d049bb133111eb;
    return value ^ value >> 31;
}

// The key of a tuple is the sum of part() over its places. So a change of one place costs one
// subtraction and one addition (Zobrist hashing, known from chess programs, 1970).
inline Key128 part(uint32_t place, uint32_t number)
{
    const uint64_t both = uint64_t{place} << 32 | number;
    const uint64_t low = mixed(both);
    return {low, mixed(low ^ both * 0xd6e8feb86659fd93)};
}

}
}
