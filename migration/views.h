// Who is a member: admission, departure, query and report, views. Rules: docs/membership.md.
#pragma once
#include "migration/messages.h"
#include "migration/replica.h"

namespace tern::views {

Verdict receive_view(Replica &r, PeerId from, BitReader reader);
Verdict receive_greeted(Replica &r, MemberSlot from, BitReader reader);
Verdict receive_caught_up(Replica &r, MemberSlot from, BitReader reader);
Verdict receive_query(Replica &r, MemberSlot from, BitReader reader);
Verdict receive_report_object(Replica &r, BitReader reader);
Verdict receive_report(Replica &r, MemberSlot from, BitReader reader);
Verdict receive_complaint(Replica &r, PeerId from, BitReader reader);
void write_item(BitWriter &w, Replica &r, MemberSlot to, Item &item); // welcome, view, query.

// This member cannot follow: the host counts it out, others complain to the host. Takes effect in
// settle(), so that nothing happens while the game plays.
void give_up(Replica &r, MemberSlot member);
// What waited: members given up, a departure that can end.
void settle(Replica &r);

// Whether an object of this type that a message brings has a place here. `unknown` counts the new
// ones in this message. May set the fault.
Verdict fits(Replica &r, ObjectId id, TypeId type, uint32_t &unknown);

}
