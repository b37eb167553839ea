// The convergence rule, applied to every message about objects: the largest stamp wins, and dead
// objects stay dead. docs/use/ownership.md.
#pragma once
#include "migration/messages.h"
#include "migration/replica.h"

namespace tern {

// The content of a message about a living object, besides its value.
struct TenureInfo {
    ObjectId id;
    Stamp stamp;
    PeerId owner;
    uint32_t place;         // See places.h.
    uint32_t survived_tick; // Tick of the former owner's last write that this tenure includes.
};

namespace replica_objects {

// Ids that nobody has given yet must not be dead, or the peers that believe it ignore the objects
// that get them later. So a report may name ids up to a distance after those that this peer knows
// otherwise. The creator skips them when the host announces their deaths.
inline constexpr uint32_t reported_serials_max = 1 << 19;
bool may_have_given(const Replica &r, ObjectId object);
void note_given(Replica &r, ObjectId object); // It has got this id.

enum class Source : uint8_t { message, report };
// Applies the state of a living object that a message carries, if the rule accepts it.
void join(Replica &r, const TenureInfo &tenure, const ObjectState &state, Source source);
// Adds the object's present value to the state history, after its owner's message was applied.
void push_state_history(Replica &r, ObjectSlot slot);
// Destroys what this peer believes to live in the place of an object that was not known here; false
// if that is the newer one, so that the object is dead.
bool clear_place(Replica &r, ObjectId id, TypeId type, uint32_t place);
// Whether a tenure that names this type and place may begin with the object in this slot. Its
// creator may have named another place to each member; then that of the newest grant counts, and
// the object moves there.
bool takes_place(Replica &r, ObjectSlot slot, Stamp stamp, TypeId type, uint32_t place);
// A message states that the object is dead; it may be unknown here.
void destroy_reported(Replica &r, ObjectId object);
// Destroys an own object while receiving, and announces that.
void destroy_own(Replica &r, ObjectSlot slot);
// Destroys an own object for the game, and announces that. The packed arrays stay in place, because
// the game may be iterating over them.
void destroy_by_game(Replica &r, ObjectSlot slot);

// Refuses this peer's claim of the object, if one is pending.
void refuse_claim_to_self(Replica &r, ObjectId object, ClaimRefusal reason);

// On the host: `to` is to have the object. All other claims about which its game was asked are
// refused.
void answer_asked(Replica &r, ObjectId object, PeerId to);

Verdict receive_create(Replica &r, PeerId from, BitReader reader);
Verdict receive_migrate(Replica &r, PeerId from, BitReader reader);
Verdict receive_destroy(Replica &r, PeerId from, BitReader reader);
Verdict receive_dead(Replica &r, MemberSlot from, BitReader reader);
Verdict receive_claim(Replica &r, PeerId from, BitReader reader);
// RELEASE, LOCK and UNLOCK: an owner's requests to the host.
Verdict receive_owner_request(Replica &r, PeerId from, MessageKind kind, BitReader reader);
// Sends the host such a request about an own object, or applies it if this peer is the host.
void send_owner_request(Replica &r, ObjectSlot slot, OwnerRequest request);
void send_owner_requests(Replica &r); // Repeats all requests that are in effect.
void settle_claims(Replica &r);       // On the host: answers its own claims.
Verdict receive_claim_refused(Replica &r, PeerId from, BitReader reader);

}
}
