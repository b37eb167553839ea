// Breaches of the rules by members. What this peer has found itself is a fact; what another member
// reports is that member's word. Rules: docs/security.md, "Misbehaviour".
#pragma once
#include "migration/messages.h"
#include "migration/replica.h"

namespace tern::breaches {

void found(Replica &r, MemberSlot member, Breach breach); // By this peer itself.
Verdict receive_accuse(Replica &r, MemberSlot from, BitReader reader);
// Writes an ACCUSE about a member with breaches that the host does not know, and returns the
// member. none: there is no such member, and nothing was written.
PeerId write_accuse(BitWriter &w, Replica &r);
void lost(Replica &r, PeerId accused); // An ACCUSE was not acked, and its connection has ended.
void follow_new_host(Replica &r);      // Accuses again, to the new host.
void forget(Replica &r, MemberSlot member); // The member has gone: its reports, and those about it.

}
