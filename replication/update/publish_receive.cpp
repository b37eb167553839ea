#include "replication/update/publish.h"
#include "replication/update/update_codec.h"
#include <cstring>

namespace tern::publish {

UpdateReader reader(const TypeTable &types, PeerId sender, std::span<const std::byte> message,
                    UpdateTrust trust)
{
    UpdateReader r = {};
    r._reader = bits::reader(message);
    r._types = &types;
    r._trust = trust;
    r._previous.tick = static_cast<uint32_t>(bits::read(r._reader, 32));
    r._previous.object = update_codec::before_first(sender);
    r._message_tick = r._previous.tick;
    r._each_tick = bits::read_bool(r._reader);
    r._gap_bits = static_cast<uint8_t>(bits::read(r._reader, gap_field_bits));
    if (r._previous.tick == 0) bits::fail(r._reader);
    return r;
}

static void pass_values(UpdateReader &r, const Update &update)
{
    const PreviousUpdate &previous = r._previous;
    if (r._trust == UpdateTrust::unchecked)
        type_table::check_fields(r._reader, *r._types, update.type, update.mask);
    else if (update.mask == previous.mask && update.type == previous.type &&
             (update.mask & r._types->variable_fields[update.type]) == 0)
        bits::skip(r._reader, previous.value_bits);
    else
        type_table::skip_fields(r._reader, *r._types, update.type, update.mask);
}

bool next(UpdateReader &r, Update &update)
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
    update.values = r._reader;
    update.is_checked = r._trust == UpdateTrust::checked;
    pass_values(r, update);
    const size_t end = bits::bit_count(r._reader);
    update.bit_count = static_cast<uint32_t>(end - begin);
    const auto value_bits = static_cast<uint32_t>(end - bits::bit_count(update.values));
    r._previous = {update.object, update.stamp, update.mask, update.tick, value_bits, update.type};
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

bool check(const World &world, const TypeTable &types, PeerId sender,
           std::span<const std::byte> message)
{
    UpdateReader r = reader(types, sender, message);
    Update update;
    ObjectSlot slot = no_slot;
    while (next(r, update)) {
        slot = world::find_near(world, slot, update.object);
        if (slot == no_slot) continue;
        if (contradicts(world.slots[slot], update.stamp, update.type)) return false;
    }
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

static AppliedUpdate take(World &world, const TypeTable &types, ObjectSlot slot, uint32_t tick,
                          VisibilityChange visibility, const std::byte *next_value, uint64_t mask)
{
    KnownObject &object = world.slots[slot];
    void *value = world::value(world, types, slot);
    const uint64_t changed = type_table::difference(types, object.type, value, next_value, mask);
    std::memcpy(value, next_value, types.types[object.type].size_bytes);
    object.tick = tick;
    return {changed != 0 ? Applied::changed : Applied::repeated, visibility, slot, changed};
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
    std::byte next_value[struct_bytes_max];
    std::memcpy(next_value, world::value(world, types, slot), types.types[type].size_bytes);
    if (!update_codec::read_fields(update, types, next_value))
        return {Applied::malformed, visibility, slot, 0};
    return take(world, types, slot, update.tick, visibility, next_value, update.mask);
}

AppliedUpdate apply_carried(World &world, const TypeTable &types, const SnapshotScratch &scratch,
                            PeerId from, ObjectSlot slot, uint32_t i)
{
    if (slot == no_slot || world.slots[slot].life != Life::alive)
        return {Applied::unchanged, VisibilityChange::same, no_slot, 0};
    const ReceivedEntry &entry = scratch.read_entries[i];
    const TypeId type = world.slots[slot].type;
    if (contradicts(world.slots[slot], entry.stamp, entry.type))
        return {Applied::forged, VisibilityChange::same, slot, 0};
    if (entry.type != type) return {Applied::unchanged, VisibilityChange::same, slot, 0};
    world::count_received(world, type, scratch.read_bits[i]);
    const uint32_t tick = scratch.read.tick;
    const VisibilityChange visibility = see(world.slots[slot], from, entry.stamp, tick, false);
    const Applied judged = judge(world, from, slot, entry.stamp, tick);
    if (judged != Applied::changed) return {judged, visibility, slot, 0};
    const uint64_t all = type_table::all_fields(types, type);
    return take(world, types, slot, tick, visibility, snapshots::value(scratch, i), all);
}

}
