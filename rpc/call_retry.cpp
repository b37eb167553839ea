// A call is kept until its one answer, or until nothing can be known about it any more: the peer or
// the connection that took it is gone. Then it fails as `lost` and is not sent again, because it
// may have been delivered.
#include "rpc/call_retry.h"
#include "rpc/call_routing.h"
#include "rpc/call_rules.h"
#include "session/misuse.h"
#include "session/recording/recording.h"
#include "session/session.h"
#include "tern/calls.hpp"
#include "tern/limits.hpp"
#include <cstring>

namespace tern {
namespace session {

// --- The target ---

struct CallTarget {
    PeerId peer; // none: not known yet.
    Stamp stamp; // owner_call
    CallFailure failure;
};

static CallTarget owner_of(const Session &s, const OpenCall &call)
{
    const World &world = s.replica->world;
    if (dead::contains(world.dead, call.head.object)) return {PeerId::none, 0, CallFailure::dead};
    const ObjectSlot slot = world::find_alive(world, call.head.object);
    if (slot == no_slot) {
        const bool late = s.now_us - call.made_us >= call_unknown_us;
        return {PeerId::none, 0, late ? CallFailure::unknown : CallFailure::none};
    }
    const KnownObject &object = world.slots[slot];
    if (!replica::is_member(*s.replica, object.owner)) return {};
    return {object.owner, object.stamp, CallFailure::none};
}

static CallTarget target_of(const Session &s, const OpenCall &call)
{
    switch (call.head.kind) {
    case CallKind::owner_call: return owner_of(s, call);
    case CallKind::host_call: return {replica::host(*s.replica), 0, CallFailure::none};
    case CallKind::call:
    case CallKind::request:
    case CallKind::reply:
    case CallKind::outcome: break;
    }
    return {call.to, 0, CallFailure::none};
}

// --- Sending ---

static void fail_call(OpenCall &call, CallFailure failure)
{
    call.step = CallStep::failed;
    call.failure = failure;
}

static void try_call(Session &s, OpenCall &call)
{
    const CallTarget target = target_of(s, call);
    if (target.failure != CallFailure::none) return fail_call(call, target.failure);
    const bool refused_there =
        call.tried == target.peer && call.head.stamp == target.stamp && call.tried != PeerId::none;
    if (target.peer == PeerId::none || refused_there) return;
    if (open_calls::goes_before(s.calls.open, call, target.peer, target.stamp)) return;
    CallHead head = call.head;
    head.stamp = target.stamp;
    const uint64_t connection_epoch = connection_epoch_to(s, target.peer);
    if (target.peer != s.replica->self) {
        if (connection_epoch == 0) return;
        alignas(16) std::byte value[struct_bytes_max];
        std::memcpy(value, open_calls::arguments(s.calls.open, call), call.size_bytes);
        std::byte buffer[call_bytes_max];
        const size_t size = calls::write(s.types, head, value, buffer);
        if (!queue_call(s, target.peer, std::span(buffer).first(size), Reliability::reliable))
            return;
    }
    call.head = head;
    call.tried = target.peer;
    call.connection_epoch = connection_epoch;
    call.step = CallStep::sent;
}

// Null: there is no room.
static OpenCall *keep(Session &s, const CallHead &head, PeerId to, const void *arguments,
                      uint64_t answer_us)
{
    const size_t size = s.types.types[head.type].size_bytes;
    OpenCall *call =
        open_calls::add(s.calls.open, {static_cast<const std::byte *>(arguments), size});
    if (!call) return nullptr;
    call->head = head;
    call->to = to;
    call->made_us = s.now_us;
    call->deadline_us = s.now_us + answer_us;
    return call;
}

static CallId ask(Session &s, const CallHead &head, PeerId to, const void *arguments,
                  uint64_t answer_us)
{
    OpenCall *call = keep(s, head, to, arguments, answer_us);
    if (!call) return CallId::none;
    call->head.id = open_calls::next_id(s.calls.open);
    try_call(s, *call);
    return call->head.id;
}

bool call_host(Session &s, TypeId type, const void *arguments)
{
    const CallHead head = head_of(s, CallKind::host_call, type, arguments);
    return ask(s, head, PeerId::host, arguments, call_answer_us) != CallId::none;
}

// --- Answers ---

void settle_reply(Session &s, PeerId from, const CallHead &reply, const void *arguments)
{
    OpenCall *call = open_calls::find(s.calls.open, reply.id);
    const bool due = call && call->head.is_asked && call->tried == from &&
                     (call->step == CallStep::sent || call->step == CallStep::taken);
    if (!due) return; // Too late.
    push_call(s, from, reply, arguments);
    call->step = CallStep::over;
}

static void settle_ours(OpenCall &call, Outcome outcome)
{
    switch (outcome) {
    case Outcome::taken: call.step = call.head.is_asked ? CallStep::taken : CallStep::over; break;
    case Outcome::moved: call.step = CallStep::waits; break;
    case Outcome::dead: fail_call(call, CallFailure::dead); break;
    case Outcome::not_allowed: fail_call(call, CallFailure::not_allowed); break;
    }
}

// arguments: null for a plain call, whose arguments are not kept.
static void push_failure(Session &s, const CallHead &head, PeerId peer, CallFailure failure,
                         const void *arguments)
{
    Event event = {};
    event.kind = EventKind::call_failed;
    const bool is_plain = head.kind == CallKind::host_call && !head.is_asked;
    const auto size_bytes = static_cast<uint16_t>(s.config.types[head.type].size_bytes);
    event.call = {.object = head.object,
                  .arguments = arguments,
                  .id = is_plain ? CallId::none : head.id,
                  .failure = failure,
                  .argument_bytes = arguments ? size_bytes : uint16_t{0},
                  .type = head.type,
                  .peer = peer};
    push_event(s, event);
}

static CallFailure failure_of(Outcome outcome)
{
    return outcome == Outcome::dead ? CallFailure::dead : CallFailure::not_allowed;
}

void settle_outcome(Session &s, PeerId from, const CallHead &outcome)
{
    const bool refused =
        outcome.outcome == Outcome::dead || outcome.outcome == Outcome::not_allowed;
    if (outcome.id == CallId::none) { // The outcome of a plain call.
        if (refused) push_failure(s, outcome, from, failure_of(outcome.outcome), nullptr);
        return;
    }
    OpenCall *call = open_calls::find(s.calls.open, outcome.id);
    if (!call || call->tried != from || call->step != CallStep::sent) return;
    settle_ours(*call, outcome.outcome);
}

// --- Once per tick ---

// Copies the arguments to where an event can point to. Null: no room in this tick.
static const void *show_arguments(Session &s, const OpenCall &call)
{
    const size_t start = (s.calls.arena.used_bytes + 15) / 16 * 16;
    if (start + call.size_bytes > s.calls.arena.memory.size() || !events_room(s)) return nullptr;
    std::byte *arguments = s.calls.arena.memory.data() + start;
    std::memcpy(arguments, open_calls::arguments(s.calls.open, call), call.size_bytes);
    s.calls.arena.used_bytes = start + call.size_bytes;
    return arguments;
}

// Delivers a call to ourselves, unless the owner or the host has changed since it was made.
static void deliver_own(Session &s, OpenCall &call)
{
    const CallTarget target = target_of(s, call);
    if (call.head.kind != CallKind::reply && target.failure != CallFailure::none)
        return fail_call(call, target.failure);
    if (target.peer != s.replica->self || target.stamp != call.head.stamp) {
        call.step = CallStep::waits;
        return;
    }
    const void *arguments = show_arguments(s, call);
    if (!arguments) return;
    if (call.head.kind == CallKind::reply) {
        settle_reply(s, s.replica->self, call.head, arguments);
        call.step = CallStep::over;
        return;
    }
    push_call(s, s.replica->self, call.head, arguments);
    call.step = call.head.is_asked ? CallStep::taken : CallStep::over;
}

static void look_at(Session &s, OpenCall &call)
{
    const bool is_out = call.step == CallStep::sent || call.step == CallStep::taken;
    const bool is_own = call.tried == s.replica->self;
    if (is_out && !is_own &&
        (!replica::is_member(*s.replica, call.tried) ||
         connection_epoch_to(s, call.tried) != call.connection_epoch)) {
        fail_call(call, CallFailure::lost);
    }
    if (call.step == CallStep::sent && is_own) deliver_own(s, call);
    if (call.step == CallStep::waits) {
        if (call.head.kind == CallKind::request && !replica::is_member(*s.replica, call.to))
            fail_call(call, CallFailure::lost);
        else
            try_call(s, call);
    }
    if (call.step <= CallStep::taken && s.now_us >= call.deadline_us)
        fail_call(call, call.head.is_asked ? CallFailure::no_reply : CallFailure::lost);
}

void update_open_calls(Session &s)
{
    if (s.calls.open.count == 0) return;
    if (!is_in(s) && s.state != State::leaving && s.state != State::joining) return;
    for (uint32_t i = 0; i < s.calls.open.count; ++i) {
        OpenCall &call = s.calls.open.calls[i];
        // A peer that joins again does so as another caller.
        if (s.state != State::joining)
            look_at(s, call);
        else if (call.step <= CallStep::taken)
            fail_call(call, CallFailure::lost);
        if (call.step != CallStep::failed) continue;
        const void *arguments = show_arguments(s, call);
        if (!arguments) continue;
        push_failure(s, call.head, call.tried, call.failure, arguments);
        call.step = CallStep::over;
    }
    open_calls::remove_over(s.calls.open);
}

// --- The public functions ---

static bool is_ask(const misuse::Entry &entry, TypeId type, const void *arguments,
                   size_t size_bytes, uint32_t timeout_ms)
{
    if (!entry || !misuse::is_call(entry, type, arguments, size_bytes)) return false;
    if (timeout_ms >= 1 && timeout_ms <= 600'000) return true;
    return misuse::report(entry, "Pass 1 to 600000 ms.", "timeout_ms is %u.", timeout_ms);
}

// The arguments of a call that is kept, normalised: a call to ourselves must arrive with the same
// values as one that was sent.
struct Arguments {
    alignas(16) std::byte value[struct_bytes_max];
};

static Arguments normal(const Session &s, TypeId type, const void *arguments)
{
    Arguments normal;
    type_table::normalise(s.types, type, arguments, normal.value);
    return normal;
}

static void note(Session &s, Record line, TypeId type, const void *arguments, uint32_t timeout_ms)
{
    line.timeout_ms = timeout_ms;
    record_value(s, line, type, arguments);
}

// TERN_OK: the call is open, and `call` gets its id.
static tern_result given(CallId id, tern_call_id *call)
{
    if (call) *call = static_cast<tern_call_id>(id);
    return id == CallId::none ? TERN_NO_ROOM : TERN_OK;
}

static CallHead head_to_owner(const Session &s, ObjectId object, TypeId type,
                              const Arguments &arguments, bool is_asked)
{
    CallHead head = head_of(s, CallKind::owner_call, type, arguments.value);
    head.object = object;
    head.is_asked = is_asked;
    return head;
}

}

}

using namespace tern;

tern_result tern_call_owner(tern_session *session, tern_object object, tern_type_id type,
                            const void *arguments, size_t size_bytes, tern_call_id *call)
{
    if (call) *call = TERN_NO_CALL;
    const misuse::Entry entry = misuse::change(session, "call_owner", ObjectId{object});
    if (!session::is_ask(entry, type, arguments, size_bytes, 1)) return TERN_MISUSE;
    if (!misuse::is_object(entry)) return TERN_MISUSE;
    Session &s = *session;
    const ObjectId id{object};
    session::note(s, session::about(RecordKind::call_owner, id), type, arguments, 0);
    const session::Arguments value = session::normal(s, type, arguments);
    if (!session::may_call(s, type, value.value)) return TERN_NOT_ALLOWED;
    const CallHead head = session::head_to_owner(s, id, type, value, false);
    return session::given(session::ask(s, head, PeerId::none, value.value, call_answer_us), call);
}

tern_result tern_request_owner(tern_session *session, tern_object object, tern_type_id type,
                               const void *arguments, size_t size_bytes, uint32_t timeout_ms,
                               tern_call_id *call)
{
    if (call) *call = TERN_NO_CALL;
    const misuse::Entry entry = misuse::change(session, "request_owner", ObjectId{object});
    if (!session::is_ask(entry, type, arguments, size_bytes, timeout_ms)) return TERN_MISUSE;
    if (!misuse::is_object(entry)) return TERN_MISUSE;
    Session &s = *session;
    const ObjectId id{object};
    const uint64_t answer_us = timeout_ms * uint64_t{1000};
    session::note(s, session::about(RecordKind::request_owner, id), type, arguments, timeout_ms);
    const session::Arguments value = session::normal(s, type, arguments);
    if (!session::may_call(s, type, value.value)) return TERN_NOT_ALLOWED;
    const CallHead head = session::head_to_owner(s, id, type, value, true);
    return session::given(session::ask(s, head, PeerId::none, value.value, answer_us), call);
}

tern_result tern_request(tern_session *session, tern_peer recipient, tern_type_id type,
                         const void *arguments, size_t size_bytes, uint32_t timeout_ms,
                         tern_call_id *call)
{
    if (call) *call = TERN_NO_CALL;
    const misuse::Entry entry = misuse::change(session, "request");
    if (!session::is_ask(entry, type, arguments, size_bytes, timeout_ms)) return TERN_MISUSE;
    Session &s = *session;
    const PeerId to{recipient};
    if (to == PeerId::everyone || to == s.replica->self) {
        misuse::report(entry, "Request it of one other peer; request each one for all.",
                       "A request to %s gets no reply.",
                       to == PeerId::everyone ? "everyone" : "this peer itself");
        return TERN_MISUSE;
    }
    session::note(s, session::about(RecordKind::request, ObjectId::none, to), type, arguments,
                  timeout_ms);
    const bool to_host = to == PeerId::host;
    if (!to_host && !replica::is_member(*s.replica, to)) return TERN_GONE;
    const session::Arguments value = session::normal(s, type, arguments);
    if (!session::may_call(s, type, value.value)) return TERN_NOT_ALLOWED;
    const CallKind kind = to_host ? CallKind::host_call : CallKind::request;
    CallHead head = session::head_of(s, kind, type, value.value);
    head.is_asked = true;
    const uint64_t answer_us = timeout_ms * uint64_t{1000};
    return session::given(session::ask(s, head, to, value.value, answer_us), call);
}

tern_result tern_reply(tern_session *session, tern_peer to, tern_call_id call, tern_type_id type,
                       const void *arguments, size_t size_bytes)
{
    const misuse::Entry entry = misuse::change(session, "reply");
    if (!session::is_ask(entry, type, arguments, size_bytes, 1)) return TERN_MISUSE;
    if (call == TERN_NO_CALL) {
        misuse::report(entry, "Reply only to a call whose id is not none.",
                       "The caller of this call awaits no reply.");
        return TERN_MISUSE;
    }
    Session &s = *session;
    const PeerId caller{to};
    Record line = session::about(RecordKind::reply, ObjectId::none, caller);
    line.call = CallId{call};
    session::record_value(s, line, type, arguments);
    session::Arguments value = session::normal(s, type, arguments);
    CallHead head = session::head_of(s, CallKind::reply, type, value.value);
    head.id = CallId{call};
    if (caller == s.replica->self) {
        OpenCall *own = session::keep(s, head, caller, value.value, call_answer_us);
        if (own) session::try_call(s, *own);
        return own ? TERN_OK : TERN_NO_ROOM;
    }
    if (!replica::is_member(*s.replica, caller)) return TERN_GONE;
    std::byte buffer[call_bytes_max];
    const size_t size = calls::write(s.types, head, value.value, buffer);
    const bool is_sent =
        session::queue_call(s, caller, std::span(buffer).first(size), Reliability::reliable);
    return is_sent ? TERN_OK : TERN_NO_ROOM;
}

const char *tern_call_failure_text(tern_call_failure failure)
{
    switch (CallFailure{failure}) {
    case CallFailure::none: return "it has not failed";
    case CallFailure::dead: return "the object was destroyed";
    case CallFailure::unknown: return "this peer does not know the object";
    case CallFailure::not_allowed: return "this peer may not make this call, or not so often";
    case CallFailure::lost:
        return "the callee or the connection to it was lost; the callee may have received the call";
    case CallFailure::no_reply:
        return "no reply came in time; the callee may have received the call";
    }
    return "";
}
