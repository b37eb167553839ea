// Keeps the calls of this peer that are answered (for an owner, for the host, requests), retries
// them when the owner or the host changes, and reports the result of each to the game exactly once.
#pragma once
#include "session/session_types.h"

namespace tern::session {

// Matches a reply to its open call and adds the event. Ignored if no such reply is due from there.
void settle_reply(Session &s, PeerId from, const CallHead &reply, const void *arguments);
// Applies an outcome message (CallKind::outcome) to the call that it is about.
void settle_outcome(Session &s, PeerId from, const CallHead &outcome);
// Once per tick: retries calls, fails the lost and the late ones, delivers those to ourselves.
void update_open_calls(Session &s);
// A call to PeerId::host. False: open_calls has no room.
bool call_host(Session &s, TypeId type, const void *arguments);

}
