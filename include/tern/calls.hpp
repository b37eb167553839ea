// Calls (RPC), when the session is open. Reliable ones from one peer to another arrive in order,
// unreliable ones at most once and in any order. docs/use/calls.md.
#pragma once
#include "tern/tern.hpp"

namespace tern {

enum class Reliability : uint32_t { reliable, unreliable };

// `to`: another member, PeerId::everyone (all other members, also if there are none), or
// PeerId::host. False if nothing was sent: `to` is not a member, its queue (for everyone: that of
// any member) is full, or Type::callers or calls_per_second_max forbids the call. A call to a
// member is lost, without an event, if the connection to it is lost; if the member refuses it,
// call_failed follows. Calls to PeerId::host must be reliable; they wait while there is no host,
// reach the game of this peer if it is the host, and call_failed follows if they fail.
template <GameStruct T>
bool call(Session *session, PeerId to, const T &arguments,
          Reliability reliability = Reliability::reliable)
{
    return tern_call(session, to_c(to), find_type<T>(session), &arguments, sizeof(T),
                     static_cast<tern_reliability>(reliability)) == TERN_OK;
}

// Calls the peer that owns the object when the call arrives, which may be this one. Reliable; calls
// from one peer to the owner of one object arrive in order. The call is delivered once, or fails
// with call_failed. It follows the object to a new owner, and waits up to two seconds for an object
// that is not known here. Returns none if the call was not accepted: the limit of open calls is
// reached, or Type::callers or calls_per_second_max forbids the call.
template <GameStruct T> CallId call_owner(Session *session, ObjectId object, const T &arguments)
{
    tern_call_id call = TERN_NO_CALL;
    tern_call_owner(session, to_c(object), find_type<T>(session), &arguments, sizeof(T), &call);
    return CallId{call};
}

// Like call() and call_owner(), for calls that await a reply. Exactly one event follows: reply or
// call_failed. After timeout_ms (1 to 600'000) it is call_failed with CallFailure::no_reply. `to`:
// another member or PeerId::host. Returns none if the call was not accepted.
template <GameStruct T>
CallId request(Session *session, PeerId to, const T &arguments, uint32_t timeout_ms = 5000)
{
    tern_call_id call = TERN_NO_CALL;
    tern_request(session, to_c(to), find_type<T>(session), &arguments, sizeof(T), timeout_ms,
                 &call);
    return CallId{call};
}

template <GameStruct T>
CallId request_owner(Session *session, ObjectId object, const T &arguments,
                     uint32_t timeout_ms = 5000)
{
    tern_call_id call = TERN_NO_CALL;
    tern_request_owner(session, to_c(object), find_type<T>(session), &arguments, sizeof(T),
                       timeout_ms, &call);
    return CallId{call};
}

// Answers an event of EventKind::call whose event.call.id is not none: once, in the same tick or
// later. False if nothing was sent: the caller has left, or a queue is full.
template <GameStruct T> bool reply(Session *session, const CallEvent &called, const T &arguments)
{
    return tern_reply(session, to_c(called.peer), to_c(called.id), find_type<T>(session),
                      &arguments, sizeof(T)) == TERN_OK;
}

// The arguments of a call, a reply or a failed call, if its type has the struct T; else null.
template <GameStruct T> const T *find_arguments(const Session *session, const Event &event)
{
    if (event.kind < EventKind::call || event.call.type != find_type<T>(session)) return nullptr;
    return static_cast<const T *>(event.call.arguments);
}

// A sentence for people.
inline const char *to_text(CallFailure failure)
{
    return tern_call_failure_text(static_cast<tern_call_failure>(failure));
}

}
