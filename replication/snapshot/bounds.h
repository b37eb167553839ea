// Error bounds: the owner holds back changes of fields with a bound as long as what receivers
// extrapolate from what they were told is near enough, and releases the whole state when it is not,
// when another field of it has changed, or when it has come to rest. design: docs/decisions.md,
// "Error bounds".
#pragma once
#include "replication/world/world.h"

namespace tern {

struct Publisher;

// Two states of an own object that were released: what all receivers are taken to extrapolate from,
// whatever of it each has got.
struct Released {
    uint32_t older_tick, newest_tick; // newest_tick 0: none.
    uint32_t changed_tick;            // Of the last change of the value.
};

struct Bounds {           // Open to publish.
    uint32_t float_count; // Of the bounded fields of the type with most.
    uint32_t held_count;
    Flat<uint64_t> fields;   // By type: those with a bound. Constant.
    Flat<Released> released; // By slot.
    Flat<float> states;      // [(slot * 2 + newest) * float_count]
    Flat<uint64_t> held;     // By slot, a bit each: its value or what is extrapolated of it moves.
};

namespace bounds {

void place(flat::Builder &builder, Bounds &b, const TypeTable &types, uint32_t slot_count);
uint64_t fields_of(const Type &type); // Those with a bound.

// world::write(), and what of it need not be held back is publish::changed(). Whether it changed.
bool set(Publisher &p, World &world, const TypeTable &types, Slot slot, const void *value);
// Before what is sent at a tick is begun.
void release(Publisher &p, World &world, const TypeTable &types);
bool holds_any(const Bounds &b); // Then there is more to come, without another set().
void forget_object(Bounds &b, Slot slot);

}
}
