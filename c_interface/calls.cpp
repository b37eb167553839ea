// The functions of tern.h on calls.
#include "c_interface/c_session.h"
#include <algorithm>

using namespace tern;
using c_interface::Attempt;
using c_interface::inside;

// Why a call to a peer was not accepted, if no rule forbids it.
static tern_result unsent(const tern_session *session, tern_peer to)
{
    if (!session || to == TERN_HOST || to == TERN_EVERYONE) return TERN_NO_ROOM;
    const std::span<const PeerId> others = other_peers(session->session);
    return std::ranges::find(others, PeerId{to}) == others.end() ? TERN_GONE : TERN_NO_ROOM;
}

static tern_result accepted(const Attempt &attempt, CallId made, tern_call_id *call,
                            tern_result otherwise)
{
    if (call) *call = static_cast<tern_call_id>(made);
    return attempt.result(made != CallId::none, otherwise);
}

tern_result tern_call(tern_session *session, tern_peer to, tern_type_id type, const void *arguments,
                      size_t size_bytes, tern_reliability reliability)
{
    const Attempt attempt(session);
    const auto as = static_cast<Reliability>(reliability);
    const bool is_sent = call(inside(session), PeerId{to}, type, arguments, size_bytes, as);
    return attempt.result(is_sent, is_sent ? TERN_OK : unsent(session, to));
}

tern_result tern_call_owner(tern_session *session, tern_object object, tern_type_id type,
                            const void *arguments, size_t size_bytes, tern_call_id *call)
{
    const Attempt attempt(session);
    const CallId made = call_owner(inside(session), ObjectId{object}, type, arguments, size_bytes);
    return accepted(attempt, made, call, TERN_NO_ROOM);
}

tern_result tern_request(tern_session *session, tern_peer to, tern_type_id type,
                         const void *arguments, size_t size_bytes, uint32_t timeout_ms,
                         tern_call_id *call)
{
    const Attempt attempt(session);
    const CallId made =
        request(inside(session), PeerId{to}, type, arguments, size_bytes, timeout_ms);
    return accepted(attempt, made, call, unsent(session, to));
}

tern_result tern_request_owner(tern_session *session, tern_object object, tern_type_id type,
                               const void *arguments, size_t size_bytes, uint32_t timeout_ms,
                               tern_call_id *call)
{
    const Attempt attempt(session);
    const CallId made =
        request_owner(inside(session), ObjectId{object}, type, arguments, size_bytes, timeout_ms);
    return accepted(attempt, made, call, TERN_NO_ROOM);
}

tern_result tern_reply(tern_session *session, tern_peer caller, tern_call_id call,
                       tern_type_id type, const void *arguments, size_t size_bytes)
{
    const Attempt attempt(session);
    const bool is_sent =
        reply(inside(session), PeerId{caller}, CallId{call}, type, arguments, size_bytes);
    return attempt.result(is_sent, is_sent ? TERN_OK : unsent(session, caller));
}

const char *tern_call_failure_text(tern_call_failure failure)
{
    return to_text(static_cast<CallFailure>(failure));
}
