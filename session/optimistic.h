// The values that the game sets of objects that it has claimed with ClaimMode::optimistic, until
// the claim is answered.
#pragma once
#include "session/session_types.h"

namespace tern::session {

// Starts to keep such values of a known object, whose claim has just been made.
void begin_optimistic(Session &s, ObjectSlot slot);
// Whether an optimistic claim of the object awaits its answer.
bool is_optimistic(const Session &s, ObjectSlot slot);
// Keeps a normalised value that the game sets. False: there is no such claim, so the value is the
// replica's.
bool set_optimistic(Session &s, ObjectSlot slot, const std::byte *normal);
// The fields of an object whose replicated values are hidden by the game's own.
uint64_t hidden_fields(const Session &s, TypeId type, ObjectId object);
inline uint64_t optimistic_fields(const Session &s, TypeId type, ObjectId object)
{
    return s.claims.counts[type] > 0 ? hidden_fields(s, type, object) : 0;
}
// Applies the answer to a claim: the owner's first change if it was granted, else the replicated
// value shows again.
void settle_optimistic(Session &s, const ClaimEvent &answer);
// Called when receive() ends: takes over what has arrived for the fields that the game has not set.
void refresh_optimistic(Session &s);
// The value that the game has set of the object; null: none.
const void *optimistic_value(const Session &s, ObjectSlot slot);
// get() and object_values() give these.
inline const void *shown_value(const Session &s, ObjectSlot slot)
{
    const World &world = s.replica->world;
    const bool any = s.claims.counts[world.slots[slot].type] > 0;
    const void *value = any ? optimistic_value(s, slot) : nullptr;
    return value ? value : world::value(world, s.types, slot);
}
const void *shown_values(const Session &s, TypeId type);

}
