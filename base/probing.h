// A hash table of slots with linear probing, in a flat array whose size is a power of two, at most
// half of it in use. An element is a slot + 1, or 0 where the table is empty; the caller knows the
// keys of the slots.
#pragma once
#include "base/flat.h"

namespace tern::probing {

// The finalizer of splitmix64 (Steele, Lea and Flood 2014) mixes all bits of a key.
inline uint64_t mixed(uint64_t key)
{
    key = (key ^ key >> 30) * 0xbf58476d1ce4e5b9;
    key = (key ^ key >> 27) * 0x94d049bb133111eb;
    return key ^ key >> 31;
}

inline uint32_t home(const Flat<uint32_t> &table, uint64_t key)
{
    return static_cast<uint32_t>(mixed(key)) & (table.count - 1);
}

inline uint32_t after(const Flat<uint32_t> &table, uint32_t place)
{
    return (place + 1) & (table.count - 1);
}

// Where the key is, or the empty place where it belongs. `has_key` decides for a slot.
template <class HasKey> uint32_t find(const Flat<uint32_t> &table, uint64_t key, HasKey has_key)
{
    uint32_t place = home(table, key);
    while (table[place] != 0 && !has_key(table[place] - 1))
        place = after(table, place);
    return place;
}

// Empties a place, and moves the entries behind it up. `key_of` gives the key of a slot.
template <class KeyOf> void remove(Flat<uint32_t> &table, uint32_t hole, KeyOf key_of)
{
    const uint32_t mask = table.count - 1;
    for (uint32_t i = after(table, hole); table[i] != 0; i = after(table, i)) {
        const uint32_t wanted = home(table, key_of(table[i] - 1));
        if (((i - wanted) & mask) < ((i - hole) & mask)) continue; // The hole is before its home.
        table[hole] = table[i];
        hole = i;
    }
    table[hole] = 0;
}

}
