// Every public function on a session. Datagrams and time go in, events come out; changes and
// time go in, datagrams come out. There is no thread, clock or socket inside.
//
// One rule for lifetimes: what a session hands out is valid until the next receive(), and
// what send() hands out until the next send(). One rule for errors: a wrong argument asserts;
// what the network can do to you is in State and Event, and nowhere else.
#pragma once
#include "tern/types.h"
#include <type_traits>

namespace tern {

// --- A session ---
Session *make_session(const Config &config); // Allocates all that it will ever use.
// Of configs that come from files and scripts: make_session() asserts on what this finds.
ConfigProblem config_problem(const Config &config);
size_t element_bytes(FieldKind kind); // Of one element of a field, as it lies in a struct.
const Config &session_config(const Session *session); // As it was made; name is the session's own.
void destroy_session(Session *session);
void start(Session *session); // As the first peer, which is the host. Open at once.
// Through the member that the invite names. Poll state(), or wait for caught_up.
void join(Session *session, const Invite &invite, JoinPayload payload = {});
void leave(Session *session); // Stops acting; keep ticking until the state is left.
// With State::minority: as the host of another session, with new invites, that keeps all objects
// and owns them. Open at once; the events come with the next receive().
void go_on(Session *session);
State state(const Session *session);
const char *state_text(const Session *session); // A sentence for people: what, and what to do.

// --- A tick: receive, play, send. now_us never goes back; its start is the caller's choice. ---
std::span<const Event> receive(Session *session, std::span<const Datagram> datagrams,
                               uint64_t now_us);
std::span<const Datagram> send(Session *session, uint64_t now_us);
std::span<const Event> session_events(const Session *session); // The last that receive() gave.

// With Config::recording_bytes_max: what is new of this session's recording, to be appended to a
// file after each tick. Valid until the next call that changes the session. Not taken in time, it
// ends with a mark that says so. tern-sim plays it back. IT HOLDS THE SESSION'S KEYS AND SECRET.
std::span<const std::byte> recorded(Session *session);

// --- Invites. addresses: where others reach this process, at least one. ---
// When open, of any member: who is not the host tells the newcomer where the host is.
Invite invite(const Session *session, std::span<const Address> addresses);
struct InviteText {
    char text[invite_text_max];
};
InviteText print(const Invite &invite);
struct ParsedInvite {
    Invite invite;
    const char *error; // Null if text was an invite, else what is wrong with it.
};
ParsedInvite parse_invite(const char *text);

// --- Peers ---
PeerId self(const Session *session); // none until welcomed.
PeerId host(const Session *session);
std::span<const PeerId> peers(const Session *session); // All others, ascending.
const char *name(const Session *session, PeerId peer); // "" for an unknown one.
Stats stats(const Session *session, PeerId peer);      // Zero for an unknown one.
SessionStats stats(const Session *session);
TypeStats type_stats(const Session *session, TypeId type);
// Every bit that send() has handed out in this session's life, charged to what it was for: the sum
// is that of the datagrams, to the bit. Always the same rows in the same order, also those of 0.
std::span<const TrafficRow> traffic(const Session *session);
const char *text(TrafficKind kind);                                 // A word or two for people.
uint64_t session_clock_us(const Session *session, uint64_t now_us); // The host's, as estimated.

// --- The host's game ---
void admit(Session *session, PeerId newcomer); // Answers join_asked. Nothing if it has gone.
void refuse(Session *session, PeerId newcomer, const char *reason); // Shown by state_text() there.
// Kick. Its key cannot come back as long as this peer is the host.
void remove(Session *session, PeerId peer);
// Gives an object to a member, also one that its owner has locked. False, and nothing happens, if
// it is dead or `to` is not a member that has caught up; both can be true before the game hears of
// it.
bool migrate(Session *session, ObjectId object, PeerId to);
void refuse_claim(Session *session, ObjectId object, PeerId claimer);
// Gives objects of this type from those that own most to those that own least, until no two differ
// by more than one. Those that are locked or about to change owner stay. Nothing while a departure
// is being settled.
void balance(Session *session, TypeId type);

// --- Objects. Only the owner may set (an optimistic claimer for itself) and destroy. Owners change
// inside receive(), never else. ---
// none if objects_max of this type are alive.
ObjectId create(Session *session, TypeId type, const void *value, size_t size_bytes);
void destroy(Session *session, ObjectId object);
bool exists(const Session *session, ObjectId object);
// Whether type(), owner(), stamp() and get() take it: it exists, or was destroyed just now.
bool can_read(const Session *session, ObjectId object);
TypeId type(const Session *session, ObjectId object);
PeerId owner(const Session *session, ObjectId object);
uint64_t stamp(const Session *session, ObjectId object); // Names the tenure; rises with each.
const void *get(const Session *session, ObjectId object, size_t size_bytes);
void set(Session *session, ObjectId object, const void *value, size_t size_bytes);
// The object as of a time on the clock of receive(), into `value`: now_us for what is extrapolated
// from what its owner told, now_us less a tenth of a second, say, for what lies between. The time
// is when news from the owner is heard of here if it comes as fast as the fastest; jitter does not
// show. float32 and quaternion fields go from one told state to the next, and on beyond the newest
// for at most 16 of the owner's ticks, after which they come back to it; other fields are as of the
// newest state that is not after the time. The last 16 states of a tenure are kept, of others'
// objects of types that are predicted or have a bounded field; of any other it is the value of
// get(). False, and `value` is left alone, if no such object is alive here.
bool sample(const Session *session, ObjectId object, uint64_t at_us, void *value,
            size_t size_bytes);
bool may_set(const Session *session, ObjectId object); // Open, and it is ours or claimed so.
std::span<const ObjectId> objects(const Session *session, TypeId type);     // Packed,
const void *values(const Session *session, TypeId type, size_t size_bytes); // and parallel.
// Asks the host for an object. Answered once, by claim_granted or claim_refused; while an answer
// is due, another claim of the same object asks nothing. optimistic, of an object that is known:
// until the answer this peer may set() it, and get() and values() show what it has set, here alone.
// If granted, the fields that were set are the new owner's first change; if refused, they show
// what is replicated again. If the session ends first, there is no answer, and they do, too. False,
// and nothing is asked, of an id that create() never gives, and while 64 more claims are unanswered
// than there is room for objects: only objects that are unknown here can be so many.
bool claim(Session *session, ObjectId object, ClaimMode mode = ClaimMode::wait);
// The owner gives an object up: the host is to own it. It stays ours until owner_changed says so
// (there is no other event), also if the host changes meanwhile. Nothing if we are the host.
void release(Session *session, ObjectId object);
// The owner wants to keep an object, or no more: the host refuses claims with
// ClaimRefusal::locked, from when it hears of this until it hears otherwise, or the object has
// another owner. migrate() does not ask: it gives away what is locked. No event.
void lock(Session *session, ObjectId object, bool locked);
// How much one peer is to be told of an object. For who tells it to that peer: its owner, or in a
// star the host. Its changes go out once 1 / priority ticks have passed since the last time, and
// where bytes are short those first that have waited longest, times priority. 1 if nothing was
// said, and again with a new owner, or in a star a new host. At most 255. 0 hides it: the peer
// hears object_hidden and keeps the value that it has; who owns it, that it migrates and dies it
// hears all the same. Any other shows it again. False, and nothing happens: the peer is no member,
// or not told this object by us. Not kept for a peer that has left.
bool set_priority(Session *session, ObjectId object, PeerId peer, float priority);
bool is_hidden(const Session *session, ObjectId object); // From us.
// Priorities by distance, of all objects of a type that we tell, for the peers of `viewpoints`
// (each once): beyond near_distance told every second tick, beyond twice that every third, and so
// on (a priority of 1/2, 1/3, ...); farther than far_distance hidden, and shown again at 0.9 of it.
// `position`: index of a float32 field of 1 to 3 numbers. What it costs: docs/performance.md.
void set_interest(Session *session, TypeId type, uint16_t position,
                  std::span<const Viewpoint> viewpoints, float near_distance, float far_distance);
// Of all live objects: ids, stamps, owners, values. Equal on peers that have the same world: what
// an optimistic claim has set is not part of it.
uint64_t digest(const Session *session);
// Why `peer` has not got this object or its last change: of others what the acks say, of oneself
// why it is not ours. Refusals: the last 64 are remembered.
Explanation explain(const Session *session, ObjectId object, PeerId peer);
const char *text(Why why); // A sentence for people.

// --- Calls. Reliable ones arrive in order from one peer to another; docs/use/calls.md. ---
enum class Reliability : uint8_t { reliable, unreliable };
// to: a member, everyone else, or host. False if nothing was sent: no such member, its queue is
// full, or the type's callers or calls_per_second_max forbid it. To the host: reliable only; waits
// while there is none, goes to our own game if that is us, and fails with call_failed.
bool call(Session *session, PeerId to, TypeId type, const void *arguments, size_t size_bytes,
          Reliability reliability = Reliability::reliable);
// To whoever owns the object when it arrives, oneself included. Reliable; calls of one peer to the
// owner of one object arrive in order. Heard once, or fails with call_failed. It follows an object
// that migrates, and waits up to call_unknown_ms for one that is not known here. none if nothing
// was sent, as with call().
CallId call_owner(Session *session, ObjectId object, TypeId type, const void *arguments,
                  size_t size_bytes);
// The same, and asks for a reply. Answered once, by reply or call_failed; by no_reply after
// timeout_ms. to: a member or host.
CallId request(Session *session, PeerId to, TypeId type, const void *arguments, size_t size_bytes,
               uint32_t timeout_ms = 5000);
CallId request_owner(Session *session, ObjectId object, TypeId type, const void *arguments,
                     size_t size_bytes, uint32_t timeout_ms = 5000);
// Answers a call event whose Event::call is not none: peer and call as it names them, in the same
// tick or later, once. False if nothing was sent: the caller has gone, or the queue is full.
bool reply(Session *session, PeerId caller, CallId call, TypeId type, const void *arguments,
           size_t size_bytes);
const char *text(CallFailure failure); // A sentence for people.

// --- The same, with a game struct in place of pointer and size ---
template <class T>
concept GameStruct = std::is_trivially_copyable_v<T> && std::is_class_v<T>;

template <GameStruct T> ObjectId create(Session *session, TypeId type, const T &value)
{
    return create(session, type, &value, sizeof(T));
}

template <GameStruct T> const T &get(const Session *session, ObjectId object)
{
    return *static_cast<const T *>(get(session, object, sizeof(T)));
}

template <GameStruct T> void set(Session *session, ObjectId object, const T &value)
{
    set(session, object, &value, sizeof(T));
}

template <GameStruct T>
bool sample(const Session *session, ObjectId object, uint64_t at_us, T &value)
{
    return sample(session, object, at_us, &value, sizeof(T));
}

template <GameStruct T> std::span<const T> values(const Session *session, TypeId type)
{
    return {static_cast<const T *>(values(session, type, sizeof(T))),
            objects(session, type).size()};
}

template <GameStruct T>
bool call(Session *session, PeerId to, TypeId type, const T &arguments,
          Reliability reliability = Reliability::reliable)
{
    return call(session, to, type, &arguments, sizeof(T), reliability);
}

template <GameStruct T> const T &arguments(const Event &event)
{
    return *static_cast<const T *>(event.arguments);
}

template <GameStruct T>
CallId call_owner(Session *session, ObjectId object, TypeId type, const T &arguments)
{
    return call_owner(session, object, type, &arguments, sizeof(T));
}

template <GameStruct T>
CallId request(Session *session, PeerId to, TypeId type, const T &arguments,
               uint32_t timeout_ms = 5000)
{
    return request(session, to, type, &arguments, sizeof(T), timeout_ms);
}

template <GameStruct T>
CallId request_owner(Session *session, ObjectId object, TypeId type, const T &arguments,
                     uint32_t timeout_ms = 5000)
{
    return request_owner(session, object, type, &arguments, sizeof(T), timeout_ms);
}

template <GameStruct T>
bool reply(Session *session, const Event &called, TypeId type, const T &arguments)
{
    return reply(session, called.peer, called.call, type, &arguments, sizeof(T));
}

}
