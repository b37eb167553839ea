// The events of tern.h, and its log.
#include "c_interface/c_session.h"
#include <cstdarg>
#include <cstdio>

namespace tern::c_interface {

// --- Events ---

static tern_type_id known_type(const tern_session &session, const Event &event)
{
    const bool is_known = can_read(session.session, event.object);
    return is_known ? object_type(session.session, event.object) : TERN_NO_TYPE;
}

static void fill_claim(const tern_session &session, const Event &from, tern_event &to)
{
    const bool is_asked = from.kind == EventKind::claim_asked;
    to.of.claim.object = static_cast<tern_object>(from.object);
    to.of.claim.type = known_type(session, from);
    to.of.claim.claimer =
        static_cast<tern_peer>(is_asked ? from.peer : local_peer(session.session));
    to.of.claim.refusal = static_cast<tern_claim_refusal>(from.refusal);
}

static void fill_object(const Event &from, tern_event &to)
{
    to.of.object.object = static_cast<tern_object>(from.object);
    to.of.object.changed_fields = from.changed_fields;
    to.of.object.type = from.type;
    to.of.object.owner = static_cast<tern_peer>(from.peer);
}

static void fill_owner(const Event &from, tern_event &to)
{
    to.of.owner.object = static_cast<tern_object>(from.object);
    to.of.owner.changed_fields = from.changed_fields;
    to.of.owner.type = from.type;
    to.of.owner.owner = static_cast<tern_peer>(from.peer);
    to.of.owner.previous = static_cast<tern_peer>(from.previous);
    to.of.owner.lost_ticks = from.lost_ticks;
}

static void fill_call(const Event &from, tern_event &to)
{
    to.of.call.object = static_cast<tern_object>(from.object);
    to.of.call.arguments = from.arguments;
    to.of.call.call = static_cast<tern_call_id>(from.call);
    to.of.call.argument_bytes = from.argument_bytes;
    to.of.call.type = from.type;
    to.of.call.peer = static_cast<tern_peer>(from.peer);
    to.of.call.failure = static_cast<tern_call_failure>(from.failure);
}

static void fill_newcomer(const Event &from, tern_event &to)
{
    to.of.newcomer.peer = static_cast<tern_peer>(from.peer);
    to.of.newcomer.previous = static_cast<tern_peer>(from.previous);
    to.of.newcomer.payload_bytes = from.argument_bytes;
    to.of.newcomer.name = from.name;
    to.of.newcomer.payload = from.arguments;
}

static void fill(const tern_session &session, const Event &from, tern_event &to)
{
    to = {};
    to.struct_size = sizeof to;
    to.kind = static_cast<tern_event_kind>(from.kind);
    switch (from.kind) {
    case EventKind::join_progress:
        to.of.progress.objects_here = from.objects_here;
        to.of.progress.objects_expected = from.objects_expected;
        return;
    case EventKind::caught_up: return;
    case EventKind::join_asked:
    case EventKind::peer_joined: return fill_newcomer(from, to);
    case EventKind::peer_left:
    case EventKind::host_lost: to.of.peer = static_cast<tern_peer>(from.peer); return;
    case EventKind::misbehaved:
        to.of.misbehaved.peer = static_cast<tern_peer>(from.peer);
        to.of.misbehaved.reporter = static_cast<tern_peer>(from.previous);
        to.of.misbehaved.breach = static_cast<tern_breach>(from.breach);
        return;
    case EventKind::host_changed:
        to.of.host.peer = static_cast<tern_peer>(from.peer);
        to.of.host.previous = static_cast<tern_peer>(from.previous);
        return;
    case EventKind::object_created:
    case EventKind::object_changed:
    case EventKind::object_destroyed:
    case EventKind::object_hidden:
    case EventKind::object_shown: return fill_object(from, to);
    case EventKind::owner_changed:
    case EventKind::object_orphaned: return fill_owner(from, to);
    case EventKind::claim_asked:
    case EventKind::claim_granted:
    case EventKind::claim_refused: return fill_claim(session, from, to);
    case EventKind::call:
    case EventKind::reply:
    case EventKind::call_failed: return fill_call(from, to);
    }
}

// --- The log ---

[[gnu::format(printf, 2, 3)]] static void log_line(tern_session &session, const char *format, ...)
{
    char line[512];
    va_list values;
    va_start(values, format);
    std::vsnprintf(line, sizeof line, format, values);
    va_end(values);
    session.log(session.user, line);
}

void log_state(tern_session &session)
{
    const State state = session_state(session.session);
    if (!session.log || state == session.logged_state) return;
    session.logged_state = state;
    log_line(session, "%s", state_text(session.session));
}

static void log_event(tern_session &session, const Event &event)
{
    const auto peer = static_cast<unsigned>(event.peer);
    switch (event.kind) {
    case EventKind::peer_joined:
        return log_line(session, "Peer %u (%s) has joined.", peer, event.name);
    case EventKind::peer_left: return log_line(session, "Peer %u has left.", peer);
    case EventKind::host_lost: return log_line(session, "The host, peer %u, is lost.", peer);
    case EventKind::host_changed: return log_line(session, "Peer %u is the host now.", peer);
    case EventKind::misbehaved:
        return log_line(session, "Peer %u has broken the rules: %s", peer, to_text(event.breach));
    default: return; // The game's own business.
    }
}

void log_events(tern_session &session)
{
    if (!session.log) return;
    for (const Event &event : session_events(session.session))
        log_event(session, event);
    log_state(session);
}

}

const tern_event *tern_next_event(tern_session *session)
{
    using namespace tern;
    const std::span<const Event> events = session_events(c_interface::inside(session));
    if (!session || session->next_event >= events.size()) return nullptr;
    c_interface::fill(*session, events[session->next_event], session->event);
    session->next_event += 1;
    return &session->event;
}
