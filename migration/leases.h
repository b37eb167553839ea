// Leases: how many places (places.h) of a type each member may use. The leases of all members
// together are at most objects_max. The host shares the free places equally, and moves them when a
// member runs low; a departed member's become the host's. Rules: docs/membership.md, "Capacity".
#pragma once
#include "migration/messages.h"
#include "migration/replica.h"

namespace tern::leases {

// This peer has used a place, or found none: asks for more once three quarters of those are used
// that were free after the last change of its lease.
void used(Replica &r, TypeId type);

// The first peer of a session holds all places.
void start(Replica &r);
// The member has this slot from now on: counts what it has created, if that came before.
void begin_member(Replica &r, MemberSlot member);
void end_member(Replica &r, MemberSlot member); // It has left the view.
// An object has come to life here, or has died.
void came_alive(Replica &r, const KnownObject &object);
void died(Replica &r, const KnownObject &object);
// Whether the member may have created another object, in this place. Others than the host refuse
// that only to a member that has exceeded its lease: see below.
bool allow(const Replica &r, PeerId creator, TypeId type, uint32_t place);
// On the host, before end_departure(): by how many living objects of this type the members that
// depart have exceeded their leases.
uint32_t excess_of_departed(const Replica &r, size_t type);
// On the host: leases places to a newcomer.
void admit(Replica &r, MemberSlot member);
// On a member that is about to report to a new host: what the last host may have changed meanwhile
// counts no more.
void begin_report(Replica &r);
// On the host: takes the places of the members that are fenced, before they are dropped, and a new
// host all that the others have not reported.
void end_departure(Replica &r);
// On a member that follows a new host: what was asked of the last one is asked again.
void follow_new_host(Replica &r);
// On the host, once per tick, after all messages: moves places between members.
void settle(Replica &r);

// --- Messages ---
// LEASE: the host tells a member its lease, and how many places it wants back. A member tells the
// host how many it keeps, and whether it wants more.
// Writes what waits for a member. Returns how many types the message is about, and lists them in
// `about`; 0: nothing waited.
using LeasedTypes = TypeId[grant_objects_max];
uint32_t write(BitWriter &w, Replica &r, MemberSlot to, LeasedTypes &about);
// A message about this type may not have arrived; it is written again.
void lost(Replica &r, MemberSlot to, TypeId type);
Verdict receive(Replica &r, MemberSlot from, BitReader reader);
// A REPORT says how many places of each type the sender holds.
struct HeldPlaces {
    uint32_t of_type[types_max];
};
void write_held(BitWriter &w, const Replica &r);
void read_held(BitReader &reader, const Replica &r, HeldPlaces &held);
// They become the lease of that member.
void take_held(Replica &r, MemberSlot from, const HeldPlaces &held);

}

// A shortage: an object finds no room here, although the leases of all members leave room for all
// that may be created. Then a member of this mesh has shown this peer more objects than its lease
// allows, and has hidden them from the host, which alone knows the leases. This peer asks the host
// for them, charges whoever exceeds its lease, and destroys what is too much.
//
// The messages of the host may wait for the same room. So question and answer are unreliable
// messages (docs/wire_format.md, "Notices"); questions are repeated until all is answered.
namespace tern::shortage {

// An object of this type has found no room.
void begin(Replica &r, TypeId type);
// An object that the member in this slot had created has died.
void died(Replica &r, MemberSlot creator, TypeId type);
void forget(Replica &r, MemberSlot member); // The member has gone.
// Whether this peer knows that the member has room for no further object of the type. Only a
// member that has exceeded its lease is known so well.
bool is_full(const Replica &r, MemberSlot member, TypeId type);

}
