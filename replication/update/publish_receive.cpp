#include "replication/update/publish.h"
#include "replication/update/update_codec.h"
#include <algorithm>
#include <cstring>

namespace tern::publish {

UpdateReader reader(const TypeTable &types, PeerId sender, std::span<const std::byte> message)
{
    UpdateReader r = {};
    r._reader = bits::reader(message);
    r._types = &types;
    r._previous.tick = static_cast<uint32_t>(bits::read(r._reader, 32));
    r._previous.object = update_codec::before_first(sender);
    r._message_tick = r._previous.tick;
    r._each_tick = bits::read_bool(r._reader);
    r._gap_bits = static_cast<uint8_t>(bits::read(r._reader, gap_field_bits));
    if (r._previous.tick == 0) bits::fail(r._reader);
    return r;
}

bool next(UpdateReader &r, Update &update, std::byte *values)
{
    if (bits::failed(r._reader)) return false;
    const size_t begin = bits::bit_count(r._reader);
    const update_codec::HeadForm form = update_codec::read_form(r._reader);
    if (form == update_codec::HeadForm::end) {
        if (r._count == 0 || !bits::only_zeros_left(r._reader)) bits::fail(r._reader);
        return false;
    }
    update_codec::read_head(r, update, form);
    if (r._count == updates_per_message_max) bits::fail(r._reader);
    if (bits::failed(r._reader)) return false;
    update.values = values;
    update.value_bytes = static_cast<uint32_t>(
        type_table::read_packed(r._reader, *r._types, update.type, values, update.mask));
    update.bit_count = static_cast<uint32_t>(bits::bit_count(r._reader) - begin);
    r._previous = {update.object, update.stamp, update.mask, update.tick, update.type};
    r._count += 1;
    return !bits::failed(r._reader);
}

bool malformed(const UpdateReader &r)
{
    return bits::failed(r._reader);
}

// Whether the sender contradicts the type that is known here. A hostile creator can show each
// member another type; then the sender of another tenure may be right.
static bool contradicts(const KnownObject &known, Stamp stamp, TypeId type)
{
    return type != known.type && stamp == known.stamp;
}

// A part takes a bit or more for its head, and those of a field unless it hides the object. Such a
// head takes hiding_bits_min.
static constexpr size_t hiding_bits_min = 16;

ReadRoom read_room(const TypeTable &types)
{
    size_t field_bits = hiding_bits_min - 1;
    for (TypeId type = 0; type < types.types.size(); ++type)
        for (const FieldCode &f : type_table::codes(types, type))
            field_bits = std::min(field_bits, field::bits_min(f));
    const size_t packet_bits = datagram_bytes_max * 8;
    return {packet_bits / (1 + field_bits) + 1, type_table::packed_bytes_max(types, packet_bits)};
}

void clear(ReadUpdates &read)
{
    read.count = read.value_bytes = read.message_count = read.message_bytes = 0;
}

bool read(ReadUpdates &read, const World &world, const TypeTable &types, PeerId sender,
          std::span<const std::byte> message)
{
    UpdateReader r = reader(types, sender, message);
    ObjectSlot slot = no_slot;
    for (;;) {
        TERN_ASSERT(read.count < read.parts.size() &&
                        read.value_bytes + struct_bytes_max <= read.values.size(),
                    "%u parts, %u bytes", read.count, read.value_bytes);
        Update &update = read.parts[read.count];
        if (!next(r, update, read.values.data() + read.value_bytes)) break;
        slot = world::find_near(world, slot, update.object);
        if (slot != no_slot && contradicts(world.slots[slot], update.stamp, update.type))
            return false;
        read.count += 1;
        read.value_bytes += update.value_bytes;
    }
    read.message_count += 1;
    read.message_bytes += static_cast<uint32_t>(message.size());
    return !malformed(r);
}

// The newest message about the object decides its visibility, whatever the tick of the value.
static VisibilityChange see(KnownObject &object, PeerId from, Stamp stamp, uint32_t message_tick,
                            bool hides)
{
    const bool newer = message_tick > object.visibility_tick;
    if (object.stamp != stamp || from != object.owner || !newer) return VisibilityChange::same;
    const bool was = object.hidden;
    object.hidden = hides;
    object.visibility_tick = message_tick;
    if (hides == was) return VisibilityChange::same;
    return hides ? VisibilityChange::hidden : VisibilityChange::shown;
}

// Whether a part about a known object is applied.
static Applied judge(const World &world, PeerId from, ObjectSlot slot, Stamp stamp, uint32_t tick)
{
    const KnownObject &object = world.slots[slot];
    const bool of_this_tenure = object.stamp == stamp;
    if (!of_this_tenure) return Applied::unchanged;
    if (of_this_tenure && from != object.owner) return Applied::forged;
    if (tick <= object.tick) return Applied::unchanged;
    // Sent before the object was hidden.
    return object.hidden ? Applied::unchanged : Applied::changed;
}

AppliedUpdate apply(World &world, const TypeTable &types, PeerId from, ObjectSlot slot,
                    const Update &update)
{
    if (slot == no_slot || world.slots[slot].life != Life::alive)
        return {Applied::unchanged, VisibilityChange::same, no_slot, 0};
    const TypeId type = world.slots[slot].type;
    world::count_received(world, type, update.bit_count);
    if (contradicts(world.slots[slot], update.stamp, update.type))
        return {Applied::forged, VisibilityChange::same, slot, 0};
    if (update.type != type) return {Applied::unchanged, VisibilityChange::same, slot, 0};
    const VisibilityChange visibility =
        see(world.slots[slot], from, update.stamp, update.message_tick, update.hides);
    const Applied judged = judge(world, from, slot, update.stamp, update.tick);
    if (judged != Applied::changed) return {judged, visibility, slot, 0};
    void *value = world::value(world, types, slot);
    const uint64_t changed =
        type_table::store_packed(types, type, value, update.values, update.mask);
    world.slots[slot].tick = update.tick;
    return {changed != 0 ? Applied::changed : Applied::repeated, visibility, slot, changed};
}

AppliedUpdate apply_carried(World &world, const TypeTable &types, PeerId from, ObjectSlot slot,
                            const CarriedObject &carried)
{
    if (slot == no_slot || world.slots[slot].life != Life::alive)
        return {Applied::unchanged, VisibilityChange::same, no_slot, 0};
    const ReceivedEntry &entry = carried.entry;
    const TypeId type = world.slots[slot].type;
    if (contradicts(world.slots[slot], entry.stamp, entry.type))
        return {Applied::forged, VisibilityChange::same, slot, 0};
    if (entry.type != type) return {Applied::unchanged, VisibilityChange::same, slot, 0};
    world::count_received(world, type, carried.bit_count);
    const VisibilityChange visibility =
        see(world.slots[slot], from, entry.stamp, carried.tick, false);
    const Applied judged = judge(world, from, slot, entry.stamp, carried.tick);
    if (judged != Applied::changed) return {judged, visibility, slot, 0};
    void *value = world::value(world, types, slot);
    const uint64_t changed = type_table::difference(types, type, value, carried.value);
    std::memcpy(value, carried.value, types.types[type].size_bytes);
    world.slots[slot].tick = carried.tick;
    return {changed != 0 ? Applied::changed : Applied::repeated, visibility, slot, changed};
}

}
