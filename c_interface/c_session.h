// A session of the C interface: a session of tern.hpp, and what only C needs.
#pragma once
#include "c_interface/alike.h"
#include "session/session_types.h"
#include "tern/tern.hpp"

struct tern_session {
    tern::Session *session;
    void (*misuse)(void *user, const tern_misuse *misuse);
    void (*log)(void *user, const char *line);
    void *user;
    tern::Allocator allocator;
    uint64_t misuses;         // Reports so far.
    tern::State logged_state; // The last state that the log shows.
};

namespace tern::c_interface {

// The session that a function passes on. Null is reported there.
inline Session *inside(tern_session *session)
{
    return session ? session->session : nullptr;
}

inline const Session *inside(const tern_session *session)
{
    return session ? session->session : nullptr;
}

// An Attempt notes the counters before a call, to give the reason if the call has done nothing.
class Attempt {
  public:
    explicit Attempt(const tern_session *session)
        : _session(session), _misuses(session ? session->misuses : 0),
          _refused_calls(is_there() ? session->session->refused_calls : 0)
    {
    }

    // `otherwise`: why it has done nothing if no rule of tern_result says it.
    tern_result result(bool is_done, tern_result otherwise) const
    {
        if (is_done) return TERN_OK;
        if (!is_there() || _session->misuses != _misuses) return TERN_MISUSE;
        if (_session->session->state == State::cut_off) return TERN_CUT_OFF;
        if (_session->session->refused_calls != _refused_calls) return TERN_NOT_ALLOWED;
        return otherwise;
    }

  private:
    bool is_there() const { return _session && _session->session; }

    const tern_session *_session;
    uint64_t _misuses, _refused_calls;
};

// Writes what has happened to tern_config.log, if there is one. Called after tern_receive().
void log_events(tern_session &session);
void log_state(tern_session &session);

}
