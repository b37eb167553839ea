// The objects that a peer knows: a lookup table of ids, values in packed arrays by type, and the
// tombstones of destroyed objects. All of it lies in one block of memory with the struct; see
// base/flat.h.
//
// A slot names an object inside this peer from add() until sweep(). The packed arrays begin with
// the living objects; the values of destroyed ones stay readable behind them until the next
// sweep().
#pragma once
#include "replication/world/dead.h"
#include "replication/world/stamp.h"
#include "replication/world/type_table.h"

namespace tern {

using ObjectSlot = uint32_t;
inline constexpr ObjectSlot no_slot = 0xffffffff;

enum class Life : uint8_t {
    none, // The slot is free.
    alive,
    destroyed, // Destroyed by this peer's game; still in the packed array.
    dying      // Destroyed; moved to the far end of its type's part.
};

struct KnownObject { // Open.
    ObjectId id;
    Stamp stamp;
    PeerId owner;
    TypeId type;
    Life life;
    // The sender has stopped updating this object for this peer; the last value stays readable.
    bool hidden;
    uint8_t zero[2]; // Explicit padding: the block is hashed.
    uint32_t index;  // Position in the packed arrays.
    uint32_t tick;   // The owner's tick of the value; comparable only within a tenure.
    uint32_t grant;  // Used by migration: the grant that began this tenure; 0: none.
    // The sender's tick of the newest message that decided whether the object is hidden.
    uint32_t visibility_tick;
    uint32_t place; // Used by migration: see migration/places.h.
    uint32_t more_zero;
};

// The part of one type in the packed arrays; the living come first.
struct Packed {
    uint32_t first;             // The first index of the part.
    uint32_t count;             // Objects that are alive, or destroyed in place.
    uint32_t dying;             // Objects at the far end of the part.
    uint32_t alive;             // `count` without the destroyed ones.
    uint32_t capacity;          // See world::capacity().
    uint32_t value_first_bytes; // The offset of its values in World::values.
};

struct Received { // Objects and updates that arrived, for statistics.
    uint64_t bits, count;
};

struct World {       // Open to migration and session, which change it through the functions below.
    uint32_t tick;   // This peer's tick; send() raises it by one.
    uint32_t serial; // The serial of the last object that this peer created.
    uint32_t alive;  // Living objects of all types.
    uint32_t changed_count; // Bits set in `changed`.
    Flat<KnownObject> slots;
    Flat<ObjectSlot> free_slots;
    // A hash table with linear probing: slot + 1, or 0 for an empty place. Never iterated, so that
    // nothing depends on its order.
    Flat<ObjectSlot> lookup;
    Flat<Packed> packed;          // Indexed by type.
    Flat<ObjectId> ids;           // Indexed by packed index.
    Flat<ObjectSlot> index_slots; // Indexed by packed index.
    // In the order of the packed indices; each type has its own stride, and its part begins at a
    // multiple of 16 bytes.
    Flat<std::byte> values;
    // [slot * fields_count_max + field]: the owner's tick of the field's last change.
    Flat<uint32_t> field_ticks;
    Flat<uint64_t> changed; // A bit for each slot: see set_changed().
    Dead dead;
    Flat<Received> received; // Indexed by type. Not part of the hashed state.
};

namespace world {

// Slots for a type: objects_max for the living, plus headroom for those that were destroyed in this
// tick: a quarter of it and 16 more, but no more than objects_max again.
inline uint32_t capacity(const Type &type)
{
    const uint32_t headroom = type.objects_max / 4 + 16;
    return type.objects_max + (headroom < type.objects_max ? headroom : type.objects_max);
}
// The block must be zero, and aligned to 16 bytes here and wherever it is copied to. The caller
// places World::received, outside of the hashed part.
void place(flat::Builder &builder, World &world, const TypeTable &types, uint32_t dead_max);

ObjectSlot find(const World &world, ObjectId id); // In any life but none; no_slot if unknown.
ObjectSlot find_alive(const World &world, ObjectId id);
// Like find(), but first tries the slot that lies as far from `slot` as the ids lie apart: objects
// that were created in a row usually have slots in a row. `slot`: of another object; or no_slot,
// which stands for slot 0.
ObjectSlot find_near(const World &world, ObjectSlot slot, ObjectId id);
bool room(const World &world, TypeId type); // Whether one more object fits.
// Adds an object whose value and field ticks are zero. Requires room() and an unknown id.
ObjectSlot add(World &world, const TypeTable &types, ObjectId id, TypeId type);
void *value(World &world, const TypeTable &types, ObjectSlot slot);
const void *value(const World &world, const TypeTable &types, ObjectSlot slot);

// Destroy an object: its id becomes a tombstone, its slot stays until sweep(). The first leaves the
// packed arrays as they are, for the game's own destroy(); the second moves the object behind the
// living.
void destroy_in_place(World &world, ObjectSlot slot);
void destroy_and_move(World &world, const TypeTable &types, ObjectSlot slot);
// Makes tombstones of these ids. None of them may be alive. If World::dead is full, ids of one
// creator that lie between tombstones, and that no living object here has, die too: dead::widen().
void add_tombstones(World &world, DeadRange range);
// Frees the slots of all destroyed and dying objects. Packed indices change.
void sweep(World &world, const TypeTable &types);

// Sets the value of an own object: normalises it, gives the changed fields and the object the tick
// world.tick, and notes the change. Returns the mask of changed fields. No UPDATE of world.tick may
// have been sent: the sender raises the tick after sending.
uint64_t write(World &world, const TypeTable &types, ObjectSlot slot, const void *value);
// This write() takes a value that type_table::normalise() has made.
uint64_t write_normal(World &world, const TypeTable &types, ObjectSlot slot, const void *value);
// Notes that members need the object's changes, or that none does. publish::begin() forgets all.
void set_changed(World &world, ObjectSlot slot, bool changed);
uint32_t &field_tick(World &world, ObjectSlot slot, uint32_t field);
uint32_t field_tick(const World &world, ObjectSlot slot, uint32_t field);
// A mask of the fields whose last change was at that tick.
uint64_t changed_fields(const World &world, const TypeTable &types, ObjectSlot slot, uint32_t tick);
// The newest field tick.
uint32_t changed_tick(const World &world, const TypeTable &types, ObjectSlot slot);

// Counts an object, or its update, of that many bits.
void count_received(World &world, TypeId type, uint64_t bit_count);

// A hash over id, stamp, owner, type and fields of all living objects; their order in memory does
// not matter. Allocates nothing.
uint64_t digest(const World &world, const TypeTable &types);

// Asserts that slots, lookup table, packed arrays and counts agree. Slow: for tests and
// TERN_SLOW_ASSERT.
void check(const World &world);

}
}
