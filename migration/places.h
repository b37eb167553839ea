// Places: what keeps the living objects of a type at objects_max everywhere.
//
// An object lives in a place of its creator's, whoever owns it. Each place has a number, which
// every message that makes the object known carries, and holds one living object. So a receiver
// that learns of a newer creation in a place knows that the older one is dead, in whatever order
// their messages come. A peer uses as many places as its lease allows (leases.h). It may use a
// place again at once; but until every member has acked the deaths in it, the place counts as used
// and cannot go to another peer. Rules: docs/membership.md, "Capacity".
#pragma once
#include "migration/replica.h"

namespace tern::places {

// --- Creations of this peer ---
// How many objects of the type this peer may create now.
uint32_t left(const Replica &r, TypeId type);
// Gives the number of the place of a new creation; false: none is left.
bool take(Replica &r, TypeId type, uint32_t &number);
// Once per tick: frees the places whose deaths all have acked.
void settle(Replica &r);
// Call it when messages for the member were pulled.
void messages_pulled(Replica &r, MemberSlot member);
// A new connection to the member counts its messages from 1.
void rewind(Replica &r, MemberSlot member);

// --- Objects of all peers ---
// Finds the object that lives in a place, as far as this peer knows. no_slot: there is none.
ObjectSlot occupant(const Replica &r, PeerId creator, TypeId type, uint32_t number);
void move_in(Replica &r, ObjectSlot slot, uint32_t number);
void move_over(Replica &r, ObjectSlot slot, uint32_t number); // To another place, which is empty.
// Call it once for each object that has died: it leaves its place.
void died(Replica &r, ObjectSlot slot);

// Numbers the places, in a new block.
void set_up(Replica &r);

}
