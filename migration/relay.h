// The host of a star: what it hears of an object it tells everybody else, as the state that it has,
// with acks of its own; and what its clients do when another takes its place.
// docs/use/topologies.md
#pragma once
#include "migration/messages.h"
#include "migration/replica.h"

namespace tern::relay {

// --- The host. Each does nothing if this peer is none, or in a mesh. ---
void begin(Replica &r);                   // It has become host: all are told all.
void tell_all(Replica &r, MemberSlot to); // Everything that lives.
// An object is new here, or of a new tenure: of another's, with the last write that it has of the
// owner before.
void began(Replica &r, Slot slot, uint32_t survived_tick);
void changed(Replica &r, Slot slot, uint64_t fields); // By its owner, who is another.
// Told by its owner as it was: that it stays there, if it is bounded.
void repeated(Replica &r, Slot slot);
void died(Replica &r, ObjectId object, PeerId sayer); // All but he are told.
void write(BitWriter &w, Replica &r, MemberSlot to, Item &item);
void arrived(Replica &r, MemberSlot to, const Item &item);

// --- A client ---
void greet_leader(Replica &r); // Somebody else leads now: he is told all that we own.
Verdict receive(Replica &r, PeerId from, BitReader reader);

}
