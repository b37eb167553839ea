// How departures end, the host's too: query, report, who takes charge, orphans. Rules:
// docs/membership.md.
#pragma once
#include "migration/messages.h"
#include "migration/replica.h"

namespace tern::departures {

Verdict receive_query(Replica &r, MemberSlot from, BitReader reader);
Verdict receive_report_object(Replica &r, BitReader reader);
Verdict receive_report(Replica &r, MemberSlot from, BitReader reader);
Verdict receive_complaint(Replica &r, PeerId from, BitReader reader);
void write_query(BitWriter &w, const Replica &r, const Item &item);
void write_report(BitWriter &w, const Replica &r, const Item &item);

// A query to all members; the reports to it are awaited.
void ask_everybody(Replica &r);
void answer_query(Replica &r); // That of who leads now, if it waits.
// Whether the query of `asker` that waits names this one as gone.
bool names(const Replica &r, MemberSlot asker, MemberSlot named);
// Whether enough of the last view are left to go on.
bool has_quorum(const Replica &r);
// This member cannot follow: the host counts it out, others complain to the host. Takes effect in
// settle(), so that nothing happens while the game plays.
void give_up(Replica &r, MemberSlot member);
// What waited: members given up, queries of whom we follow now, a departure that can end.
void settle(Replica &r);

}
