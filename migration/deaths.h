// The destroyed objects that this peer still has to announce to each member. The creator of an
// object, and the host, may announce its death as part of a range of ids; any other owner must
// prove with its grant that it owned the object. What waits is bounded: ranges between which no
// object lives merge, and proofs have a fixed number of places.
#pragma once
#include "migration/replica_types.h"

namespace tern::deaths {

// This peer has destroyed the object, which World::dead contains already. grant: the index + 1 of
// the grant by which it owned the object, or 0.
void announce(Replica &r, ObjectId object, uint32_t grant);
// Announces a range of World::dead to this member. Only on the host, and on the creator.
void owe(Replica &r, MemberSlot to, DeadRange range);
// Whether an announcement waits or is not acked by the member. Only for explain(): it is slow.
bool is_unacked(const Replica &r, MemberSlot member, ObjectId object);

// --- For message_queue ---
std::span<const DeadRange> owed(const Replica &r, MemberSlot member);
void take_owed(Replica &r, MemberSlot member, uint32_t count); // Removes the first ones.
// The next proof that waits, which is in flight from now on: its index. proofs.count: none waits.
uint32_t take_proof(Replica &r, MemberSlot member);
void proof_acked(Replica &r, MemberSlot member, uint32_t proof, uint64_t object);
void proofs_lost(Replica &r, MemberSlot member);   // All in flight to the member wait again.
void forget_member(Replica &r, MemberSlot member); // Nothing is announced to it any more.

}
