#include "replication/update/encode_cache.h"

namespace tern::encode_cache {

static constexpr size_t head_bytes_max = 24; // An upper bound of an object's head in a message.
static constexpr size_t over_read_bytes = 8; // bits::write_bits() reads so far past the end.

static EncodeCache::Used &used(EncodeCache &cache)
{
    return cache._used[0];
}

void place(flat::Builder &builder, EncodeCache &cache, const TypeTable &types)
{
    size_t objects = 0, bytes = over_read_bytes;
    for (size_t i = 0; i < types.types.size(); ++i) {
        const size_t capacity = world::capacity(types.types[i]);
        objects += capacity;
        bytes += capacity * (types.value_bits_max[i] / 8 + head_bytes_max);
    }
    bytes = std::min<size_t>(bytes, UINT32_MAX / 8);
    flat::place(builder, cache._used, 1, 1);
    flat::place(builder, cache._objects, objects, objects);
    flat::place(builder, cache._at, objects, objects);
    flat::place(builder, cache._bytes, bytes, bytes);
}

void begin(EncodeCache &cache)
{
    used(cache) = {};
}

// A peer needs exactly the fields of `mask` if these, and no others, have changed after its acked
// tick. acked_min is at least 1, because a peer with 0 has not acked the announcement.
static void set_acked(EncodedObject &object, const World &world, const TypeTable &types)
{
    const auto fields = static_cast<uint32_t>(types.types[object.type].fields.size());
    const uint32_t *ticks =
        world.field_ticks.begin() + size_t{object.slot} * types.fields_count_max;
    object.acked_min = 1;
    object.acked_end = UINT32_MAX;
    for (uint32_t i = 0; i < fields; ++i) {
        if ((object.mask >> i & 1) != 0)
            object.acked_end = std::min(object.acked_end, ticks[i]);
        else
            object.acked_min = std::max(object.acked_min, ticks[i]);
    }
}

void note(EncodeCache &cache, const World &world, const TypeTable &types, const EncodedSpan &noted)
{
    EncodeCache::Used &now = used(cache);
    const size_t first = now.bytes * size_t{8}, end = first + noted.end_bits;
    if (now.objects == cache._objects.count || end > cache._bytes.count * size_t{8}) return;
    EncodedObject object = {};
    object.slot = noted.slot;
    object.tick = noted.tick;
    object.end_bits = static_cast<uint32_t>(end);
    object.type = world.slots[noted.slot].type;
    object.value_bits = static_cast<uint16_t>(noted.value_bits);
    object.mask = noted.mask;
    set_acked(object, world, types);
    const bool follows =
        now.objects > 0 && cache._objects[now.objects - 1].end_bits == first + noted.begin_bits;
    object.adjacency = !follows      ? Adjacency::none
                       : noted.joins ? Adjacency::same_run
                                     : Adjacency::object;
    cache._objects[now.objects] = object;
    cache._at[noted.slot] = now.objects;
    now.objects += 1;
}

void keep(EncodeCache &cache, std::span<const std::byte> message)
{
    EncodeCache::Used &now = used(cache);
    if (now.objects == now.kept) return;
    if (now.bytes + message.size() + over_read_bytes > cache._bytes.count) {
        now.objects = now.kept;
        return;
    }
    std::memcpy(cache._bytes.begin() + now.bytes, message.data(), message.size());
    now.bytes += static_cast<uint32_t>(message.size());
    now.kept = now.objects;
}

}
