// Breaches of the rules by members. What this peer has found itself is a fact; what another member
// reports is that member's word. Rules: docs/security.md, "Misbehaviour".
#pragma once
#include "migration/messages.h"
#include "migration/replica.h"
#include "tern/diagnostics.hpp"

namespace tern::breaches {

void found(Replica &r, MemberSlot member, Breach breach); // By this peer itself.
Verdict receive_accuse(Replica &r, MemberSlot from, BitReader reader);
// Writes an ACCUSE about a member with breaches that the host does not know, and returns the
// member. none: there is no such member, and nothing was written.
PeerId write_accuse(BitWriter &w, Replica &r);
void lost(Replica &r, PeerId accused); // An ACCUSE was not acked, and its connection has ended.
void follow_new_host(Replica &r);      // Accuses again, to the new host.
void forget(Replica &r, MemberSlot member); // The member has gone: its reports, and those about it.

// --- Two grants with one stamp ---
// Compares a genuine grant of another owner with those of our own objects. If two have one stamp
// and differ, their host lies, and all others get the proof. False: there is no room to keep it.
bool compare(Replica &r, const Grant &grant);
Verdict receive_equivocation(Replica &r, BitReader reader);
// Writes the next EQUIVOCATION for this member. False: there is none left, and nothing was written.
bool write_equivocation(BitWriter &w, Replica &r, MemberSlot to);
void sync(Replica &r, MemberSlot to);     // Sends a newcomer all proofs.
void drop(Replica &r, MemberSlot member); // Frees the proof about a member that leaves the view.

}
