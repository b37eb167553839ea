// How departures end, including the host's: queries, reports, the change of host, orphans. Rules:
// docs/membership.md, "Departure" and "When the host goes".
#pragma once
#include "migration/messages.h"
#include "migration/replica.h"

namespace tern::departures {

Verdict receive_query(Replica &r, MemberSlot from, BitReader reader);
Verdict receive_report_object(Replica &r, MemberSlot from, BitReader reader);
Verdict receive_report(Replica &r, MemberSlot from, BitReader reader);
// On the host: a member asks that another one gets DEAD.
Verdict receive_dead_wanted(Replica &r, PeerId from, BitReader reader);
void write_query(BitWriter &w, const Replica &r);
void write_report(BitWriter &w, const Replica &r, uint32_t token);
// Whether a report to this member includes objects and destroyed ids.
bool has_news(const Replica &r, MemberSlot to);
// Whether such objects and ids count that come from this member now.
bool expects_news(const Replica &r, MemberSlot from);

// Sends a QUERY to all members; end_departure() then waits for their reports.
void ask_everybody(Replica &r);
// Answers the QUERY of the present successor(), if one waits here.
void answer_query(Replica &r);
// Whether the waiting QUERY of `asker` names this member as gone.
bool names(const Replica &r, MemberSlot asker, MemberSlot named);
// Whether enough voters of the last view are left for the session to continue. Those that have gone
// do not count, nor those for whom `away`, indexed by member slot, is not 0. Empty: nobody is away.
bool has_quorum(const Replica &r, std::span<const uint8_t> away);
// Asks all members what they know of others that have gone. Nobody is removed.
void ask_about_goodbyes(Replica &r);
// On the host, or its successor: removes the member. Takes effect in settle(), because owners may
// change only while receiving.
void give_up(Replica &r, MemberSlot member);
// Handles the members that were given up, and ends a departure when all have reported.
void settle(Replica &r);

}
