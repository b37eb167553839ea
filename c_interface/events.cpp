// The events of tern.h, and its log.
#include "c_interface/c_session.h"
#include <cstdarg>
#include <cstdio>

namespace tern::c_interface {

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
    const auto peer = static_cast<unsigned>(peer_of(event));
    switch (event.kind) {
    case EventKind::peer_joined:
        return log_line(session, "Peer %u (%s) has joined.", peer, event.newcomer.name);
    case EventKind::peer_left: return log_line(session, "Peer %u has left.", peer);
    case EventKind::host_lost: return log_line(session, "The host, peer %u, is lost.", peer);
    case EventKind::host_changed: return log_line(session, "Peer %u is the host now.", peer);
    case EventKind::misbehaved:
        return log_line(session, "Peer %u has broken the rules: %s", peer,
                        to_text(event.misbehaved.breach));
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

const tern_event *tern_event_at(const tern_session *session, size_t index)
{
    using namespace tern;
    const std::span<const Event> events = session_events(c_interface::inside(session));
    return index < events.size() ? c_interface::to_c(&events[index]) : nullptr;
}
