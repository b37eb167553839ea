#include "replication/code_cache.h"
#include "base/mutant.h"
#include "replication/update_codec.h"
#include <type_traits>

namespace tern::code_cache {

struct Entry { // What was coded follows it.
    uint64_t mask;
    uint32_t send;
    uint32_t bit_count;
};
static_assert(std::is_trivially_copyable_v<Entry> && sizeof(Entry) % sizeof(uint64_t) == 0);

static constexpr size_t entry_words = sizeof(Entry) / sizeof(uint64_t);

// Two more words, so that whole words can be read and written anywhere.
static size_t words_of(const TypeTable &types, TypeId type)
{
    return entry_words + types.value_bits_max[type] / 64 + 3;
}

void place(flat::Builder &builder, CodeCache &cache, const TypeTable &types)
{
    const size_t type_count = types.types.size();
    size_t words = 0;
    for (size_t i = 0; i < type_count; ++i)
        words += world::capacity(types.types[i]) * words_of(types, static_cast<TypeId>(i));
    flat::place(builder, cache._send, 1, 1);
    flat::place(builder, cache._first, type_count, type_count);
    flat::place(builder, cache._words, words, words);
    written_cache::place(builder, cache.written, types);
    if (!builder.block) return;
    uint32_t first = 0;
    for (size_t i = 0; i < type_count; ++i) {
        const auto type = static_cast<TypeId>(i);
        cache._first[i] = first;
        first += static_cast<uint32_t>(world::capacity(types.types[i]) * words_of(types, type));
    }
}

void begin(CodeCache &cache)
{
    written_cache::begin(cache.written);
    uint32_t &send = cache._send[0];
    if (TERN_MUTANT(old_code_sent) && send > 0) return;
    send += 1;
    if (send != 0) return;
    std::memset(cache._words.begin(), 0, cache._words.count * sizeof(uint64_t));
    send = 1;
}

CodedFields fields(CodeCache &cache, const World &world, const TypeTable &types, Slot slot,
                   uint64_t mask)
{
    const Object &object = world.slots[slot];
    const size_t size_words = words_of(types, object.type);
    const uint32_t place = object.index - world.packed[object.type].first;
    uint64_t *words = cache._words.begin() + cache._first[object.type] + place * size_words;
    Entry entry;
    std::memcpy(&entry, words, sizeof entry);
    auto *coded = reinterpret_cast<std::byte *>(words + entry_words);
    if (entry.send != cache._send[0] || entry.mask != mask) {
        const size_t size_bytes = (size_words - entry_words - 1) * sizeof(uint64_t);
        const void *value = world::value(world, types, slot);
        const size_t bits =
            update_codec::code(types, object.type, value, mask, {coded, size_bytes});
        entry = {mask, cache._send[0], static_cast<uint32_t>(bits)};
        std::memcpy(words, &entry, sizeof entry);
    }
    const auto field_count = static_cast<uint32_t>(types.types[object.type].fields.size());
    return {mask, coded, entry.bit_count, field_count};
}

}
