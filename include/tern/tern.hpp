// Every public function on a session, as a layer of inline functions over tern.h. receive() takes
// datagrams and the time and returns events; send() takes the time and returns datagrams. A session
// contains no thread, clock or socket; tern/io.hpp has some. Most functions require State::open,
// from start() or caught_up on; in other states they report a misuse.
//
// Lifetimes: all that a session returns is valid until the next receive(), and the datagrams of
// send() until the next send(). Errors: a call with wrong arguments or in the wrong state does
// nothing, gives false, none, null, zero or an empty span, and is reported to Config::misuse; what
// the network causes is reported by State, Event and the documented return values. A function that
// gives bool gives false if it has done nothing, as in State::cut_off. Threads: one thread at a
// time may use a session. Game structs are passed as pointer and size, which must be those of the
// type; templates of typed.hpp take the struct itself.
#pragma once
#include "tern/events.hpp"
#include "tern/fields.hpp"
#include "tern/types.hpp"
#include <type_traits>

namespace tern {

// --- A session ---
// Allocates all memory that the session will ever use: session_bytes() of it, all zero, so that the
// system provides a page when it is first used. Null, and reported to Config::misuse, if
// config_problem() finds something, or if the system does not give the memory.
inline Session *make_session(const Config &config)
{
    tern_session *session = nullptr;
    tern_make_session(to_c(&config), &session);
    return session;
}

// The bytes that make_session() allocates for this config. Most of them are for as many objects and
// peers as there can be: what both limits multiply takes 34 bytes for each object and peer. 0 if
// config_problem() finds something.
inline size_t session_bytes(const Config &config)
{
    return tern_session_bytes(to_c(&config));
}

// Call it for a config from a file or a script, to show its author what is wrong.
inline ConfigProblem config_problem(const Config &config)
{
    ConfigProblem problem = {};
    tern_config_problem(to_c(&config), problem.text);
    return problem;
}

// The config of the session, with its own copies of types, fields and names, and with defaults in
// place of zeros.
inline const Config &session_config(const Session *session)
{
    return *to_cpp(tern_session_config(session));
}

// Sends no goodbye; see leave(). Null: nothing happens.
inline void destroy_session(Session *session)
{
    tern_destroy_session(session);
}

// In State::idle: starts a new session as its first peer, which is the host. The
// session is open at once.
inline bool start(Session *session)
{
    return tern_start(session) == TERN_OK;
}

// In State::idle: joins through the member that made the invite. The session becomes open with
// the event caught_up. If joining fails, session_state() shows why. The payload is copied.
inline bool join(Session *session, const Invite &invite, JoinPayload payload = {})
{
    return tern_join(session, to_c(&invite), payload.bytes.data(), payload.bytes.size()) == TERN_OK;
}

// When open, cut off or joining: this peer leaves, and its objects become orphans. Keep calling
// receive() and send(), and send the datagrams, until the state is State::left. That takes until
// everything that this peer sent is acked and its goodbye is sent, at most four seconds.
inline bool leave(Session *session)
{
    return tern_leave(session) == TERN_OK;
}

// In State::cut_off: this peer becomes the host of a new session, with new invites, that keeps all
// objects and owns them. It is open at once; the next receive() returns the events of the change.
// See Config::go_on_after_ms.
inline bool go_on(Session *session)
{
    return tern_go_on(session) == TERN_OK;
}

inline State session_state(const Session *session)
{
    return static_cast<State>(tern_session_state(session));
}

// A sentence for people about the state: what happened, and what to do.
inline const char *state_text(const Session *session)
{
    return tern_state_text(session);
}

// --- A tick: receive(), the game's own work, send() ---
// The last result of receive().
inline std::span<const Event> session_events(const Session *session)
{
    const tern_event *events = nullptr;
    const size_t count = tern_events(session, &events);
    return {to_cpp(events), count};
}

// now_us is a monotonic time in microseconds: it never goes back, and its zero is the caller's
// choice. receive() takes the datagrams that arrived since the last call and returns the events of
// this tick. The bytes of these datagrams need not outlive the call.
inline std::span<const Event> receive(Session *session, std::span<const Datagram> datagrams,
                                      uint64_t now_us)
{
    const tern_result result =
        tern_receive(session, to_c(datagrams.data()), datagrams.size(), now_us);
    return result == TERN_OK ? session_events(session) : std::span<const Event>{};
}

inline std::span<const Datagram> send(Session *session, uint64_t now_us)
{
    const tern_datagram *datagrams = nullptr;
    const size_t count = tern_send(session, now_us, &datagrams);
    return {to_cpp(datagrams), count};
}

// With Config::recording_bytes_max: the part of the recording that is new since the last call.
// Append it to a file after each tick; tern-sim replays that file. Valid until the next call that
// changes the session. If the buffer fills up before it is taken, the recording ends with a record
// that marks this. docs/use/recordings.md. A RECORDING CONTAINS THE SESSION'S KEYS AND ITS SECRET.
inline std::span<const std::byte> take_recording(Session *session)
{
    const void *bytes = nullptr;
    const size_t size = tern_take_recording(session, &bytes);
    return {static_cast<const std::byte *>(bytes), size};
}

// --- Invites ---
// When open; any member may make one. `addresses`, 1 to invite_addresses_max, are where newcomers
// reach this process; join() tries them in turn. A member that is not the host refers a newcomer to
// the host. An invite is valid while the member that made it is in the session.
inline Invite make_invite(const Session *session, std::span<const Address> addresses)
{
    Invite invite = {};
    tern_make_invite(session, to_c(addresses.data()), addresses.size(), to_c(&invite));
    return invite;
}

struct InviteText {
    char text[invite_text_max];
};
// Text for people to pass on; docs/wire_format.md, "Invites".
inline InviteText to_text(const Invite &invite)
{
    InviteText text = {};
    tern_invite_text(to_c(&invite), text.text);
    return text;
}

struct ParsedInvite {
    Invite invite;
    const char *error; // Null if the text is an invite, otherwise what is wrong with it.
};
inline ParsedInvite parse_invite(const char *text)
{
    ParsedInvite parsed = {};
    parsed.error = tern_parse_invite(text, to_c(&parsed.invite));
    return parsed;
}

// --- Peers ---
// Id of this peer; none until the host has admitted it.
inline PeerId local_peer(const Session *session)
{
    return PeerId{tern_local_peer(session)};
}

// none while there is no host; see host_lost.
inline PeerId host_peer(const Session *session)
{
    return PeerId{tern_host_peer(session)};
}

// All other members, in ascending order.
inline std::span<const PeerId> other_peers(const Session *session)
{
    const tern_peer *peers = nullptr;
    const size_t count = tern_other_peers(session, &peers);
    return {to_cpp(peers), count};
}

// Config::name there, also of each of the last 64 members that have left. "" if unknown.
inline const char *peer_name(const Session *session, PeerId peer)
{
    return tern_peer_name(session, to_c(peer));
}

// All zero but the breaches for a peer to which there is no connection, such as another client of a
// star.
inline Stats peer_stats(const Session *session, PeerId peer)
{
    Stats stats = {};
    tern_get_peer_stats(session, to_c(peer), to_c(&stats));
    return stats;
}

// Breaches of all kinds.
inline uint64_t breach_count(const Stats &stats)
{
    uint64_t count = 0;
    for (const uint64_t of_a_kind : stats.breaches)
        count += of_a_kind;
    return count;
}

inline SessionStats session_stats(const Session *session)
{
    SessionStats stats = {};
    tern_get_session_stats(session, to_c(&stats));
    return stats;
}

inline TypeStats type_stats(const Session *session, TypeId type)
{
    TypeStats stats = {};
    tern_get_type_stats(session, type, to_c(&stats));
    return stats;
}

// The host's session clock at now_us, in microseconds since the host called start(); on other peers
// an estimate.
inline uint64_t session_clock_us(const Session *session, uint64_t now_us)
{
    return tern_session_clock_us(session, now_us);
}

// --- For the host's game. On the host only. ---
// Answers join_asked. False if it has left.
inline bool admit(Session *session, PeerId newcomer)
{
    return tern_admit(session, to_c(newcomer)) == TERN_OK;
}

// Answers join_asked. False if it has left. state_text() of the newcomer shows the reason, cut to
// reason_bytes_max - 1.
inline bool refuse(Session *session, PeerId newcomer, const char *reason)
{
    return tern_refuse(session, to_c(newcomer), reason) == TERN_OK;
}

// Removes (kicks) a member. This host refuses its key from then on; it remembers the last 256
// such keys. A later host does not inherit them. False, and nothing happens, for an unknown peer
// and for the host itself.
inline bool remove(Session *session, PeerId peer)
{
    return tern_remove(session, to_c(peer)) == TERN_OK;
}

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

// --- Objects; docs/use/ownership.md. Owners change only inside receive(). ---
// Requires State::open. Copies `value`. Returns none if creations_left() is 0: every peer must have
// room for the object. Then this peer also asks the host for a larger part of objects_max, which
// takes a round trip, or two if the host has to take it from others.
inline ObjectId create(Session *session, TypeId type, const void *value, size_t size_bytes)
{
    tern_object object = TERN_NO_OBJECT;
    tern_create(session, type, value, size_bytes, &object);
    return ObjectId{object};
}

// How many objects of this type create() can make now. The host divides what is free of objects_max
// among the members, and moves parts before they are used up. An object of ours counts as long as
// it lives, whoever owns it. 0 before State::open.
inline uint32_t creations_left(const Session *session, TypeId type)
{
    return tern_creations_left(session, type);
}

// Owner only; requires State::open. The object stays in object_ids() and can be read until the next
// receive().
inline bool destroy(Session *session, ObjectId object)
{
    return tern_destroy(session, to_c(object)) == TERN_OK;
}

// Known here, and alive.
inline bool exists(const Session *session, ObjectId object)
{
    return tern_exists(session, to_c(object));
}

// Whether object_type(), object_owner(), object_stamp() and get() may be called: the object exists,
// or was destroyed during the last receive() or after it.
inline bool can_read(const Session *session, ObjectId object)
{
    return tern_find_value(session, to_c(object), nullptr) != nullptr;
}

inline TypeId object_type(const Session *session, ObjectId object)
{
    return tern_object_type(session, to_c(object));
}

inline PeerId object_owner(const Session *session, ObjectId object)
{
    return PeerId{tern_object_owner(session, to_c(object))};
}

// Identifies the current tenure (the time under one owner); rises with each change of owner.
inline uint64_t object_stamp(const Session *session, ObjectId object)
{
    return tern_object_stamp(session, to_c(object));
}

// The object's struct. A later set() may change what the pointer points to. Requires can_read().
inline const void *get(const Session *session, ObjectId object, size_t size_bytes)
{
    return tern_get(session, to_c(object), size_bytes);
}

// Requires may_set(), and that no float of `value` is NaN. Stores the value as other peers will see
// it, clamped to ranges and rounded to steps, and get() gives that back: a game that adds less than
// half a step in each tick keeps the exact value itself. Other peers get the fields that have
// changed.
inline bool set(Session *session, ObjectId object, const void *value, size_t size_bytes)
{
    return tern_set(session, to_c(object), value, size_bytes) == TERN_OK;
}

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
inline bool sample(const Session *session, ObjectId object, uint64_t at_us, void *value,
                   size_t size_bytes)
{
    return tern_sample(session, to_c(object), at_us, value, size_bytes) == TERN_OK;
}

// Whether set() may be called: open, and the object is ours or is claimed optimistically.
inline bool may_set(const Session *session, ObjectId object)
{
    return tern_may_set(session, to_c(object));
}

// All objects of a type, in no particular order, and their structs in the same order without gaps.
inline std::span<const ObjectId> object_ids(const Session *session, TypeId type)
{
    const tern_object *objects = nullptr;
    const size_t count = tern_object_ids(session, type, &objects);
    return {to_cpp(objects), count};
}

inline const void *object_values(const Session *session, TypeId type, size_t size_bytes)
{
    return tern_object_values(session, type, size_bytes);
}

// Requires State::open. Asks the host for an object. Answered by exactly one claim_granted or
// claim_refused; a second claim of the object before that has no effect. A claim waits while there
// is no host; if the session ends first, there is no answer. For an object that this peer owns
// already nothing happens, and no event follows. ClaimMode::optimistic, for an object that is known
// here: until the answer this peer may set() the object, and get() and object_values() on this peer
// show what it has set. If the claim is granted, the fields that were set become the new owner's
// first change; if it is refused, or the session ends, get() and object_values() show the
// replicated value again. False, and nothing is asked, for an id that create() never returns, and
// while there are 64 more unanswered claims than the session can hold objects (only claims of
// unknown objects can reach that).
inline bool claim(Session *session, ObjectId object, ClaimMode mode = ClaimMode::wait)
{
    return tern_claim(session, to_c(object), static_cast<tern_claim_mode>(mode)) == TERN_OK;
}

// Whether a claim of the object by this peer waits for its answer.
inline bool is_claiming(const Session *session, ObjectId object)
{
    return tern_is_claiming(session, to_c(object));
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

// Sets how often `peer` is updated about `object`. Call it on the peer that sends the updates: the
// owner, or the host in a star. An object is due 1 / priority ticks after its last update; if
// bandwidth is short, the objects with the largest product of waiting time and priority go first.
// The priority starts at 1 and is reset to 1 when the owner (in a star, also the host) changes. It
// must be at least 0; values above 255 count as 255. 0 hides the object: the peer gets
// object_hidden and keeps the last value, but still learns owner changes and destruction. Any other
// priority shows it again. False, and nothing happens, if the object does not exist, or if `peer`
// is not a member to which this peer sends the object. docs/use/interest.md.
inline bool set_priority(Session *session, ObjectId object, PeerId peer, float priority)
{
    return tern_set_priority(session, to_c(object), to_c(peer), priority) == TERN_OK;
}

// Whether its sender hides it from us.
inline bool is_hidden(const Session *session, ObjectId object)
{
    return tern_is_hidden(session, to_c(object));
}

// Area of interest: sets the priorities of all objects of a type that this peer sends, by distance
// from each viewpoint (at most one for each peer). Objects within near_distance are updated
// in every tick in which they change, farther ones every second tick, those beyond twice
// near_distance every third, and so on (priority 1/2, 1/3, ...). Beyond far_distance they are
// hidden, and shown again at 0.9 of it. `position` is the index of a float32 field of 1 to 3
// numbers; 0 < near_distance <= far_distance, in its unit. Viewpoints of peers that are not members
// are ignored. Costs: docs/use/interest.md.
inline bool set_interest(Session *session, TypeId type, uint16_t position,
                         std::span<const Viewpoint> viewpoints, float near_distance,
                         float far_distance)
{
    return tern_set_interest(session, type, position, to_c(viewpoints.data()), viewpoints.size(),
                             near_distance, far_distance) == TERN_OK;
}

// These do for many objects what create(), set() and so on do for one, in a single call. `values`
// has one struct for each object, without gaps. An object for which the call is wrong
// is left out and reported. Each returns the number of the other ones.
// create_many() ends with the first object that cannot be created; `created` gets none from there.
inline size_t create_many(Session *session, TypeId type, std::span<const std::byte> values,
                          std::span<ObjectId> created)
{
    return tern_create_many(session, type, values.data(), values.size(), to_c(created.data()),
                            created.size());
}

inline size_t set_many(Session *session, TypeId type, std::span<const ObjectId> objects,
                       std::span<const std::byte> values)
{
    return tern_set_many(session, type, to_c(objects.data()), objects.size(), values.data(),
                         values.size());
}

// Copies the structs to `values`; zeros for an object that is not known.
inline size_t get_many(const Session *session, TypeId type, std::span<const ObjectId> objects,
                       std::span<std::byte> values)
{
    return tern_get_many(session, type, to_c(objects.data()), objects.size(), values.data(),
                         values.size());
}

inline size_t destroy_many(Session *session, std::span<const ObjectId> objects)
{
    return tern_destroy_many(session, to_c(objects.data()), objects.size());
}

inline size_t claim_many(Session *session, std::span<const ObjectId> objects,
                         ClaimMode mode = ClaimMode::wait)
{
    return tern_claim_many(session, to_c(objects.data()), objects.size(),
                           static_cast<tern_claim_mode>(mode));
}

// Hash of the ids, stamps, owners and values of all living objects. Equal on peers that have the
// same world; values set under an unanswered optimistic claim are left out.
inline uint64_t world_digest(const Session *session)
{
    return tern_world_digest(session);
}

// Why `peer` does not have this object or its last change. For another peer the answer comes from
// its acks. For this peer it is why it does not own the object; the last 64 refused claims are
// remembered.
inline Explanation explain(const Session *session, ObjectId object, PeerId peer)
{
    Explanation explanation = {};
    tern_explain(session, to_c(object), to_c(peer), to_c(&explanation));
    return explanation;
}

// Sentences for people.
inline const char *to_text(Why why)
{
    return tern_why_text(static_cast<tern_why>(why));
}

inline const char *to_text(Breach breach)
{
    return tern_breach_text(static_cast<tern_breach>(breach));
}

inline const char *to_text(ClaimRefusal refusal)
{
    return tern_claim_refusal_text(static_cast<tern_claim_refusal>(refusal));
}

// --- Calls (RPC), when open. Reliable calls from one peer to another arrive in order, unreliable
// ones at most once and in any order. docs/use/calls.md. ---
enum class Reliability : uint8_t { reliable, unreliable };
// `to`: another member, PeerId::everyone (all other members), or PeerId::host. False if nothing was
// sent: `to` is not a member, its queue (for everyone: that of any member) is full, or
// Type::callers or calls_per_second_max forbids the call. A call to a member is lost, without an
// event, if the connection to it is lost; if the member refuses it, call_failed follows. Calls to
// PeerId::host must be reliable; they wait while there is no host, reach the game of this peer if
// it is the host, and call_failed follows if they fail.
inline bool call(Session *session, PeerId to, TypeId type, const void *arguments, size_t size_bytes,
                 Reliability reliability = Reliability::reliable)
{
    return tern_call(session, to_c(to), type, arguments, size_bytes,
                     static_cast<tern_reliability>(reliability)) == TERN_OK;
}

// Calls the peer that owns the object when the call arrives, which may be this one. Reliable; calls
// from one peer to the owner of one object arrive in order. The call is delivered once, or fails
// with call_failed. It follows the object to a new owner, and waits up to call_unknown_ms for an
// object that is not known here. Returns none if the call was not accepted: the limit of open calls
// is reached, or Type::callers or calls_per_second_max forbids the call.
inline CallId call_owner(Session *session, ObjectId object, TypeId type, const void *arguments,
                         size_t size_bytes)
{
    tern_call_id call = TERN_NO_CALL;
    tern_call_owner(session, to_c(object), type, arguments, size_bytes, &call);
    return CallId{call};
}

// Like call() and call_owner(), for calls that await a reply. Exactly one event follows: reply or
// call_failed. After timeout_ms (1 to 600'000) it is call_failed with CallFailure::no_reply. `to`:
// another member or PeerId::host. Returns none if the call was not accepted.
inline CallId request(Session *session, PeerId to, TypeId type, const void *arguments,
                      size_t size_bytes, uint32_t timeout_ms = 5000)
{
    tern_call_id call = TERN_NO_CALL;
    tern_request(session, to_c(to), type, arguments, size_bytes, timeout_ms, &call);
    return CallId{call};
}

inline CallId request_owner(Session *session, ObjectId object, TypeId type, const void *arguments,
                            size_t size_bytes, uint32_t timeout_ms = 5000)
{
    tern_call_id call = TERN_NO_CALL;
    tern_request_owner(session, to_c(object), type, arguments, size_bytes, timeout_ms, &call);
    return CallId{call};
}

// Answers an event of EventKind::call whose event.call.id is not none. Call it once, in the same
// tick or later. `caller` and `call` are event.call.peer and event.call.id. False if nothing was
// sent: the caller has left, or a queue is full.
inline bool reply(Session *session, PeerId caller, CallId call, TypeId type, const void *arguments,
                  size_t size_bytes)
{
    return tern_reply(session, to_c(caller), to_c(call), type, arguments, size_bytes) == TERN_OK;
}

// A sentence for people.
inline const char *to_text(CallFailure failure)
{
    return tern_call_failure_text(static_cast<tern_call_failure>(failure));
}

}

#include "tern/typed.hpp"
