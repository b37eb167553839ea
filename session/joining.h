// The newcomer's side of joining: it tries the invite's addresses, asks, and takes the WELCOME.
#pragma once
#include "session/session_types.h"

namespace tern::session {

// Handles a message from the peer that we asked: a refusal or redirect, else the WELCOME.
void receive_from_join_target(Session &s, ConnectionIndex index,
                              std::span<const std::byte> message);
// Once per tick: connects to the next address, sends or repeats the JOIN, and fails the session
// when join_timeout_ms are over.
void update_joining(Session &s);
// Adds a join_progress event if the progress has grown by a percent or more.
void report_progress(Session &s);
// The host was lost while we joined: empties the replica and asks the other members that we know.
void start_over(Session &s);
// The session has gone on without this peer, or yields to another: it joins again, as a new peer.
// Its game can read the former world until the next receive(), which calls forget_former_world().
void join_again(Session &s);
void forget_former_world(Session &s);

}
