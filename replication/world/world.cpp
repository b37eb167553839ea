#include "replication/world/world.h"
#include "base/hash.h"
#include "base/probing.h"
#include "replication/world/field.h"
#include "replication/world/type_checks.h"
#include "tern/limits.hpp"
#include <algorithm>
#include <bit>
#include <cstring>

namespace tern::world {

static_assert(std::has_unique_object_representations_v<KnownObject>);
static_assert(std::has_unique_object_representations_v<Packed>);

static constexpr size_t value_alignment = 16;

static size_t aligned(size_t size)
{
    return (size + value_alignment - 1) / value_alignment * value_alignment;
}

void place(flat::Builder &builder, World &world, const TypeTable &types, uint32_t dead_max)
{
    size_t objects = 0;
    size_t value_bytes = 0;
    for (const Type &type : types.types) {
        objects += capacity(type);
        value_bytes += aligned(size_t{capacity(type)} * type.size_bytes);
    }
    flat::place(builder, world.slots, objects, objects);
    flat::place(builder, world.free_slots, objects, objects);
    flat::place(builder, world.lookup, std::bit_ceil(2 * objects), std::bit_ceil(2 * objects));
    flat::place(builder, world.packed, types.types.size(), types.types.size());
    flat::place(builder, world.ids, objects, objects);
    flat::place(builder, world.index_slots, objects, objects);
    builder.used_bytes = aligned(builder.used_bytes);
    flat::place(builder, world.values, value_bytes, value_bytes);
    const size_t field_ticks = objects * types.fields_count_max;
    flat::place(builder, world.field_ticks, field_ticks, field_ticks);
    flat::place(builder, world.changed, (objects + 63) / 64, (objects + 63) / 64);
    flat::place(builder, world.dead, dead_max);
    if (!builder.block) return;
    for (uint32_t i = 0; i < world.slots.count; ++i) // The lowest slots are used first.
        world.free_slots[i] = world.slots.count - 1 - i;
    uint32_t first = 0;
    size_t value_first_bytes = 0;
    for (size_t i = 0; i < types.types.size(); ++i) {
        const Type &type = types.types[i];
        world.packed[i].first = first;
        world.packed[i].capacity = capacity(type);
        world.packed[i].value_first_bytes = static_cast<uint32_t>(value_first_bytes);
        first += capacity(type);
        value_first_bytes += aligned(size_t{capacity(type)} * type.size_bytes);
    }
}

// --- The lookup table ---

// The place of the id, or the empty place where it belongs.
static uint32_t place_of(const World &world, ObjectId id)
{
    return probing::find(world.lookup, static_cast<uint64_t>(id),
                         [&](ObjectSlot slot) { return world.slots[slot].id == id; });
}

static void remove_from_lookup(World &world, ObjectId id)
{
    probing::remove(world.lookup, place_of(world, id),
                    [&](ObjectSlot slot) { return static_cast<uint64_t>(world.slots[slot].id); });
}

ObjectSlot find(const World &world, ObjectId id)
{
    if (world.slots.count == 0 || id == ObjectId::none) return no_slot;
    const ObjectSlot entry = world.lookup[place_of(world, id)];
    return entry == 0 ? no_slot : entry - 1;
}

ObjectSlot find_near(const World &world, ObjectSlot slot, ObjectId id)
{
    if (world.slots.count == 0 || id == ObjectId::none) return no_slot;
    const ObjectSlot near = slot < world.slots.count ? slot : 0;
    const uint64_t guess =
        near + static_cast<uint64_t>(id) - static_cast<uint64_t>(world.slots[near].id);
    if (guess < world.slots.count && world.slots[guess].id == id)
        return static_cast<ObjectSlot>(guess);
    return find(world, id);
}

ObjectSlot find_alive(const World &world, ObjectId id)
{
    const ObjectSlot slot = find(world, id);
    return slot != no_slot && world.slots[slot].life == Life::alive ? slot : no_slot;
}

// --- The packed arrays ---

static std::byte *value_at(World &world, const TypeTable &types, TypeId type, uint32_t index)
{
    const Packed &packed = world.packed[type];
    return world.values.begin() + packed.value_first_bytes +
           size_t{index - packed.first} * types.types[type].size_bytes;
}

// `to` must be free; `from` is free afterwards.
static void move_packed(World &world, const TypeTable &types, TypeId type, uint32_t to,
                        uint32_t from)
{
    if (to == from) return;
    const size_t size = types.types[type].size_bytes;
    const ObjectSlot slot = world.index_slots[from];
    world.ids[to] = world.ids[from];
    world.index_slots[to] = slot;
    world.slots[slot].index = to;
    std::byte *source = value_at(world, types, type, from);
    std::memcpy(value_at(world, types, type, to), source, size);
    std::memset(source, 0, size);
    world.ids[from] = ObjectId::none;
    world.index_slots[from] = 0;
}

static void swap_packed(World &world, const TypeTable &types, TypeId type, uint32_t a, uint32_t b)
{
    if (a == b) return;
    std::swap(world.ids[a], world.ids[b]);
    std::swap(world.index_slots[a], world.index_slots[b]);
    world.slots[world.index_slots[a]].index = a;
    world.slots[world.index_slots[b]].index = b;
    std::byte *value_a = value_at(world, types, type, a);
    std::byte *value_b = value_at(world, types, type, b);
    std::swap_ranges(value_a, value_a + types.types[type].size_bytes, value_b);
}

bool room(const World &world, TypeId type)
{
    const Packed &packed = world.packed[type];
    return packed.count + packed.dying < packed.capacity;
}

ObjectSlot add(World &world, const TypeTable &types, ObjectId id, TypeId type)
{
    TERN_ASSERT(type < types.types.size(), "type %u", static_cast<unsigned>(type));
    TERN_ASSERT(room(world, type), "type %u is full", static_cast<unsigned>(type));
    TERN_ASSERT(id != ObjectId::none && find(world, id) == no_slot, "object %llx is there",
                static_cast<unsigned long long>(id));
    Packed &packed = world.packed[type];
    const uint32_t index = packed.first + packed.count;
    const ObjectSlot slot = world.free_slots[world.free_slots.count - 1];
    flat::pop(world.free_slots);
    KnownObject &object = world.slots[slot]; // All zero while free.
    object.id = id;
    object.type = type;
    object.life = Life::alive;
    object.index = index;
    world.lookup[place_of(world, id)] = slot + 1;
    world.ids[index] = id;
    world.index_slots[index] = slot;
    packed.count += 1;
    packed.alive += 1;
    world.alive += 1;
    return slot;
}

void *value(World &world, const TypeTable &types, ObjectSlot slot)
{
    const KnownObject &object = world.slots[slot];
    TERN_ASSERT(object.life != Life::none, "slot %u is free", slot);
    return value_at(world, types, object.type, object.index);
}

const void *value(const World &world, const TypeTable &types, ObjectSlot slot)
{
    const KnownObject &object = world.slots[slot];
    TERN_ASSERT(object.life != Life::none, "slot %u is free", slot);
    const Packed &packed = world.packed[object.type];
    return world.values.begin() + packed.value_first_bytes +
           size_t{object.index - packed.first} * types.types[object.type].size_bytes;
}

// --- Destruction ---

void add_tombstones(World &world, DeadRange range)
{
    if (dead::add(world.dead, range)) return;
    for (const KnownObject &object : world.slots.all())
        if (object.life == Life::alive) dead::has_living(world.dead, object.id);
    dead::widen(world.dead);
    const bool added = dead::add(world.dead, range);
    TERN_ASSERT(added, "%u ranges of destroyed ids", world.dead.count);
}

static void remember(World &world, ObjectId object)
{
    const auto id = static_cast<uint64_t>(object);
    add_tombstones(world, {id, id});
}

void destroy_in_place(World &world, ObjectSlot slot)
{
    KnownObject &object = world.slots[slot];
    TERN_ASSERT(object.life == Life::alive, "slot %u is not alive", slot);
    remember(world, object.id);
    object.life = Life::destroyed;
    world.packed[object.type].alive -= 1;
    world.alive -= 1;
}

void destroy_and_move(World &world, const TypeTable &types, ObjectSlot slot)
{
    KnownObject &object = world.slots[slot];
    TERN_ASSERT(object.life == Life::alive, "slot %u is not alive", slot);
    remember(world, object.id);
    Packed &packed = world.packed[object.type];
    packed.count -= 1;
    packed.dying += 1;
    packed.alive -= 1;
    world.alive -= 1;
    swap_packed(world, types, object.type, object.index, packed.first + packed.count);
    // Objects that are added before the next sweep() need the places after the living ones.
    const uint32_t place = packed.first + packed.capacity - packed.dying;
    move_packed(world, types, object.type, place, object.index);
    object.life = Life::dying;
}

static void free_slot(World &world, const TypeTable &types, ObjectSlot slot)
{
    const KnownObject object = world.slots[slot];
    remove_from_lookup(world, object.id);
    std::memset(value_at(world, types, object.type, object.index), 0,
                types.types[object.type].size_bytes);
    world.ids[object.index] = ObjectId::none;
    world.index_slots[object.index] = 0;
    std::memset(world.field_ticks.begin() + size_t{slot} * types.fields_count_max, 0,
                types.fields_count_max * sizeof(uint32_t));
    world.slots[slot] = {};
    flat::push(world.free_slots, slot);
}

static void sweep_type(World &world, const TypeTable &types, TypeId type)
{
    Packed &packed = world.packed[type];
    for (; packed.dying > 0; --packed.dying)
        free_slot(world, types, world.index_slots[packed.first + packed.capacity - packed.dying]);
    for (uint32_t i = packed.first; packed.count > packed.alive;) {
        const ObjectSlot slot = world.index_slots[i];
        if (world.slots[slot].life != Life::destroyed) {
            ++i;
            continue;
        }
        free_slot(world, types, slot);
        packed.count -= 1;
        move_packed(world, types, type, i, packed.first + packed.count);
    }
}

void sweep(World &world, const TypeTable &types)
{
    for (uint32_t type = 0; type < world.packed.count; ++type)
        sweep_type(world, types, static_cast<TypeId>(type));
}

// --- Values ---

uint32_t &field_tick(World &world, ObjectSlot slot, uint32_t field)
{
    const uint32_t stride = world.field_ticks.capacity / world.slots.capacity;
    return world.field_ticks[size_t{slot} * stride + field];
}

uint32_t field_tick(const World &world, ObjectSlot slot, uint32_t field)
{
    const uint32_t stride = world.field_ticks.capacity / world.slots.capacity;
    return world.field_ticks[size_t{slot} * stride + field];
}

uint64_t write(World &world, const TypeTable &types, ObjectSlot slot, const void *wanted)
{
    std::byte next[struct_bytes_max];
    type_table::normalise(types, world.slots[slot].type, wanted, next);
    return write_normal(world, types, slot, next);
}

uint64_t write_normal(World &world, const TypeTable &types, ObjectSlot slot, const void *next)
{
    KnownObject &object = world.slots[slot];
    void *present = value(world, types, slot);
    const uint64_t changed = type_table::difference(types, object.type, present, next);
    if (changed == 0) return 0;
    std::memcpy(present, next, types.types[object.type].size_bytes);
    object.tick = world.tick;
    uint32_t *ticks = world.field_ticks.begin() + size_t{slot} * types.fields_count_max;
    for (uint64_t rest = changed; rest != 0; rest &= rest - 1)
        ticks[std::countr_zero(rest)] = world.tick;
    set_changed(world, slot, true);
    return changed;
}

void set_changed(World &world, ObjectSlot slot, bool changed)
{
    uint64_t &word = world.changed[slot / 64];
    const uint64_t bit = uint64_t{1} << slot % 64;
    if (((word & bit) != 0) == changed) return;
    world.changed_count += changed ? 1 : -1u;
    word ^= bit;
}

uint64_t changed_fields(const World &world, const TypeTable &types, ObjectSlot slot, uint32_t tick)
{
    uint64_t changed = 0;
    const size_t fields = types.types[world.slots[slot].type].fields.size();
    for (uint32_t i = 0; i < fields; ++i)
        changed |= uint64_t{field_tick(world, slot, i) == tick} << i;
    return changed;
}

uint32_t changed_tick(const World &world, const TypeTable &types, ObjectSlot slot)
{
    uint32_t newest = 0;
    const size_t fields = types.types[world.slots[slot].type].fields.size();
    for (uint32_t i = 0; i < fields; ++i)
        newest = std::max(newest, field_tick(world, slot, i));
    return newest;
}

// --- The whole ---

static uint64_t object_digest(const World &world, const TypeTable &types, ObjectSlot slot)
{
    const KnownObject &object = world.slots[slot];
    uint64_t digest = hash::add(hash::start, static_cast<uint64_t>(object.id));
    digest = hash::add(digest, object.stamp);
    digest = hash::add(digest, uint64_t{static_cast<uint16_t>(object.owner)});
    digest = hash::add(digest, uint64_t{object.type});
    const auto *bytes = static_cast<const std::byte *>(value(world, types, slot));
    for (const Field &field : types.types[object.type].fields)
        digest = hash::add_numbers(digest, {bytes + field.offset_bytes, field::size_bytes(field)},
                                   field::number_bytes(field));
    return digest;
}

void count_received(World &world, TypeId type, uint64_t bit_count)
{
    world.received[type].bits += bit_count;
    world.received[type].count += 1;
}

uint64_t digest(const World &world, const TypeTable &types)
{
    uint64_t sum = 0; // A sum of hashes does not depend on the order in memory.
    for (const Packed &packed : world.packed)
        for (uint32_t i = packed.first; i < packed.first + packed.count; ++i) {
            const ObjectSlot slot = world.index_slots[i];
            if (world.slots[slot].life == Life::alive) sum += object_digest(world, types, slot);
        }
    return hash::add(hash::add(hash::start, uint64_t{world.alive}), sum);
}

static void check_type(const World &world, TypeId type)
{
    const Packed &packed = world.packed[type];
    TERN_ASSERT(packed.count + packed.dying <= packed.capacity, "type %u: %u and %u of %u",
                static_cast<unsigned>(type), packed.count, packed.dying, packed.capacity);
    uint32_t alive = 0;
    for (uint32_t i = packed.first; i < packed.first + packed.capacity; ++i) {
        const bool is_past_count = i >= packed.first + packed.capacity - packed.dying;
        if (i >= packed.first + packed.count && !is_past_count) {
            TERN_ASSERT(world.ids[i] == ObjectId::none, "index %u is not zero", i);
            continue;
        }
        const ObjectSlot slot = world.index_slots[i];
        const KnownObject &object = world.slots[slot];
        TERN_ASSERT(object.index == i && object.type == type && object.id == world.ids[i],
                    "index %u and slot %u disagree", i, slot);
        TERN_ASSERT(find(world, object.id) == slot, "slot %u is not found", slot);
        TERN_ASSERT(object.life != Life::none && (object.life == Life::dying) == is_past_count,
                    "index %u: life %u", i, static_cast<unsigned>(object.life));
        TERN_ASSERT(dead::contains(world.dead, object.id) == (object.life != Life::alive),
                    "slot %u: life %u and the dead disagree", slot,
                    static_cast<unsigned>(object.life));
        alive += object.life == Life::alive ? 1 : 0;
    }
    TERN_ASSERT(alive == packed.alive, "type %u: %u alive, counted %u", static_cast<unsigned>(type),
                packed.alive, alive);
}

void check(const World &world)
{
    uint32_t alive = 0;
    uint32_t used = 0;
    for (uint32_t type = 0; type < world.packed.count; ++type) {
        check_type(world, static_cast<TypeId>(type));
        alive += world.packed[type].alive;
        used += world.packed[type].count + world.packed[type].dying;
    }
    TERN_ASSERT(alive == world.alive, "%u alive, counted %u", world.alive, alive);
    TERN_ASSERT(used + world.free_slots.count == world.slots.count, "%u used, %u free of %u", used,
                world.free_slots.count, world.slots.count);
    uint32_t entries = 0;
    for (ObjectSlot entry : world.lookup)
        entries += entry != 0 ? 1 : 0;
    TERN_ASSERT(entries == used, "%u in the lookup table, %u used", entries, used);
}

}
