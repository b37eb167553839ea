// Membership: views, admission, the world sync of newcomers, votes. Rules: docs/membership.md.
#pragma once
#include "migration/messages.h"
#include "migration/replica.h"

namespace tern::views {

// The place of this peer in Replica::order and Replica::ids, or where it would be.
size_t place_in_order(const Replica &r, PeerId peer);

// The rest of replica::welcome(), with a reader that stands behind the kind.
Verdict receive_welcome(Replica &r, uint64_t session, const uint8_t *signing_secret,
                        const Identity &self, BitReader reader);
Verdict receive_view(Replica &r, PeerId from, BitReader reader);
Verdict receive_synced(Replica &r, MemberSlot from, BitReader reader);
Verdict receive_caught_up(Replica &r, MemberSlot from, BitReader reader);
// WELCOME or VIEW.
void write(BitWriter &w, Replica &r, MemberSlot to, MessageKind kind);
void arrived(Replica &r, MemberSlot to, uint32_t view); // The member has this view.
void send_view(Replica &r); // Begins a new view and sends it to everybody.
// Ends joining when the world sync of every member has arrived.
void finish_joining(Replica &r);
void send_own(Replica &r, MemberSlot to); // Announces all objects that this peer owns.
// On the host of a star: ends the world sync of the newcomers that all members know.
void finish_world_syncs(Replica &r);
void take_charge(Replica &r);    // A new host: its first VIEW must contain all identities.
void voters_changed(Replica &r); // Call it before the send_view() that changes who votes.
// On the host: gives votes to members that have caught up.
void give_votes(Replica &r);
MemberSlot free_place(const Replica &r); // The lowest free member slot; no_member if all are used.
// On the host: makes a newcomer a member. There must be a free place.
void admit(Replica &r, PeerId id, const Identity &newcomer);
// The member has gone: from now on nothing is accepted from it or sent to it.
void fence(Replica &r, MemberSlot slot);
void drop(Replica &r, MemberSlot slot); // Fences the member, and frees its slot.

// Whether a host with a lower id than this peer can have had that term.
bool is_term_before(uint16_t number, PeerId peer);

// The objects of one message that were not known here.
struct NewObject {
    TypeId type;
    bool place_is_empty; // Otherwise what this peer believes to live there is dead.
};
struct NewObjects {
    NewObject objects[grant_objects_max];
    uint32_t count;
};
// Whether this peer knows the object with another type or place. Its creator alone can have caused
// that: it has sent each member another CREATE.
bool differs(const Replica &r, ObjectId id, TypeId type, uint32_t place);
// Whether there is room for an object of this type that a message brings; ok also if it is known or
// destroyed. `fresh` lists the new objects of the message. Verdict::later: objects that died in
// this tick still take room or, while we join, the deaths of others are still to come.
Verdict fits(Replica &r, ObjectId id, TypeId type, uint32_t place, NewObjects &fresh);

}
