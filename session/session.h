// The state of a session, its list of events, and the placing of its replica.
#pragma once
#include "base/printf_format.h"
#include "session/session_types.h"

namespace tern::session {

inline bool is_in(const Session &s) // Open, or cut off.
{
    return s.state == State::open || s.state == State::cut_off;
}
inline bool forgets_send(const Session &s, uint64_t now_us)
{
    return s.accounts.receives >= forgotten_send_receives &&
           now_us - s.accounts.sent_us >= forgotten_send_us;
}
const char *sentence(State state); // For state_text().
// Sets the state, and the sentence that state_text() returns.
void enter_state(Session &s, State state, const char *format, ...) TERN_PRINTF(3, 4);
// Write to Config::log: the state, if it is a new one, and the events of the last receive() before
// it.
void log_state(Session &s);
void log_events(Session &s);
// Enters a final state with that state's own sentence, and ends all paths.
void fail(Session &s, State state);
// Places an empty replica in replica_memory, which must be zero.
void place_replica(Session &s);

// --- Events: receive.cpp ---

// Appends to the list that receive() returns. There must be room: see events_room().
void push_event(Session &s, const Event &event);
// Appends the replica's events since the last call, without those that the game's own values hide.
void copy_replica_events(Session &s);
// Whether one more message may be applied: all events that it can cause fit.
bool events_room(const Session &s);

}
