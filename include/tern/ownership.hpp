// More on owners than tern.hpp: room for objects, locks, and what the host's game decides.
// docs/use/ownership.md.
#pragma once
#include "tern/types.hpp"

namespace tern {

// How many objects of this type create() can make now. The host divides what is free of objects_max
// among the members, and moves parts before they are used up. An object of ours counts as long as
// it lives, whoever owns it. 0 before State::open.
inline uint32_t creations_left(const Session *session, TypeId type)
{
    return tern_creations_left(session, type);
}

// On the owner: gives the object up to the host. This peer stays the owner until owner_changed, the
// only event that follows; what it sets meanwhile may be lost (OwnerChange::lost_ticks). If the
// host changes meanwhile, the new host takes the object. Nothing happens on the host itself.
inline bool release_ownership(Session *session, ObjectId object)
{
    return tern_release_ownership(session, to_c(object)) == TERN_OK;
}

// On the owner: while an object is locked, the host refuses claims of it with ClaimRefusal::locked,
// from when the host receives the lock until it receives the unlock or the object has another
// owner. A lock does not prevent migrate(). There is no event.
inline bool lock(Session *session, ObjectId object, bool locked)
{
    return tern_lock(session, to_c(object), locked) == TERN_OK;
}

// Identifies the current tenure (the time under one owner); rises with each change of owner.
inline uint64_t object_stamp(const Session *session, ObjectId object)
{
    return tern_object_stamp(session, to_c(object));
}

// --- On the host only ---
// Gives an object to a member, even if its owner has locked it. owner_changed follows on all peers.
// False, and nothing happens, if the object is destroyed or unknown, or if `to` is not a member
// that has caught up. Check the result: either can be so before the game gets the event.
inline bool migrate(Session *session, ObjectId object, PeerId to)
{
    return tern_migrate(session, to_c(object), to_c(to)) == TERN_OK;
}

// Answers claim_asked; the claimer gets claim_refused with ClaimRefusal::by_game.
inline bool refuse_claim(Session *session, ObjectId object, PeerId claimer)
{
    return tern_refuse_claim(session, to_c(object), to_c(claimer)) == TERN_OK;
}

// Gives objects of this type from the members that own most to those that own least, until no two
// differ by more than one. Objects that are locked or about to change owner stay. Nothing happens
// while a departure is being settled.
inline bool balance(Session *session, TypeId type)
{
    return tern_balance(session, type) == TERN_OK;
}

}
