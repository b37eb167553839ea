#include "sim/explorer/hash_table.h"
#include "base/assert.h"
#include "base/hash.h"

namespace tern::hash_table {

static size_t home(const HashTable &table, const Key128 &key)
{
    return mixed(key.low ^ key.high) & (table._places.size() - 1);
}

// The place of the key or, if it is not in the table, the free place for it.
static size_t place_of(const HashTable &table, const Key128 &key)
{
    size_t place = home(table, key);
    while (table._places[place].number != 0 && table._places[place].key != key)
        place = (place + 1) & (table._places.size() - 1);
    return place;
}

static void grow(HashTable &table)
{
    HashTable larger;
    larger._places.resize(table._places.empty() ? 1024 : 2 * table._places.size());
    for (const HashTable::Place &place : table._places)
        if (place.number != 0) larger._places[place_of(larger, place.key)] = place;
    table._places.swap(larger._places);
}

uint32_t find(const HashTable &table, const Key128 &key)
{
    return table._places.empty() ? 0 : table._places[place_of(table, key)].number;
}

void add(HashTable &table, const Key128 &key, uint32_t number)
{
    TERN_ASSERT(number > 0, "0 is not found");
    if (4 * (table._count + 1) > 3 * table._places.size()) grow(table);
    table._places[place_of(table, key)] = {key, number};
    table._count += 1;
}

size_t size(const HashTable &table)
{
    return table._count;
}

size_t size_bytes(const HashTable &table)
{
    return table._places.size() * sizeof(HashTable::Place);
}

Key128 key(std::span<const uint64_t> words)
{
    Key128 key = {hash::start, ~hash::start};
    for (const uint64_t word : words)
        key = {hash::add(key.low, word), hash::add(key.high, word)};
    return key;
}

Key128 key(std::span<const std::byte> bytes)
{
    return {hash::add(hash::start, bytes), hash::add(~hash::start, bytes)};
}

}
