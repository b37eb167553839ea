// The functions that every game uses on a session: inline functions over tern.h, which says more
// about each. receive() takes datagrams and the time and returns events; send() takes the time and
// returns datagrams. A session contains no thread, clock or socket; io.hpp has some.
// Lifetimes: all that a session returns is valid until the next receive(), and the datagrams of
// send() until the next send(). Threads: one thread at a time may use a session. Errors: a call
// with wrong arguments or in the wrong state does nothing, gives false, none, null, zero or an
// empty span, and is reported to Config::misuse.
// Headers of their own: calls.hpp, ownership.hpp (locks, room, the host's answers), host.hpp (who
// may come), many.hpp, untyped.hpp (types that only the run knows), interest.hpp (who gets what),
// prediction.hpp (values to show), invites.hpp (texts), handlers.hpp, recording.hpp,
// diagnostics.hpp (texts, counters), traffic.hpp, discovery.hpp, io.hpp (sockets), sim.hpp.
#pragma once
#include "tern/detail/untyped_ids.hpp"
#include "tern/events.hpp"
#include "tern/fields.hpp"
#include "tern/types.hpp"

namespace tern {

// --- A session ---
// Allocates all memory that the session will ever use. Null: Config::misuse got what is wrong with
// the config, or the system does not give the memory.
[[nodiscard]] inline Session *make_session(const Config &config)
{
    tern_session *session = nullptr;
    tern_make_session(to_c(&config), &session);
    return session;
}
// Sends no goodbye; see leave(). Null: nothing happens.
inline void destroy_session(Session *session) { tern_destroy_session(session); }
// In State::idle: this peer is the first one, and the host. The session is open at once.
inline bool start(Session *session) { return tern_start(session) == TERN_OK; }
// In State::idle: joins through the member that made the invite. caught_up follows, or, without an
// event, a final state. The payload, at most 256 bytes, goes to the host's game: join_asked.
inline bool join(Session *session, const Invite &invite, std::span<const std::byte> payload = {})
{
    return tern_join(session, to_c(&invite), payload.data(), payload.size()) == TERN_OK;
}
// When open, cut off or joining: this peer changes nothing more, and its objects become orphans. Go
// on with receive() and send(), and send the datagrams, until State::left, in at most four seconds.
inline bool leave(Session *session) { return tern_leave(session) == TERN_OK; }
// In State::cut_off: this peer becomes the host of a new session that keeps all objects.
inline bool go_on(Session *session) { return tern_go_on(session) == TERN_OK; }
inline State session_state(const Session *session) { return State{tern_session_state(session)}; }
// A sentence for people: what happened, and what to do.
inline const char *state_text(const Session *session) { return tern_state_text(session); }

// --- A tick: receive(), the game's own work, send() ---
// Takes the datagrams that arrived since the last call. now_us is a monotonic time in microseconds;
// its zero is the caller's choice.
inline std::span<const Event> receive(Session *session, std::span<const Datagram> datagrams,
                                      uint64_t now_us)
{
    const bool taken =
        tern_receive(session, to_c(datagrams.data()), datagrams.size(), now_us) == TERN_OK;
    return taken ? span_of<Event>(tern_events, session) : std::span<const Event>{};
}
[[nodiscard]] inline std::span<const Datagram> send(Session *session, uint64_t now_us)
{
    return span_of<Datagram>(tern_send, session, now_us);
}

// --- Invites ---
// When open; any member may make one, and it is valid while that member is in the session.
// `addresses` are where newcomers reach this process; join() tries them in turn.
inline Invite make_invite(const Session *session, std::span<const Address> addresses)
{
    Invite invite = {};
    tern_make_invite(session, to_c(addresses.data()), addresses.size(), to_c(&invite));
    return invite;
}

// --- Peers ---
// This peer; none until the host has admitted it.
inline PeerId local_peer(const Session *session) { return PeerId{tern_local_peer(session)}; }
// none while there is no host; see host_lost.
inline PeerId host_peer(const Session *session) { return PeerId{tern_host_peer(session)}; }
// All other members, in ascending order; a newcomer is one even before its peer_joined.
inline std::span<const PeerId> other_peers(const Session *session)
{
    return span_of<PeerId>(tern_other_peers, session);
}

// Config::name there, also of the last 64 members that have left. "" if unknown.
inline const char *peer_name(const Session *session, PeerId peer)
{
    return tern_peer_name(session, to_c(peer));
}

// --- Objects, when open; docs/use/ownership.md. Owners change only inside receive(). ---
template <class T>
concept GameStruct = std::is_trivially_copyable_v<T> && std::is_class_v<T>;

// The first type of the config with the struct T; no_type: there is none.
template <GameStruct T> TypeId find_type(const Session *session)
{
    return tern_find_type(session, to_c(fields_of<T>.data()));
}

// The object, if it can be read here and its type has the struct T; else an empty one. It can be
// read while it exists, and until the next receive() after it was destroyed.
template <GameStruct T> Object<T> find_object(const Session *session, ObjectId object)
{
    tern_type_id type = no_type;
    const void *value = tern_find_value(session, to_c(object), &type);
    return value && type == find_type<T>(session) ? Object<T>{object} : Object<T>{};
}

// Gives an empty one if creations_left() is 0; this peer then asks the host for more. Try it later.
template <GameStruct T> Object<T> create(Session *session, const T &value)
{
    tern_object object = TERN_NO_OBJECT;
    tern_create(session, find_type<T>(session), &value, sizeof(T), &object);
    return Object<T>{ObjectId{object}};
}

// Owner only. The object can be read until the next receive().
inline bool destroy(Session *session, ObjectId object)
{
    return tern_destroy(session, to_c(object)) == TERN_OK;
}

// Known here, and alive.
inline bool exists(const Session *session, ObjectId object)
{
    return tern_exists(session, to_c(object));
}

inline PeerId object_owner(const Session *session, ObjectId object)
{
    return PeerId{tern_object_owner(session, to_c(object))};
}

// A later set() may change what the reference refers to. An empty struct: it cannot be read.
template <GameStruct T> const T &get(const Session *session, Object<T> object)
{
    static const T nothing = {};
    const void *value = tern_get(session, to_c(object.id), sizeof(T));
    return value ? *static_cast<const T *>(value) : nothing;
}

// Requires may_set(), and that no float is NaN. Stores the value as others will see it: clamped to
// ranges, and rounded to steps, so less than half a step changes nothing. They get what changed.
template <GameStruct T>
bool set(Session *session, Object<T> object, const std::type_identity_t<T> &value)
{
    return tern_set(session, to_c(object.id), &value, sizeof(T)) == TERN_OK;
}

// Whether set() may be called: open, and the object is ours, or claimed with ClaimMode::optimistic.
inline bool may_set(const Session *session, ObjectId object)
{
    return tern_may_set(session, to_c(object));
}

// All objects of this struct, in no particular order.
template <GameStruct T> std::span<const Object<T>> object_ids(const Session *session)
{
    return span_of<Object<T>>(tern_object_ids, session, find_type<T>(session));
}

// Their structs in the same order, without gaps.
template <GameStruct T> std::span<const T> object_values(const Session *session)
{
    const TypeId type = find_type<T>(session);
    const void *values = tern_object_values(session, type, sizeof(T));
    return {static_cast<const T *>(values), values ? object_ids<T>(session).size() : 0};
}

// Asks the host for an object of another owner: claim_granted or claim_refused follows.
// ClaimMode::optimistic: this peer may set() it at once, and sees what it sets until the answer.
inline bool claim(Session *session, ObjectId object, ClaimMode mode = ClaimMode::wait)
{
    return tern_claim(session, to_c(object), static_cast<tern_claim_mode>(mode)) == TERN_OK;
}

// Whether a claim of the object by this peer waits for its answer.
inline bool is_claiming(const Session *session, ObjectId object)
{
    return tern_is_claiming(session, to_c(object));
}

}
