// Who owns: the host's wishes become signed grants, and a granted peer becomes the owner.
#pragma once
#include "migration/messages.h"
#include "migration/replica.h"

namespace tern::grants {

// --- The host ---
// Makes grants of the wishes. Not to itself while the game plays: owners change in receive() only.
enum class Taking : uint8_t { to_others, to_all };
void settle(Replica &r, Taking taking);
void wish(Replica &r, Slot slot, PeerId to); // The last wish for an object counts.
void forget_wish(Replica &r, Slot slot);     // It has died.
bool orphaned(const Replica &r, Slot slot);  // It lives, and its owner has gone.
void adopt_orphans(Replica &r); // All of owners that have gone. A wish for one is served after it.
bool room(const Replica &r, uint32_t objects); // For grants of so many objects.

// --- Whoever holds a grant ---
void unreference(Replica &r, uint32_t grant); // index + 1
// The slot of one of its objects, if it is ours by this very grant; else no_slot.
Slot own_slot(const Replica &r, const Grant &grant, uint16_t i);
// Whether the host of its term signed it.
bool genuine(const Replica &r, const Grant &grant);
bool names(const Grant &grant, ObjectId object);
Verdict receive_grant(Replica &r, PeerId from, BitReader reader);

// The tick of the value that we have: the owner's own value is always of now.
uint32_t value_tick(const Replica &r, const Object &object);
// This peer owns the object no more: it died, or is another's.
void give_away(Replica &r, Slot slot);

}
