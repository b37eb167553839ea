// An overlay of the replica's values. The replica never sees it: get() and object_values() look
// here first, for types that have claims.
#include "session/optimistic.h"
#include "replication/world/field.h"
#include "session/session.h"
#include "tern/limits.hpp"
#include <algorithm>
#include <bit>
#include <cstring>

namespace tern::session {

static OptimisticClaim *claims_of(const Session &s, TypeId type)
{
    return s.claims.optimistic + s.replica->world.packed[type].first;
}

static std::byte *value_of(const Session &s, TypeId type, uint32_t index)
{
    return s.claims.values + s.replica->world.packed[type].value_first_bytes +
           size_t{index} * s.types.types[type].size_bytes;
}

// The index of the claim, or the count if there is none.
static uint32_t find(const Session &s, TypeId type, ObjectId object)
{
    const OptimisticClaim *claims = claims_of(s, type);
    uint32_t index = 0;
    while (index < s.claims.counts[type] && claims[index].object != object)
        ++index;
    return index;
}

static void erase(Session &s, TypeId type, uint32_t index)
{
    uint32_t &count = s.claims.counts[type];
    count -= 1;
    s.claims.count -= 1;
    claims_of(s, type)[index] = claims_of(s, type)[count];
    if (index < count)
        std::memcpy(value_of(s, type, index), value_of(s, type, count),
                    s.types.types[type].size_bytes);
}

static void copy_fields(const Session &s, TypeId type, std::byte *to, const std::byte *from,
                        uint64_t fields)
{
    for (; fields != 0; fields &= fields - 1) {
        const auto index = static_cast<size_t>(std::countr_zero(fields));
        const Field &field = s.types.types[type].fields[index];
        std::memcpy(to + field.offset_bytes, from + field.offset_bytes, field::size_bytes(field));
    }
}

// Takes over what the replica holds of the fields that the game has not set.
static void refresh(const Session &s, TypeId type, uint32_t index, ObjectSlot slot)
{
    alignas(16) std::byte shown[struct_bytes_max];
    const size_t size_bytes = s.types.types[type].size_bytes;
    std::byte *value = value_of(s, type, index);
    std::memcpy(shown, world::value(s.replica->world, s.types, slot), size_bytes);
    copy_fields(s, type, shown, value, claims_of(s, type)[index].set_fields);
    std::memcpy(value, shown, size_bytes);
}

// --- Claims and set() ---

void begin_optimistic(Session &s, ObjectSlot slot)
{
    const KnownObject &object = s.replica->world.slots[slot];
    const uint32_t index = find(s, object.type, object.id);
    if (index < s.claims.counts[object.type]) return;
    // Claimed objects are alive, so there are no more of them than the type has room for.
    TERN_ASSERT(index < s.replica->world.packed[object.type].capacity, "%u claims", index);
    claims_of(s, object.type)[index] = {object.id, 0};
    refresh(s, object.type, index, slot);
    s.claims.counts[object.type] += 1;
    s.claims.count += 1;
}

bool is_optimistic(const Session &s, ObjectSlot slot)
{
    const KnownObject &object = s.replica->world.slots[slot];
    return find(s, object.type, object.id) < s.claims.counts[object.type];
}

bool set_optimistic(Session &s, ObjectSlot slot, const std::byte *normal)
{
    const KnownObject &object = s.replica->world.slots[slot];
    const uint32_t index = find(s, object.type, object.id);
    if (index == s.claims.counts[object.type] || object.life != Life::alive) return false;
    std::byte *value = value_of(s, object.type, index);
    claims_of(s, object.type)[index].set_fields |=
        type_table::difference(s.types, object.type, value, normal);
    std::memcpy(value, normal, s.types.types[object.type].size_bytes);
    return true;
}

// --- Showing ---

const void *optimistic_value(const Session &s, ObjectSlot slot)
{
    const KnownObject &object = s.replica->world.slots[slot];
    const uint32_t index = find(s, object.type, object.id);
    const bool is_set =
        index < s.claims.counts[object.type] && claims_of(s, object.type)[index].set_fields != 0;
    return is_set ? value_of(s, object.type, index) : nullptr;
}

const void *shown_values(const Session &s, TypeId type)
{
    const World &world = s.replica->world;
    const Packed &packed = world.packed[type];
    const std::byte *values = world.values.begin() + packed.value_first_bytes;
    if (s.claims.counts[type] == 0) return values;
    const size_t size_bytes = s.types.types[type].size_bytes;
    std::byte *shown = s.claims.shown + packed.value_first_bytes;
    std::memcpy(shown, values, packed.count * size_bytes);
    for (uint32_t i = 0; i < s.claims.counts[type]; ++i) {
        const ObjectSlot slot = world::find_alive(world, claims_of(s, type)[i].object);
        if (slot == no_slot) continue;
        const uint32_t place = world.slots[slot].index - packed.first;
        std::memcpy(shown + place * size_bytes, value_of(s, type, i), size_bytes);
    }
    return shown;
}

// A game that can read its former world also sees what it had set.
static bool keeps_values(const Session &s)
{
    return is_in(s) || s.state == State::leaving || s.joining.forgets;
}

void refresh_optimistic(Session &s)
{
    if (s.claims.count == 0) return;
    if (!keeps_values(s)) {
        std::fill_n(s.claims.counts, s.types.types.size(), 0);
        s.claims.count = 0;
    }
    for (TypeId type = 0; type < s.types.types.size(); ++type)
        for (uint32_t i = 0; i < s.claims.counts[type]; ++i) {
            const ObjectId object = claims_of(s, type)[i].object;
            const ObjectSlot slot = world::find_alive(s.replica->world, object);
            if (slot != no_slot) refresh(s, type, i, slot);
        }
}

// --- Events ---

uint64_t hidden_fields(const Session &s, TypeId type, ObjectId object)
{
    const uint32_t index = find(s, type, object);
    return index < s.claims.counts[type] ? claims_of(s, type)[index].set_fields : 0;
}

static void push_changed(Session &s, const KnownObject &object, uint64_t fields)
{
    if (fields == 0) return;
    Event event = {};
    event.kind = EventKind::object_changed;
    event.object = {
        .id = object.id, .changed_fields = fields, .type = object.type, .owner = object.owner};
    push_event(s, event);
}

void settle_optimistic(Session &s, const ClaimEvent &answer)
{
    const TypeId type = answer.type;
    if (type == no_type) return; // A claim is answered at the latest when its object is destroyed.
    const uint32_t index = find(s, type, answer.object);
    if (index == s.claims.counts[type]) return;
    const uint64_t fields = claims_of(s, type)[index].set_fields;
    const ObjectSlot slot = world::find_alive(s.replica->world, answer.object);
    if (slot == no_slot || fields == 0) return erase(s, type, index);
    const KnownObject &object = s.replica->world.slots[slot];
    const void *present = world::value(s.replica->world, s.types, slot);
    alignas(16) std::byte wanted[struct_bytes_max];
    std::memcpy(wanted, present, s.types.types[type].size_bytes);
    copy_fields(s, type, wanted, value_of(s, type, index), fields);
    erase(s, type, index);
    if (answer.refusal == ClaimRefusal::none && object.owner == s.replica->self)
        replica::set(*s.replica, slot, wanted);
    else
        push_changed(s, object, type_table::difference(s.types, type, present, wanted));
}

}
