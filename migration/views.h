// Who is a member: rosters, admission, joining. Rules: docs/membership.md.
#pragma once
#include "migration/messages.h"
#include "migration/replica.h"

namespace tern::views {

// Where in Replica::order this peer is or would be.
const uint16_t *place_in_order(const Replica &r, PeerId peer);

// The arguments of replica::welcome(); the reader is behind the kind.
Verdict receive_welcome(Replica &r, uint64_t session, const uint8_t *signing_secret,
                        const Identity &self, BitReader reader);
Verdict receive_view(Replica &r, PeerId from, BitReader reader);
Verdict receive_greeted(Replica &r, MemberSlot from, BitReader reader);
Verdict receive_caught_up(Replica &r, MemberSlot from, BitReader reader);
void write_item(BitWriter &w, Replica &r, MemberSlot to, Item &item); // welcome, view.
void tell_view(Replica &r);                                           // A new one, to everybody.
void finish_joining(Replica &r);                           // If everybody has greeted us.
void tell_own(Replica &r, MemberSlot to);                  // All that we own.
void finish_greetings(Replica &r);                         // At the host of a star.
void arrived(Replica &r, MemberSlot to, const Item &item); // welcome, view: acked.
void take_charge(Replica &r);            // As a new host: of our views nobody has one yet.
void voters_changed(Replica &r);         // The next view says so.
void give_votes(Replica &r);             // At the host: to who has caught up.
MemberSlot free_place(const Replica &r); // The lowest free member slot; no_member if all are used.
// At the host: adds this newcomer, which is not a member yet. There must be a free place.
void admit(Replica &r, PeerId id, const Identity &newcomer);
// Nothing more is taken from this member, or said to it.
void fence(Replica &r, MemberSlot slot);
void drop(Replica &r, MemberSlot slot); // The same, and its place is free.

// Whether a host before this peer can have had that term.
bool is_term_before(uint16_t number, PeerId peer);

// Whether an object of this type that a message brings has a place here. `unknown` counts the new
// ones in this message. May set the fault.
Verdict fits(Replica &r, ObjectId id, TypeId type, uint32_t &unknown);

}
