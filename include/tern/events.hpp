// Events: what receive() returns.
#pragma once
#include "tern/types.hpp"

namespace tern {

// The comment of each kind begins with the member of Event that it sets.
enum class EventKind : uint32_t {
    // The session.
    join_progress, // progress. While joining, at most once for each percent.
    caught_up,     // peer: this one. After join(): the objects of all are here; the state is open.
    join_asked,    // newcomer. On the host with Admission::ask_game: admit() or refuse() answers.
    peer_joined,   // newcomer. Who was there before this peer joined is in other_peers() only.
    peer_left,     // peer. Events of its orphans follow once the departure is settled.
    misbehaved,    // misbehaved. Reports of other members come to the host only. Once for each
                   // peer, breach and reporter; Stats counts them all.
    host_lost,     // peer: the lost host. Claims wait for the next host; all else continues, and
                   // host_changed follows. If the state is joining: discard all earlier events,
                   // because this peer joins with another member, as a new peer. The others have
                   // its objects, or will. If the state was open or cut_off before, the former
                   // world can be read until the next receive().
    host_changed,  // host. Owner changes that the new host decides come after this event.
    // Objects. What this peer itself creates, sets and destroys causes no event.
    object_created, // object. While joining, for each object that is there, before caught_up.
    object_changed, // object: changed_fields have new values from the owner. Those that come with a
                    // new owner are in owner_changed only.
    object_destroyed, // object. It can be read until the next receive().
    object_hidden,    // object. Its sender stopped updating us (set_priority()); it stays readable.
    object_shown,     // object. Updates resume; what changed meanwhile arrives now or soon after.
    owner_changed,    // owner. It comes before object_orphaned or claim_granted of the object.
    object_orphaned,  // owner. On the host with Orphan::ask_game: migrate(), destroy() or keep it.
    // Claims.
    claim_asked,   // claim. On the host with ClaimPolicy::ask_game: migrate() or refuse_claim().
    claim_granted, // claim. On the claimer, after owner_changed: it owns the object.
    claim_refused, // claim, with the refusal. On the claimer. If the claim was optimistic and what
                   // was set differs from the replicated value, object_changed follows.
    // Calls.
    call,       // call. If its id is not none, the caller awaits a reply().
    reply,      // call. Answers request().
    call_failed // call, with the failure: a call of ours failed.
};

struct JoinProgress {          // join_progress.
    uint32_t objects_here;     // Objects that have arrived; at most objects_expected.
    uint32_t objects_expected; // Alive when the host admitted us. Some may die before they arrive.
};

struct Newcomer { // join_asked, peer_joined.
    PeerId peer;
    PeerId previous;        // Its id before it was removed, if we were a member then; else none.
    uint16_t payload_bytes; // Size of the payload.
    const char *name;       // Its Config::name.
    const void *payload;    // join_asked: the JoinPayload.
};

struct BreachReport {      // misbehaved.
    PeerId peer, reporter; // The reporter is none if this peer has found the breach.
    Breach breach;
};

struct HostChange {        // host_changed.
    PeerId peer, previous; // The new host, and the host before.
};

struct ObjectEvent { // object_created, _changed, _destroyed, _hidden, _shown.
    ObjectId id;
    uint64_t changed_fields; // Bit i: Type::fields[i]; none that an optimistic claim overrides.
    TypeId type;
    PeerId owner;
};

struct OwnerChange { // owner_changed, object_orphaned.
    ObjectId object;
    uint64_t changed_fields; // Changes that the new owner made at once may be among them.
    uint32_t lost_ticks;     // On the previous owner: ticks of its last writes that are lost.
    TypeId type;
    // The new owner, and the last one that this peer knew: it may have missed tenures between. Both
    // are equal if the host granted the object to its owner anew, as a new host may.
    PeerId owner, previous;
};

struct ClaimEvent { // claim_asked, claim_granted, claim_refused.
    ObjectId object;
    TypeId type;    // no_type: this peer does not know the object.
    PeerId claimer; // claim_granted, claim_refused: this peer.
    ClaimRefusal refusal;
};

struct CallEvent {         // call, reply, call_failed.
    ObjectId object;       // The call was to the owner of this object; none: it was to a peer.
    const void *arguments; // The struct. Null: a call() to a member, which refused it.
    CallId id; // call: reply() takes it, or none. Else it is our own call; none for any call().
    CallFailure failure;
    uint16_t argument_bytes; // Size of the arguments.
    TypeId type;
    PeerId peer; // The caller, or who replies. call_failed: the recipient, none if there was none.
};

// One event. Valid until the next receive(), with all that it points to. get() and the like give
// the state after all events of this receive(). The kind tells which member of the union is set,
// and only that one may be read; object_of() and peer_of() read what most of them have.
struct Event {
    EventKind kind;
    union {
        uint64_t _room[7]; // The largest member is the first, so that Event{} is all zero.
        CallEvent call;
        ObjectEvent object;
        OwnerChange owner;
        ClaimEvent claim;
        Newcomer newcomer;
        BreachReport misbehaved;
        HostChange host;
        JoinProgress progress;
        PeerId peer; // caught_up, peer_left, host_lost.
    };
};
TERN_TWINS(Event, tern_event);

// Gives the object that an event is about, or whose owner was called. none: there is no object.
inline ObjectId object_of(const Event &event)
{
    switch (event.kind) {
    case EventKind::join_progress:
    case EventKind::caught_up:
    case EventKind::join_asked:
    case EventKind::peer_joined:
    case EventKind::peer_left:
    case EventKind::misbehaved:
    case EventKind::host_lost:
    case EventKind::host_changed: return ObjectId::none;
    case EventKind::object_created:
    case EventKind::object_changed:
    case EventKind::object_destroyed:
    case EventKind::object_hidden:
    case EventKind::object_shown: return event.object.id;
    case EventKind::owner_changed:
    case EventKind::object_orphaned: return event.owner.object;
    case EventKind::claim_asked:
    case EventKind::claim_granted:
    case EventKind::claim_refused: return event.claim.object;
    case EventKind::call:
    case EventKind::reply:
    case EventKind::call_failed: return event.call.object;
    }
    return ObjectId::none;
}

// Gives the peer that an event is about: also an owner, claimer or caller. none: there is no peer.
inline PeerId peer_of(const Event &event)
{
    switch (event.kind) {
    case EventKind::join_progress: return PeerId::none;
    case EventKind::join_asked:
    case EventKind::peer_joined: return event.newcomer.peer;
    case EventKind::caught_up:
    case EventKind::peer_left:
    case EventKind::host_lost: return event.peer;
    case EventKind::misbehaved: return event.misbehaved.peer;
    case EventKind::host_changed: return event.host.peer;
    case EventKind::object_created:
    case EventKind::object_changed:
    case EventKind::object_destroyed:
    case EventKind::object_hidden:
    case EventKind::object_shown: return event.object.owner;
    case EventKind::owner_changed:
    case EventKind::object_orphaned: return event.owner.owner;
    case EventKind::claim_asked:
    case EventKind::claim_granted:
    case EventKind::claim_refused: return event.claim.claimer;
    case EventKind::call:
    case EventKind::reply:
    case EventKind::call_failed: return event.call.peer;
    }
    return PeerId::none;
}

}
