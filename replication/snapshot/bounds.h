// Error bounds: the owner suppresses changes of bounded fields while receivers extrapolate them
// closely enough from the states that were sent. It flushes the whole state when they do not, when
// the object is due to a peer anyway, or when it has come to rest. Design: docs/decisions.md,
// "Error bounds".
#pragma once
#include "replication/world/world.h"

namespace tern {

struct Publisher;

// The two states of an own object that were flushed last. The owner assumes that all receivers
// extrapolate from both, whether or not they have arrived.
struct FlushedState {
    uint32_t older_tick, newest_tick; // newest_tick 0: there is none.
    uint32_t changed_tick;            // The last tick at which a bounded field changed.
};

struct Bounds {           // Open to publish.
    uint32_t float_count; // The largest number of floats that the bounded fields of one type have.
    uint32_t suppressed_count;
    Flat<uint64_t> fields;      // Indexed by type: a mask of the bounded fields. Constant.
    Flat<FlushedState> flushed; // Indexed by slot.
    Flat<float> states;         // [(slot * 2 + newest) * float_count]
    // A bit for each slot: a value is suppressed, or receivers may still extrapolate a movement.
    Flat<uint64_t> suppressed;
};

namespace bounds {

void place(flat::Builder &builder, Bounds &b, const TypeTable &types, uint32_t slot_count);
uint64_t fields_of(const Type &type); // A mask of the fields with a bound.

// Call it when a tenure of this peer has begun: receivers get its first value by the announcement.
void began(Bounds &b, const World &world, const TypeTable &types, ObjectSlot slot);
// Suppresses the new changes of bounded fields, and flushes what must be sent at this tick: it
// leaves that as changes of the world. Call it once per tick, before publish::begin().
void flush(Publisher &p, World &world, const TypeTable &types, PeerId self);
bool any_suppressed(const Bounds &b); // Then flush() can send more without another change.
void forget_object(Bounds &b, ObjectSlot slot);

}
}
