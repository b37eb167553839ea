#include "replication/update/written_cache.h"
#include "base/mutant.h"

namespace tern::written_cache {

static constexpr size_t head_bytes_max = 24;   // An upper bound of an object's head in a message.
static constexpr size_t read_behind_bytes = 8; // bits::write_bits() reads so far past the end.

static WrittenCache::Used &used(WrittenCache &written)
{
    return written._used[0];
}

void place(flat::Builder &builder, WrittenCache &written, const TypeTable &types)
{
    size_t objects = 0, bytes = read_behind_bytes;
    for (size_t i = 0; i < types.types.size(); ++i) {
        const size_t capacity = world::capacity(types.types[i]);
        objects += capacity;
        bytes += capacity * (types.value_bits_max[i] / 8 + head_bytes_max);
    }
    bytes = std::min<size_t>(bytes, UINT32_MAX / 8);
    flat::place(builder, written._used, 1, 1);
    flat::place(builder, written._objects, objects, objects);
    flat::place(builder, written._at, objects, objects);
    flat::place(builder, written._bytes, bytes, bytes);
}

void begin(WrittenCache &written)
{
    if (TERN_MUTANT(old_code_sent)) return;
    used(written) = {};
}

// A peer needs exactly the fields of `mask` if these, and no others, have changed after its acked
// tick. acked_min is at least 1, because a peer with 0 has not acked the announcement.
static void set_acked(WrittenObject &object, const World &world, const TypeTable &types)
{
    const auto fields = static_cast<uint32_t>(types.types[object.type].fields.size());
    const uint32_t *ticks =
        world.field_ticks.begin() + size_t{object.slot} * types.fields_count_max;
    object.acked_min = 1;
    object.acked_end = UINT32_MAX;
    for (uint32_t i = 0; i < fields; ++i) {
        if ((object.mask >> i & 1) != 0)
            object.acked_end = std::min(object.acked_end, ticks[i]);
        else if (!TERN_MUTANT(fields_of_another))
            object.acked_min = std::max(object.acked_min, ticks[i]);
    }
}

void note(WrittenCache &written, const World &world, const TypeTable &types, const Noted &noted)
{
    WrittenCache::Used &now = used(written);
    const size_t first = now.bytes * size_t{8}, end = first + noted.end_bits;
    if (now.objects == written._objects.count || end > written._bytes.count * size_t{8}) return;
    WrittenObject object = {};
    object.slot = noted.slot;
    object.tick = noted.tick;
    object.end_bits = static_cast<uint32_t>(end);
    object.type = world.slots[noted.slot].type;
    object.value_bits = static_cast<uint16_t>(noted.value_bits);
    object.mask = noted.mask;
    set_acked(object, world, types);
    const bool follows =
        now.objects > 0 && written._objects[now.objects - 1].end_bits == first + noted.begin_bits;
    object.behind = !follows      ? WrittenBehind::none
                    : noted.joins ? WrittenBehind::same_run
                                  : WrittenBehind::object;
    written._objects[now.objects] = object;
    written._at[noted.slot] = now.objects;
    now.objects += 1;
}

void keep(WrittenCache &written, std::span<const std::byte> message)
{
    WrittenCache::Used &now = used(written);
    if (now.objects == now.kept) return;
    if (now.bytes + message.size() + read_behind_bytes > written._bytes.count) {
        now.objects = now.kept;
        return;
    }
    std::memcpy(written._bytes.begin() + now.bytes, message.data(), message.size());
    now.bytes += static_cast<uint32_t>(message.size());
    now.kept = now.objects;
}

}
