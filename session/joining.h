// The newcomer's side of joining: it tries the invite's addresses, asks, and takes the WELCOME.
#pragma once
#include "session/session_types.h"

namespace tern::session {

void receive_from_asked(Session &s, ConnectionIndex index, std::span<const std::byte> message);
void update_joining(Session &s); // Tries addresses, asks, and gives up in time.
void tell_progress(Session &s);  // To the game, if it is a percent more than it knows.
void start_over(Session &s);     // The host has gone while we joined.

}
