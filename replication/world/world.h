// The objects that a peer knows: ids through a lookup table, values in packed arrays per type, and
// the memory of the dead. One block of memory with the struct around it; see base/flat.h.
//
// A slot names an object inside this peer from add() until sweep(). Packed arrays list the living;
// behind them, until the next sweep, lie the values of those that died, so that they can be read.
#pragma once
#include "replication/world/dead.h"
#include "replication/world/stamp.h"
#include "replication/world/type_table.h"

namespace tern {

using Slot = uint32_t;
inline constexpr Slot no_slot = 0xffffffff;

enum class Life : uint8_t {
    none, // A free slot.
    alive,
    marked, // destroy() by this peer's game: dead, still in its packed array.
    dying   // Dead, moved to the far end of its type's part.
};

struct Object { // Open.
    ObjectId id;
    Stamp stamp;
    PeerId owner;
    TypeId type;
    Life life;
    bool hidden;         // From this peer: who tells it, tells no more of it for now.
    uint8_t zero[2];     // No padding: the block is hashed.
    uint32_t index;      // In the packed arrays of its type.
    uint32_t tick;       // The owner's tick of the value; compared within a tenure only.
    uint32_t grant;      // migration's: which grant made this tenure. 0: none.
    uint32_t sight_tick; // Of who tells it: of the newest word on whether it is hidden.
};

// The part of one type in the packed arrays.
struct Packed {
    uint32_t first;             // Where its part begins.
    uint32_t count;             // Alive or marked.
    uint32_t dying;             // At the far end.
    uint32_t alive;             // count less the marked.
    uint32_t capacity;          // objects_max and headroom for creations that cross.
    uint32_t value_first_bytes; // Where its values begin.
};

struct Received { // Values of a type.
    uint64_t bits, count;
};

struct World {       // Open to migration and session, which keep its rules by the functions below.
    uint32_t tick;   // This peer's; rises by one with each send().
    uint32_t serial; // Of the last object created here.
    uint32_t alive;  // Of all types.
    Flat<Object> slots;
    Flat<Slot> free_slots;
    Flat<Slot> lookup;          // Open addressing on the id; slot + 1, 0: empty. Never iterated.
    Flat<Packed> packed;        // By type.
    Flat<ObjectId> ids;         // By packed index.
    Flat<Slot> index_slots;     // By packed index.
    Flat<std::byte> values;     // By packed index, each type with its own stride, 16-aligned start.
    Flat<uint32_t> field_ticks; // [slot * fields_count_max + field]: the owner's last change.
    Dead dead;
    Flat<Received> received; // By type. Not state.
};

namespace world {

// Slots for a type: objects_max, and headroom for creations that cross: a quarter and 16 more.
inline uint32_t capacity(const Type &type)
{
    return type.objects_max == 0 ? 0 : type.objects_max + type.objects_max / 4 + 16;
}
// The block must be zero, and aligned to 16 bytes here and wherever it is copied to.
// World::received is placed by the caller, where nothing is state.
void place(flat::Builder &builder, World &world, const TypeTable &types, uint32_t dead_max);

Slot find(const World &world, ObjectId id); // Alive, marked or dying. no_slot if unknown.
Slot find_alive(const World &world, ObjectId id);
// As find(), which it may spare: what was created one after the other often lies as far apart in
// slots as in ids. `slot` is of another object, or no_slot.
Slot find_near(const World &world, Slot slot, ObjectId id);
bool room(const World &world, TypeId type); // For one more object.
// A new object with a value of zeros and all field ticks 0. There must be room and no such id.
Slot add(World &world, const TypeTable &types, ObjectId id, TypeId type);
void *value(World &world, const TypeTable &types, Slot slot);
const void *value(const World &world, const TypeTable &types, Slot slot);

// Dead from now on: its id joins the dead, its slot stays until sweep(). mark() leaves the packed
// arrays in place (for the game's own destroy); bury() moves it behind them. False if the memory
// of the dead is full; then nothing changed.
bool mark(World &world, Slot slot);
bool bury(World &world, const TypeTable &types, Slot slot);
// Frees the slots of all that is marked or dying. Invalidates packed indices.
void sweep(World &world, const TypeTable &types);

// Sets a value of this peer's own: normalises, stamps the changed fields and the object with
// world.tick. The mask of fields that changed. The tick must be one of which no UPDATE has been
// sent: whoever sends raises world.tick before the next write().
uint64_t write(World &world, const TypeTable &types, Slot slot, const void *value);
uint32_t &field_tick(World &world, Slot slot, uint32_t field);
uint32_t field_tick(const World &world, Slot slot, uint32_t field);
uint32_t changed_tick(const World &world, const TypeTable &types, Slot slot); // Newest of fields.

// For the statistics of a type: an object, or its change, of so many bits.
void count_received(World &world, TypeId type, uint64_t bit_count);

// Of all living objects, wherever they lie: id, stamp, owner, type, fields. Allocates nothing.
uint64_t digest(const World &world, const TypeTable &types);

// Asserts that slots, lookup, packed arrays and counts agree. Slow; for tests and slow asserts.
void check(const World &world);

}
}
