// The values that the game sets of objects that it has claimed with ClaimMode::optimistic, until
// the claim is answered.
#pragma once
#include "session/session_types.h"

namespace tern::session {

// Starts to keep such values of a known object, whose claim has just been made.
void begin_optimistic(Session &s, ObjectSlot slot);
// Whether an optimistic claim of the object awaits its answer.
bool is_optimistic(const Session &s, ObjectSlot slot);
// Keeps a value that the game sets. False: there is no such claim, so the value is the replica's.
bool set_optimistic(Session &s, ObjectSlot slot, const void *value);
// The fields of an object whose replicated values are hidden by the game's own.
uint64_t optimistic_fields(const Session &s, TypeId type, ObjectId object);
// Applies the answer to a claim: the owner's first change if it was granted, else the replicated
// value shows again. Call it only while the values are hidden.
void settle_optimistic(Session &s, const ClaimEvent &answer);
// Called when receive() and send() end: get() and object_values() then give the game's values.
void show_optimistic(Session &s);
// Called when they begin: the replica then sees the replicated values only.
void hide_optimistic(Session &s);
// The replicated value of a known object, and the hash of all of them, shown or hidden.
const void *replicated(const Session &s, ObjectSlot slot);
uint64_t replicated_digest(const Session &s);

}
