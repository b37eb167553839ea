#include "replication/snapshot/bounds.h"
#include "replication/sampling/extrapolation.h"
#include "replication/update/publish.h"
#include "tern/limits.hpp"
#include <algorithm>
#include <bit>
#include <cstring>

namespace tern::bounds {

static_assert(std::has_unique_object_representations_v<FlushedState>);

// Ticks without a change after which a value counts as at rest.
static constexpr uint32_t rest_ticks = 8;

uint64_t fields_of(const Type &type)
{
    uint64_t mask = 0;
    for (size_t i = 0; i < type.fields.size(); ++i)
        mask |= uint64_t{type.fields[i].bound > 0} << i;
    return mask;
}

static uint32_t float_count(const Type &type)
{
    size_t count = 0;
    for (const Field &field : type.fields)
        if (field.bound > 0) count += extrapolation::float_count(field);
    return static_cast<uint32_t>(count);
}

void place(flat::Builder &builder, Bounds &b, const TypeTable &types, uint32_t slot_count)
{
    b.float_count = 0;
    for (const Type &type : types.types)
        b.float_count = std::max(b.float_count, float_count(type));
    const size_t type_count = b.float_count > 0 ? types.types.size() : 0;
    const size_t slots = b.float_count > 0 ? slot_count : 0;
    flat::place(builder, b.fields, type_count, type_count);
    flat::place(builder, b.flushed, slots, slots);
    flat::place(builder, b.states, slots * 2 * b.float_count, slots * 2 * b.float_count);
    flat::place(builder, b.suppressed, (slots + 63) / 64, (slots + 63) / 64);
    for (size_t i = 0; builder.block && i < type_count; ++i)
        b.fields[i] = fields_of(types.types[i]);
}

bool any_suppressed(const Bounds &b)
{
    return b.suppressed_count > 0;
}

static void set_suppressed(Bounds &b, ObjectSlot slot, bool suppressed)
{
    uint64_t &word = b.suppressed[slot / 64];
    const uint64_t bit = uint64_t{1} << slot % 64;
    if (((word & bit) != 0) == suppressed) return;
    b.suppressed_count += suppressed ? 1 : -1u;
    word ^= bit;
}

void forget_object(Bounds &b, ObjectSlot slot)
{
    if (b.float_count == 0) return;
    set_suppressed(b, slot, false);
    b.flushed[slot] = {};
    std::memset(b.states.begin() + size_t{slot} * 2 * b.float_count, 0,
                size_t{2} * b.float_count * sizeof(float));
}

// --- The two states ---

static float *state(Bounds &b, ObjectSlot slot, bool newest)
{
    return b.states.begin() + (size_t{slot} * 2 + (newest ? 1 : 0)) * b.float_count;
}

static void keep(Bounds &b, const World &world, const TypeTable &types, ObjectSlot slot,
                 uint32_t tick)
{
    FlushedState &flushed = b.flushed[slot];
    float *to = state(b, slot, true);
    std::copy_n(to, b.float_count, state(b, slot, false));
    flushed.older_tick = flushed.newest_tick;
    flushed.newest_tick = std::max<uint32_t>(tick, 1);
    const auto *value = static_cast<const std::byte *>(world::value(world, types, slot));
    for (const Field &field : types.types[world.slots[slot].type].fields) {
        if (field.bound == 0) continue;
        const size_t count = extrapolation::float_count(field);
        std::memcpy(to, value + field.offset_bytes, count * sizeof(float));
        to += count;
    }
}

struct Look {
    // Bounded fields that differ from the newest state; that moved from the older to the newest.
    uint64_t differs, moves;
    bool is_beyond;
};

static Look look(Bounds &b, const World &world, const TypeTable &types, ObjectSlot slot)
{
    const FlushedState &flushed = b.flushed[slot];
    const float *older = state(b, slot, false), *newest = state(b, slot, true);
    const double progress =
        extrapolation::progress(flushed.older_tick, flushed.newest_tick, world.tick);
    const auto *value = static_cast<const std::byte *>(world::value(world, types, slot));
    Look seen = {};
    uint64_t bit = 1;
    for (const Field &field : types.types[world.slots[slot].type].fields) {
        const size_t count = extrapolation::float_count(field);
        if (field.bound > 0) {
            float now[struct_bytes_max / sizeof(float)], expected[struct_bytes_max / sizeof(float)];
            std::memcpy(now, value + field.offset_bytes, count * sizeof(float));
            if (std::memcmp(now, newest, count * sizeof(float)) != 0) seen.differs |= bit;
            if (flushed.older_tick != 0 && std::memcmp(older, newest, count * sizeof(float)) != 0)
                seen.moves |= bit;
            extrapolation::blend(field, older, newest, flushed.older_tick == 0 ? 1 : progress,
                                 expected);
            seen.is_beyond = seen.is_beyond || extrapolation::is_beyond_bound(field, now, expected);
            older += count;
            newest += count;
        }
        bit <<= 1;
    }
    return seen;
}

// --- Suppressing and flushing ---

void began(Bounds &b, const World &world, const TypeTable &types, ObjectSlot slot)
{
    if (b.float_count == 0 || b.fields[world.slots[slot].type] == 0) return;
    keep(b, world, types, slot, world.slots[slot].tick);
}

// Takes the change out of World::changed, unless a field without a bound is part of it.
static void suppress(Bounds &b, World &world, const TypeTable &types, ObjectSlot slot)
{
    const uint64_t bounded = b.fields[world.slots[slot].type];
    const uint64_t changed = world::changed_fields(world, types, slot, world.tick);
    if ((changed & bounded) != 0) {
        b.flushed[slot].changed_tick = world.tick;
        set_suppressed(b, slot, true);
    }
    if ((changed & ~bounded) == 0) world::set_changed(world, slot, false);
}

static void flush_object(Publisher &p, World &world, const TypeTable &types, ObjectSlot slot,
                         bool due)
{
    Bounds &b = p.bounds;
    const Look seen = look(b, world, types, slot);
    const bool rests = world.tick - b.flushed[slot].changed_tick >= rest_ticks;
    if (rests && seen.differs == 0 && seen.moves == 0) return set_suppressed(b, slot, false);
    // An update describes one tick. If the object is due anyway, all bounded fields are refreshed,
    // or a message would mix ticks and a resend would repeat an old value.
    if (!seen.is_beyond && !rests && !(due && (seen.differs | seen.moves) != 0)) return;
    // If no field differs, the fields that moved are sent again: two equal states show that they
    // rest.
    for (uint64_t left = seen.differs != 0 ? seen.differs : seen.moves; left != 0; left &= left - 1)
        world::field_tick(world, slot, static_cast<uint32_t>(std::countr_zero(left))) = world.tick;
    keep(b, world, types, slot, world.tick);
    world::set_changed(world, slot, true);
}

static void suppress_all(Bounds &b, World &world, const TypeTable &types, PeerId self)
{
    for (uint32_t i = 0; i < world.changed.count; ++i)
        for (uint64_t left = world.changed[i]; left != 0; left &= left - 1) {
            const ObjectSlot slot = i * 64 + static_cast<uint32_t>(std::countr_zero(left));
            const KnownObject &object = world.slots[slot];
            if (object.owner == self && b.fields[object.type] != 0) suppress(b, world, types, slot);
        }
}

void flush(Publisher &p, World &world, const TypeTable &types, PeerId self)
{
    if (p.bounds.float_count > 0) suppress_all(p.bounds, world, types, self);
    for (uint32_t i = 0; i < p.bounds.suppressed.count; ++i) {
        if (p.bounds.suppressed[i] == 0) continue;
        const uint64_t due = publish::due_to_any(p, world, i);
        for (uint64_t left = p.bounds.suppressed[i]; left != 0; left &= left - 1) {
            const auto bit = static_cast<uint32_t>(std::countr_zero(left));
            flush_object(p, world, types, i * 64 + bit, (due >> bit & 1) != 0);
        }
    }
}

}
