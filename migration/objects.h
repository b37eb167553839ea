// The one rule, applied to every message about objects: the largest stamp wins, and dead stays
// dead. docs/use/ownership.md.
#pragma once
#include "migration/messages.h"
#include "migration/replica.h"

namespace tern {

// What a message says of a living object.
struct Live {
    ObjectId id;
    Stamp stamp;
    PeerId owner;
    uint32_t survived_tick; // Of the former owner's writes, the last that this tenure has.
};

namespace objects {

void join(Replica &r, const Live &live, const ObjectState &state);
void note_told(Replica &r, Slot slot);  // Its owner, who is another, has told its value.
void kill(Replica &r, ObjectId object); // Somebody says that it is dead.
void condemn(Replica &r, Slot slot);    // We own it, and destroy it while receiving.

// The game destroys an object of its own, while it plays: the packed arrays stay in place.
void destroy_by_game(Replica &r, Slot slot);

// Answers a claim of this peer's, if it is unanswered.
void refuse_claim_to_self(Replica &r, ObjectId object, ClaimRefusal reason);

// At the host: its game has given the object to `to`; others that it was asked for are refused.
void answer_asked(Replica &r, ObjectId object, PeerId to);

Verdict receive_create(Replica &r, PeerId from, BitReader reader);
Verdict receive_migrate(Replica &r, PeerId from, BitReader reader);
Verdict receive_destroy(Replica &r, PeerId from, BitReader reader);
Verdict receive_dead(Replica &r, MemberSlot from, BitReader reader);
Verdict receive_claim(Replica &r, PeerId from, BitReader reader);
// RELEASE, LOCK and UNLOCK: what an owner wants of the host.
Verdict receive_own_mark(Replica &r, PeerId from, MessageKind kind, BitReader reader);
// Tells the host one of them, of an object of our own.
void tell_own_mark(Replica &r, Slot slot, MessageKind kind);
void tell_own_marks(Replica &r); // To a new host, or to oneself.
void settle_claims(Replica &r);  // Answers to this peer's own, if it is the host.
Verdict receive_claim_refused(Replica &r, PeerId from, BitReader reader);

}
}
