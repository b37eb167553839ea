// The members of the session and their names; how the game starts a session, goes on when it is cut
// off, and removes a member.
#pragma once
#include "session/session_types.h"

namespace tern::session {

Identity own_identity(const Session &s); // Without an address, which only others can see.
// When cut off: makes a session of its own of what is here.
void begin_another(Session &s);
const char *member_name(const Session &s, PeerId peer); // "" for others than members.

}
