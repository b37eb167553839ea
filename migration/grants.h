// How owners change: the host turns requested transfers into signed grants, and the grantee takes
// the objects over. Rules: docs/use/ownership.md, "How an owner changes".
#pragma once
#include "migration/messages.h"
#include "migration/objects.h"
#include "migration/replica.h"

namespace tern::grants {

// --- The host ---
// Grants the requested transfers. Those to the host itself (to_all) only while receiving, because
// its own objects must not change while the game runs.
enum class Taking : uint8_t { to_others, to_all };
void settle(Replica &r, Taking taking);
// Requests a transfer. It replaces an earlier request for the object, whose claim is refused.
void request_transfer(Replica &r, ObjectSlot slot, PeerId to);
void forget_pending_owner(Replica &r, ObjectSlot slot);
bool orphaned(const Replica &r, ObjectSlot slot); // Alive, but its owner has gone.
// Grants all orphans to the host. Requested transfers of orphans stay, for settle().
void adopt_orphans(Replica &r);
// Whether the object belongs to the peer once all that is requested and granted has been announced.
bool is_intended_for(const Replica &r, ObjectSlot slot, PeerId peer);
// A tenure with this stamp has begun here: it and earlier grants of the object are not outstanding.
void forget_outstanding(Replica &r, ObjectSlot slot, Stamp stamp);
// Whether the tenure follows from a grant of this host, in whose term its stamp is. True also if it
// changes nothing here.
bool has_granted(const Replica &r, const TenureInfo &tenure);
// Whether there is room for grants of this many objects to one owner.
bool room(const Replica &r, uint32_t objects);

// --- Whoever holds a grant ---
// Drops a reference. `grant`: index + 1.
void unreference(Replica &r, uint32_t grant);
// The slot of the grant's object i, if we own it through this grant; else no_slot.
ObjectSlot own_slot(const Replica &r, const Grant &grant, uint16_t i);
// Keeps a copy of the grant, with one reference. There must be a free one. Returns its index + 1.
uint32_t keep(Replica &r, const Grant &grant);
bool is_signed(Replica &r, const Grant &grant, const uint8_t *key);
// Whether the host named in its stamp signed it. Only for hosts whose key is known here.
bool genuine(Replica &r, const Grant &grant);
bool names(const Grant &grant, ObjectId object);
Verdict receive_grant(Replica &r, PeerId from, BitReader reader);

// The tick of our copy of the value. An owner's value is always of the present tick.
uint32_t value_tick(const Replica &r, const KnownObject &object);
// Clears what this peer kept as the owner, or as the host of a star: the object has died or gets a
// new tenure.
void give_away(Replica &r, ObjectSlot slot);

}
