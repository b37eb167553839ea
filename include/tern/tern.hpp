// Every public function on a session. receive() takes datagrams and the time and returns events;
// send() takes the time and returns datagrams. A session contains no thread, clock or socket.
//
// Lifetimes: all that a session returns is valid until the next receive(), and the datagrams of
// send() until the next send(). Errors: a call with wrong arguments or in the wrong state does
// nothing, gives false, none, null, zero or an empty span, and is reported to Config::misuse; what
// the network causes is reported by State, Event and the documented return values. A function that
// gives bool gives false if it has done nothing, as in State::cut_off. Threads: one thread at a
// time may use a session. Game structs are passed as pointer and size, which must be those of the
// type; templates at the end of this header take the struct itself.
#pragma once
#include "tern/fields.hpp"
#include "tern/types.hpp"
#include <type_traits>

namespace tern {

// --- A session ---
// Allocates all memory that the session will ever use: session_bytes() of it, all zero, so that the
// system provides a page when it is first used. Null, and reported to Config::misuse, if
// config_problem() finds something, or if the system does not give the memory.
Session *make_session(const Config &config);
// The bytes that make_session() allocates for this config. Most of them are for as many objects and
// peers as there can be: what both limits multiply takes 34 bytes for each object and peer. 0 if
// config_problem() finds something.
size_t session_bytes(const Config &config);
// Call it for a config from a file or a script, to show its author what is wrong.
ConfigProblem config_problem(const Config &config);
// Size in the struct of one element of a field of this kind; 1 for text, bytes and values.
size_t element_bytes(FieldKind kind);
// The config that was passed to make_session(); its name points to a copy of the session's.
const Config &session_config(const Session *session);
void destroy_session(Session *session); // Null: nothing happens. Sends no goodbye; see leave().
// In State::idle: starts a new session as its first peer, which is the host. The
// session is open at once.
bool start(Session *session);
// In State::idle: joins through the member that made the invite. The session becomes open with
// the event caught_up. If joining fails, session_state() shows why. The payload is copied.
bool join(Session *session, const Invite &invite, JoinPayload payload = {});
// When open, cut off or joining: this peer leaves, and its objects become orphans. Keep calling
// receive() and send() until the state is State::left. That takes until everything that this peer
// sent is acked, at most four seconds.
bool leave(Session *session);
// In State::cut_off: this peer becomes the host of a new session, with new invites, that keeps all
// objects and owns them. It is open at once; the next receive() returns the events of the change.
// See Config::go_on_after_ms.
bool go_on(Session *session);
State session_state(const Session *session);
// A sentence for people about the state: what happened, and what to do.
const char *state_text(const Session *session);

// --- A tick: receive(), the game's own work, send() ---
// now_us is a monotonic time in microseconds: it never goes back, and its zero is the caller's
// choice. receive() takes the datagrams that arrived since the last call and returns the events of
// this tick. The bytes of these datagrams need not outlive the call.
std::span<const Event> receive(Session *session, std::span<const Datagram> datagrams,
                               uint64_t now_us);
std::span<const Datagram> send(Session *session, uint64_t now_us);
std::span<const Event> session_events(const Session *session); // The last result of receive().

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

// With Config::recording_bytes_max: the part of the recording that is new since the last call.
// Append it to a file after each tick; tern-sim replays that file. Valid until the next call that
// changes the session. If the buffer fills up before it is taken, the recording ends with a record
// that marks this. docs/use/recordings.md. A RECORDING CONTAINS THE SESSION'S KEYS AND ITS SECRET.
std::span<const std::byte> take_recording(Session *session);

// --- Invites ---
// When open; any member may make one. `addresses`, 1 to invite_addresses_max, are where newcomers
// reach this process; join() tries them in turn. A member that is not the host refers a newcomer to
// the host. An invite is valid while the member that made it is in the session.
Invite make_invite(const Session *session, std::span<const Address> addresses);
struct InviteText {
    char text[invite_text_max];
};
// Text for people to pass on; docs/wire_format.md, "Invites".
InviteText to_text(const Invite &invite);
struct ParsedInvite {
    Invite invite;
    const char *error; // Null if the text is an invite, otherwise what is wrong with it.
};
ParsedInvite parse_invite(const char *text);

// --- Peers ---
PeerId local_peer(const Session *session); // Id of this peer; none until the host has admitted it.
PeerId host_peer(const Session *session);  // none while there is no host; see host_lost.
std::span<const PeerId>
other_peers(const Session *session); // All other members, in ascending order.
const char *peer_name(const Session *session, PeerId peer); // Config::name there; "" if unknown.
// All zero but the breaches for a peer to which there is no connection, such as another client of a
// star.
Stats peer_stats(const Session *session, PeerId peer);
uint64_t breach_count(const Stats &stats); // Breaches of all kinds.
SessionStats session_stats(const Session *session);
TypeStats type_stats(const Session *session, TypeId type);
// Accounts for all datagrams that send() has ever returned: the bits of all rows add up to the bits
// of these datagrams. The number and order of the rows never change; rows of 0 bits are included.
std::span<const TrafficRow> traffic_rows(const Session *session);
const char *to_text(TrafficKind kind); // A word or two to show to people.
// The host's session clock at now_us, in microseconds since the host called start(); on other peers
// an estimate.
uint64_t session_clock_us(const Session *session, uint64_t now_us);

// --- For the host's game. On the host only. ---
bool admit(Session *session, PeerId newcomer); // Answers join_asked. False if it has left.
// Answers join_asked. False if it has left. state_text() of the newcomer shows the reason, cut to
// reason_bytes_max - 1.
bool refuse(Session *session, PeerId newcomer, const char *reason);
// Removes (kicks) a member. This host refuses its key from then on; it remembers the last 256
// such keys. A later host does not inherit them. False, and nothing happens, for an unknown peer
// and for the host itself.
bool remove(Session *session, PeerId peer);
// Gives an object to a member, even if its owner has locked it. owner_changed follows on all peers.
// False, and nothing happens, if the object is destroyed or unknown, or if `to` is not a member
// that has caught up. Check the result: either can be so before the game gets the event.
bool migrate(Session *session, ObjectId object, PeerId to);
// Answers claim_asked; the claimer gets claim_refused with ClaimRefusal::by_game.
bool refuse_claim(Session *session, ObjectId object, PeerId claimer);
// Gives objects of this type from the members that own most to those that own least, until no two
// differ by more than one. Objects that are locked or about to change owner stay. Nothing happens
// while a departure is being settled.
bool balance(Session *session, TypeId type);

// --- Objects; docs/use/ownership.md. Owners change only inside receive(). ---
// Requires State::open. Copies `value`. Returns none if creations_left() is 0: every peer must have
// room for the object. Then this peer also asks the host for a larger part of objects_max, which
// takes a round trip, or two if the host has to take it from others.
ObjectId create(Session *session, TypeId type, const void *value, size_t size_bytes);
// How many objects of this type create() can make now. The host divides what is free of objects_max
// among the members, and moves parts before they are used up. An object of ours counts as long as
// it lives, whoever owns it. 0 before State::open.
uint32_t creations_left(const Session *session, TypeId type);
// Owner only; requires State::open. The object stays in object_ids() and can be read until the next
// receive().
bool destroy(Session *session, ObjectId object);
bool exists(const Session *session, ObjectId object); // Known here, and alive.
// Whether object_type(), object_owner(), object_stamp() and get() may be called: the object exists,
// or was destroyed during the last receive() or after it.
bool can_read(const Session *session, ObjectId object);
TypeId object_type(const Session *session, ObjectId object);
PeerId object_owner(const Session *session, ObjectId object);
// Identifies the current tenure (the time under one owner); rises with each change of owner.
uint64_t object_stamp(const Session *session, ObjectId object);
// The object's struct. A later set() changes what the pointer points to. Requires can_read().
const void *get(const Session *session, ObjectId object, size_t size_bytes);
// Requires may_set(), and that no float of `value` is NaN. Copies `value`; other peers get the
// fields that have changed.
bool set(Session *session, ObjectId object, const void *value, size_t size_bytes);
// Writes the object as of `at_us`, on the clock of receive(), to `value`: for rendering.
// - at_us = now_us: extrapolated from the owner's updates (dead reckoning).
// - at_us = now_us - 100'000, for example: interpolated between updates.
// Each update is dated as if it had arrived with the smallest delay of its path, which hides
// jitter. float32 and quaternion fields are interpolated linearly between updates, and extrapolated
// past the newest one for at most 16 of the owner's ticks; after that they return to its values.
// All other fields are those of the newest update that is not after at_us. An interpolation history
// (the last 16 updates of the tenure) is kept only for objects of other owners whose type is
// predicted or has a field with a bound; for all others sample() gives what get() gives. False,
// with `value` left unchanged, if no such object is alive here. docs/decisions.md, "Error bounds".
bool sample(const Session *session, ObjectId object, uint64_t at_us, void *value,
            size_t size_bytes);
// Whether set() may be called: open, and the object is ours or is claimed optimistically.
bool may_set(const Session *session, ObjectId object);
// All objects of a type, in no particular order, and their structs in the same order without gaps.
std::span<const ObjectId> object_ids(const Session *session, TypeId type);
const void *object_values(const Session *session, TypeId type, size_t size_bytes);
// Asks the host for an object. Answered by exactly one claim_granted or claim_refused; a second
// claim of the object before that has no effect. A claim waits while there is no host; if the
// session ends first, there is no answer. For an object that this peer owns already nothing
// happens, and no event follows.
// ClaimMode::optimistic, for an object that is known here: until the answer this peer may set() the
// object, and get() and object_values() on this peer show what it has set. If the claim is granted,
// the fields that were set become the new owner's first change; if it is refused, or the session
// ends, get() and object_values() show the replicated value again. False, and nothing is asked, for
// an id that create() never returns, and while there are 64 more unanswered claims than the session
// can hold objects (only claims of unknown objects can reach that).
bool claim(Session *session, ObjectId object, ClaimMode mode = ClaimMode::wait);
// Whether a claim of the object by this peer waits for its answer.
bool is_claiming(const Session *session, ObjectId object);
// On the owner: gives the object up to the host. This peer stays the owner until owner_changed, the
// only event that follows; if the host changes meanwhile, the new host takes the object. Nothing
// happens on the host itself.
bool release_ownership(Session *session, ObjectId object);
// On the owner: while an object is locked, the host refuses claims of it with ClaimRefusal::locked,
// from when the host receives the lock until it receives the unlock or the object has another
// owner. A lock does not prevent migrate(). There is no event.
bool lock(Session *session, ObjectId object, bool locked);
// Sets how often `peer` is updated about `object`. Call it on the peer that sends the updates: the
// owner, or the host in a star. An object is due 1 / priority ticks after its last update; if
// bandwidth is short, the objects with the largest product of waiting time and priority go first.
// The priority starts at 1 and is reset to 1 when the owner (in a star, also the host) changes. It
// must be at least 0; values above 255 count as 255. 0 hides the object: the peer gets
// object_hidden and keeps the last value, but still learns owner changes and destruction. Any other
// priority shows it again. False, and nothing happens, if the object does not exist, or if `peer`
// is not a member to which this peer sends the object. docs/use/interest.md.
bool set_priority(Session *session, ObjectId object, PeerId peer, float priority);
bool is_hidden(const Session *session, ObjectId object); // Whether its sender hides it from us.
// Area of interest: sets the priorities of all objects of a type that this peer sends, by distance
// from each viewpoint (at most one for each peer). Objects within near_distance are updated
// in every tick in which they change, farther ones every second tick, those beyond twice
// near_distance every third, and so on (priority 1/2, 1/3, ...). Beyond far_distance they are
// hidden, and shown again at 0.9 of it. `position` is the index of a float32 field of 1 to 3
// numbers; 0 < near_distance <= far_distance, in its unit. Viewpoints of peers that are not members
// are ignored. Costs: docs/use/interest.md.
bool set_interest(Session *session, TypeId type, uint16_t position,
                  std::span<const Viewpoint> viewpoints, float near_distance, float far_distance);
// These do for many objects what create(), set() and so on do for one, in a single call. `values`
// has one struct of size_bytes for each object, without gaps. An object for which the call is wrong
// is left out and reported. Each returns the number of the other ones.
// create_many() ends with the first object that cannot be created; `created` gets none from there.
size_t create_many(Session *session, TypeId type, std::span<const std::byte> values,
                   size_t size_bytes, std::span<ObjectId> created);
size_t set_many(Session *session, TypeId type, std::span<const ObjectId> objects,
                std::span<const std::byte> values, size_t size_bytes);
// Copies the structs to `values`; zeros for an object that is not known.
size_t get_many(const Session *session, TypeId type, std::span<const ObjectId> objects,
                std::span<std::byte> values, size_t size_bytes);
size_t destroy_many(Session *session, std::span<const ObjectId> objects);
size_t claim_many(Session *session, std::span<const ObjectId> objects,
                  ClaimMode mode = ClaimMode::wait);
// Hash of the ids, stamps, owners and values of all living objects. Equal on peers that have the
// same world; values set under an unanswered optimistic claim are left out.
uint64_t world_digest(const Session *session);
// Why `peer` does not have this object or its last change. For another peer the answer comes from
// its acks. For this peer it is why it does not own the object; the last 64 refused claims are
// remembered.
Explanation explain(const Session *session, ObjectId object, PeerId peer);
const char *to_text(Why why);       // A sentence for people.
const char *to_text(Breach breach); // Likewise.

// --- Calls (RPC), when open. Reliable calls from one peer to another arrive in order, unreliable
// ones at most once and in any order. docs/use/calls.md. ---
enum class Reliability : uint8_t { reliable, unreliable };
// `to`: another member, PeerId::everyone (all other members), or PeerId::host. False if nothing was
// sent: `to` is not a member, its queue (for everyone: that of any member) is full, or
// Type::callers or calls_per_second_max forbids the call. Calls to PeerId::host must be reliable;
// they wait while there is no host, reach the game of this peer if it is the host; a failure is
// reported by call_failed.
bool call(Session *session, PeerId to, TypeId type, const void *arguments, size_t size_bytes,
          Reliability reliability = Reliability::reliable);
// Calls the peer that owns the object when the call arrives, which may be this one. Reliable; calls
// from one peer to the owner of one object arrive in order. The call is delivered once, or fails
// with call_failed. It follows the object to a new owner, and waits up to call_unknown_ms for an
// object that is not known here. Returns none if the call was not accepted: the limit of open calls
// is reached, or Type::callers or calls_per_second_max forbids the call.
CallId call_owner(Session *session, ObjectId object, TypeId type, const void *arguments,
                  size_t size_bytes);
// Like call() and call_owner(), for calls that await a reply. Exactly one event follows: reply or
// call_failed. After timeout_ms (1 to 600'000) it is call_failed with CallFailure::no_reply. `to`:
// another member or PeerId::host. Returns none if the call was not accepted.
CallId request(Session *session, PeerId to, TypeId type, const void *arguments, size_t size_bytes,
               uint32_t timeout_ms = 5000);
CallId request_owner(Session *session, ObjectId object, TypeId type, const void *arguments,
                     size_t size_bytes, uint32_t timeout_ms = 5000);
// Answers an event EventKind::call whose CallEvent::id is not none. Call it once, in the same tick
// or later. `caller` and `call` are its peer and its id. False if nothing was sent: the caller has
// left, or a queue is full.
bool reply(Session *session, PeerId caller, CallId call, TypeId type, const void *arguments,
           size_t size_bytes);
const char *to_text(CallFailure failure); // A sentence for people.

// --- The functions above, with a game struct in place of pointer and size. Those that take no
// TypeId use the first type that make_type() has made of the struct; one that takes an Object<T>
// takes the struct T only. ---
template <class T>
concept GameStruct = std::is_trivially_copyable_v<T> && std::is_class_v<T>;
template <class T, class U>
concept OtherStruct = GameStruct<U> && !std::is_same_v<T, U>;

// The first type in Config::types with this table of fields; no_type if there is none.
TypeId find_type(const Session *session, std::span<const Field> fields);

template <GameStruct T> TypeId find_type(const Session *session)
{
    return find_type(session, std::span<const Field>(fields_of<T>));
}

// The object, if it can be read here and its type has the struct T; else an empty one.
template <GameStruct T> Object<T> find_object(const Session *session, ObjectId object)
{
    if (!can_read(session, object)) return {};
    return object_type(session, object) == find_type<T>(session) ? Object<T>{object} : Object<T>{};
}

// The arguments of a call, a reply or a failed call, if its type has the struct T; else null.
template <GameStruct T> const T *find_arguments(const Session *session, const Event &event)
{
    if (event.kind < EventKind::call || !event.call.arguments) return nullptr;
    if (event.call.type != find_type<T>(session)) return nullptr;
    return static_cast<const T *>(event.call.arguments);
}

template <GameStruct T> ObjectId create(Session *session, TypeId type, const T &value)
{
    return create(session, type, &value, sizeof(T));
}

template <GameStruct T> Object<T> create(Session *session, const T &value)
{
    return {create(session, find_type<T>(session), &value, sizeof(T))};
}

// This get() gives an empty struct if the one with a size gives null.
template <GameStruct T> const T &get(const Session *session, ObjectId object)
{
    static const T nothing = {};
    const void *value = get(session, object, sizeof(T));
    return value ? *static_cast<const T *>(value) : nothing;
}

template <GameStruct T> const T &get(const Session *session, Object<T> object)
{
    return get<T>(session, object.id);
}

template <class T, OtherStruct<T> U> const T &get(const Session *session, Object<U>) = delete;

template <GameStruct T> bool set(Session *session, ObjectId object, const T &value)
{
    return set(session, object, &value, sizeof(T));
}

template <GameStruct T> bool set(Session *session, Object<T> object, const T &value)
{
    return set(session, object.id, &value, sizeof(T));
}

template <class T, OtherStruct<T> U> bool set(Session *, Object<T>, const U &) = delete;

template <GameStruct T>
size_t create_many(Session *session, TypeId type, std::span<const T> values,
                   std::span<ObjectId> created)
{
    return create_many(session, type, std::as_bytes(values), sizeof(T), created);
}

template <GameStruct T>
size_t set_many(Session *session, TypeId type, std::span<const ObjectId> objects,
                std::span<const T> values)
{
    return set_many(session, type, objects, std::as_bytes(values), sizeof(T));
}

template <GameStruct T>
size_t get_many(const Session *session, TypeId type, std::span<const ObjectId> objects,
                std::span<T> values)
{
    return get_many(session, type, objects, std::as_writable_bytes(values), sizeof(T));
}

template <GameStruct T>
bool sample(const Session *session, ObjectId object, uint64_t at_us, T &value)
{
    return sample(session, object, at_us, &value, sizeof(T));
}

template <GameStruct T>
bool sample(const Session *session, Object<T> object, uint64_t at_us, T &value)
{
    return sample(session, object.id, at_us, &value, sizeof(T));
}

template <class T, OtherStruct<T> U>
bool sample(const Session *, Object<T>, uint64_t, U &) = delete;

template <GameStruct T> std::span<const Object<T>> object_ids(const Session *session)
{
    const std::span<const ObjectId> ids = object_ids(session, find_type<T>(session));
    static_assert(sizeof(Object<T>) == sizeof(ObjectId));
    return {reinterpret_cast<const Object<T> *>(ids.data()), ids.size()};
}

template <GameStruct T> std::span<const T> object_values(const Session *session, TypeId type)
{
    const void *values = object_values(session, type, sizeof(T));
    if (!values) return {};
    return {static_cast<const T *>(values), object_ids(session, type).size()};
}

template <GameStruct T> std::span<const T> object_values(const Session *session)
{
    return object_values<T>(session, find_type<T>(session));
}

template <GameStruct T>
bool call(Session *session, PeerId to, TypeId type, const T &arguments,
          Reliability reliability = Reliability::reliable)
{
    return call(session, to, type, &arguments, sizeof(T), reliability);
}

template <GameStruct T>
bool call(Session *session, PeerId to, const T &arguments,
          Reliability reliability = Reliability::reliable)
{
    return call(session, to, find_type<T>(session), &arguments, sizeof(T), reliability);
}

// The kind of the event must be call, reply or call_failed, with arguments.
template <GameStruct T> const T &call_arguments(const Event &event)
{
    return *static_cast<const T *>(event.call.arguments);
}

template <GameStruct T>
CallId call_owner(Session *session, ObjectId object, TypeId type, const T &arguments)
{
    return call_owner(session, object, type, &arguments, sizeof(T));
}

template <GameStruct T> CallId call_owner(Session *session, ObjectId object, const T &arguments)
{
    return call_owner(session, object, find_type<T>(session), &arguments, sizeof(T));
}

template <GameStruct T>
CallId request(Session *session, PeerId to, TypeId type, const T &arguments,
               uint32_t timeout_ms = 5000)
{
    return request(session, to, type, &arguments, sizeof(T), timeout_ms);
}

template <GameStruct T>
CallId request(Session *session, PeerId to, const T &arguments, uint32_t timeout_ms = 5000)
{
    return request(session, to, find_type<T>(session), &arguments, sizeof(T), timeout_ms);
}

template <GameStruct T>
CallId request_owner(Session *session, ObjectId object, TypeId type, const T &arguments,
                     uint32_t timeout_ms = 5000)
{
    return request_owner(session, object, type, &arguments, sizeof(T), timeout_ms);
}

template <GameStruct T>
CallId request_owner(Session *session, ObjectId object, const T &arguments,
                     uint32_t timeout_ms = 5000)
{
    return request_owner(session, object, find_type<T>(session), &arguments, sizeof(T), timeout_ms);
}

template <GameStruct T>
bool reply(Session *session, const Event &called, TypeId type, const T &arguments)
{
    const CallEvent &answered = called.kind < EventKind::call ? CallEvent{} : called.call;
    return reply(session, answered.peer, answered.id, type, &arguments, sizeof(T));
}

template <GameStruct T> bool reply(Session *session, const Event &called, const T &arguments)
{
    return reply(session, called, find_type<T>(session), arguments);
}

}
