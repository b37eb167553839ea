// Events: what receive() returns. tern.h says more about each kind.
#pragma once
#include "tern/types.hpp"

namespace tern {

// The comment of each kind begins with the member of Event that it sets.
enum class EventKind : uint32_t {
    join_progress,  // progress. May come while joining, at most once for each percent.
    caught_up,      // peer: this one. After join(): the objects of all are here; the state is open.
    join_asked,     // newcomer. On the host with Admission::ask_game: admit() or refuse() answers.
    peer_joined,    // newcomer. Who was there before this peer joined is in other_peers() only.
    peer_left,      // peer. Events of its orphans follow once the departure is settled.
    misbehaved,     // misbehaved. Reports of other members come to the host only.
    host_lost,      // peer: the lost host. Claims wait for the next one; host_changed follows. In
                    // State::joining: discard earlier events, we join anew. cut_off has no event.
    host_changed,   // host. Owner changes that the new host decides come after this event.
    object_created, // object. Own acts cause no event. A newcomer gets one for each object.
    object_changed, // object: changed_fields have new values. See owner_changed, too.
    object_destroyed, // object. It can be read until the next receive().
    object_hidden,    // object. Its sender stopped updating us (interest.hpp); it stays readable.
    object_shown,     // object. Updates resume; what changed meanwhile arrives now or soon after.
    owner_changed,   // owner, with fields that changed with it. Before claim_granted of the object.
    object_orphaned, // owner. On the host with Orphan::ask_game: migrate(), destroy() or keep it.
    claim_asked,     // claim. On the host with ClaimPolicy::ask_game: migrate() or refuse_claim().
    claim_granted,   // claim. On the claimer, after owner_changed: it owns the object.
    claim_refused,   // claim. On the claimer; object_changed follows if it showed other values.
    call,            // call. If its id is not none, the caller awaits a reply().
    reply,           // call. Answers request().
    call_failed      // call. A call of ours failed.
};

struct JoinProgress {
    uint32_t objects_here;     // Objects that have arrived; at most objects_expected.
    uint32_t objects_expected; // Alive when the host admitted us. Some may die before they arrive.
};
struct Newcomer {
    PeerId peer;
    PeerId previous;        // Its id before it was removed, if we were a member then; else none.
    uint16_t payload_bytes; // Size of the payload.
    const char *name;       // Its Config::name.
    const void *payload;    // join_asked: the JoinPayload.
};
enum class Breach : uint32_t; // diagnostics.hpp: how a member has broken the rules.
struct BreachReport {
    PeerId peer, reporter; // The reporter is none if this peer has found the breach.
    Breach breach;
};
struct HostChange {
    PeerId peer, previous; // The new host, and the host before.
};
struct ObjectEvent {
    ObjectId id;
    uint64_t changed_fields; // Bit i: Type::fields[i]; none that an optimistic claim overrides.
    TypeId type;
    PeerId owner;
};
struct OwnerChange {
    ObjectId object;
    uint64_t changed_fields; // No object_changed follows for these.
    uint32_t lost_ticks;     // On the previous owner: ticks of its last writes that are lost.
    TypeId type;
    PeerId owner, previous; // The new one, and the last that we knew. Equal: it was granted anew.
};
struct ClaimEvent {
    ObjectId object;
    TypeId type;    // no_type: this peer does not know the object.
    PeerId claimer; // claim_granted, claim_refused: this peer.
    ClaimRefusal refusal;
};
struct CallEvent {
    ObjectId object;       // The call was to the owner of this object; none: it was to a peer.
    const void *arguments; // The struct; see find_arguments(). Null: a call() that was refused.
    CallId id; // call: not none if the caller awaits a reply(). Else that of our call or request.
    CallFailure failure;
    uint16_t argument_bytes; // Size of the arguments.
    TypeId type;
    PeerId peer; // The caller, or who replies. call_failed: the recipient, none if there was none.
};

// Valid until the next receive(), with all that it points to. get() and the like give the state
// after all events of this receive(). The kind tells which one member of the union may be read.
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
        PeerId peer;
    };
};
TERN_TWINS(Event, tern_event);

// Gives the object that an event is about, or whose owner was called. none: there is no object.
inline ObjectId object_of(const Event &event)
{
    if (event.kind < EventKind::object_created) return ObjectId::none;
    if (event.kind < EventKind::owner_changed) return event.object.id;
    if (event.kind < EventKind::claim_asked) return event.owner.object;
    if (event.kind < EventKind::call) return event.claim.object;
    return event.kind <= EventKind::call_failed ? event.call.object : ObjectId::none;
}

// Gives the peer that an event is about: also an owner, claimer or caller. none: there is no peer.
inline PeerId peer_of(const Event &event)
{
    if (event.kind == EventKind::join_progress) return PeerId::none;
    if (event.kind == EventKind::join_asked || event.kind == EventKind::peer_joined)
        return event.newcomer.peer;
    if (event.kind == EventKind::misbehaved) return event.misbehaved.peer;
    if (event.kind == EventKind::host_changed) return event.host.peer;
    if (event.kind < EventKind::object_created) return event.peer;
    if (event.kind < EventKind::owner_changed) return event.object.owner;
    if (event.kind < EventKind::claim_asked) return event.owner.owner;
    if (event.kind < EventKind::call) return event.claim.claimer;
    return event.kind <= EventKind::call_failed ? event.call.peer : PeerId::none;
}

}
