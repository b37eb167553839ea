// The log of a session: lines about its state, and about who comes and goes.
#include "base/printf_format.h"
#include "session/misuse.h"
#include "session/session.h"
#include "tern/tern.hpp"
#include <cstdarg>
#include <cstdio>

namespace tern::session {

TERN_PRINTF(2, 3) static void log_line(const Session &s, const char *format, ...)
{
    char text[512];
    va_list values;
    va_start(values, format);
    std::vsnprintf(text, sizeof text, format, values);
    va_end(values);
    s.config.log.line(s.config.log.user, text);
}

void log_state(Session &s)
{
    if (!s.config.log.line || s.state == s.logged_state) return;
    s.logged_state = s.state;
    log_line(s, "%s", s.text);
}

static void log_event(const Session &s, const Event &event)
{
    const auto peer = static_cast<unsigned>(peer_of(event));
    switch (event.kind) {
    case EventKind::peer_joined:
        return log_line(s, "Peer %u (%s) has joined.", peer, event.newcomer.name);
    case EventKind::peer_left: return log_line(s, "Peer %u has left.", peer);
    case EventKind::host_lost: return log_line(s, "The host, peer %u, is lost.", peer);
    case EventKind::host_changed: return log_line(s, "Peer %u is the host now.", peer);
    case EventKind::misbehaved:
        return log_line(s, "Peer %u has broken the rules: %s", peer,
                        to_text(event.misbehaved.breach));
    default: return; // The game's own business.
    }
}

void log_events(Session &s)
{
    if (!s.config.log.line) return;
    for (const Event &event : std::span(s.events.all, s.events.count))
        log_event(s, event);
    log_state(s);
}

}
