#include "replication/code_cache.h"
#include "base/mutant.h"
#include "replication/update_codec.h"
#include <type_traits>

namespace tern::code_cache {

// Of which value the code is. Within a tenure an object has one value at a tick: an owner raises
// its tick after each send, and nobody takes a value that is not newer.
struct Key {
    ObjectId object;
    Stamp stamp;
    uint64_t mask;
    uint32_t tick;

    bool operator==(const Key &) const = default;
};

struct Entry { // What was coded follows it.
    Key key;
    uint32_t bit_count;
};
static_assert(std::is_trivially_copyable_v<Entry> && sizeof(Entry) % sizeof(uint64_t) == 0);

static constexpr size_t entry_words = sizeof(Entry) / sizeof(uint64_t);

// One more word, so that whole words can be read anywhere.
static size_t words_of(const TypeTable &types, TypeId type)
{
    const size_t fields = types.types[type].fields.size();
    return entry_words + (types.value_bits_max[type] + update_codec::mask_bits_max(fields)) / 64 +
           2;
}

void place(flat::Builder &builder, CodeCache &cache, const TypeTable &types)
{
    const size_t type_count = types.types.size();
    size_t words = 0;
    for (size_t i = 0; i < type_count; ++i)
        words += world::capacity(types.types[i]) * words_of(types, static_cast<TypeId>(i));
    flat::place(builder, cache._first, type_count, type_count);
    flat::place(builder, cache._words, words, words);
    if (!builder.block) return;
    uint32_t first = 0;
    for (size_t i = 0; i < type_count; ++i) {
        const auto type = static_cast<TypeId>(i);
        cache._first[i] = first;
        first += static_cast<uint32_t>(world::capacity(types.types[i]) * words_of(types, type));
    }
}

CodedFields fields(CodeCache &cache, const World &world, const TypeTable &types, Slot slot,
                   uint64_t mask)
{
    const Object &object = world.slots[slot];
    const uint32_t place = object.index - world.packed[object.type].first;
    uint64_t *words =
        cache._words.begin() + cache._first[object.type] + place * words_of(types, object.type);
    const uint32_t tick = TERN_MUTANT(old_code_sent) ? 1 : object.tick;
    const Key key = {object.id, object.stamp, mask, tick};
    Entry entry;
    std::memcpy(&entry, words, sizeof entry);
    auto *coded = reinterpret_cast<std::byte *>(words + entry_words);
    if (entry.key != key) {
        const size_t size = (words_of(types, object.type) - entry_words - 1) * sizeof(uint64_t);
        const void *value = world::value(world, types, slot);
        entry.bit_count = static_cast<uint32_t>(
            update_codec::code(types, object.type, value, mask, {coded, size}));
        entry.key = key;
        std::memcpy(words, &entry, sizeof entry);
    }
    return {coded, entry.bit_count};
}

}
