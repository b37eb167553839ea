// Who is in the session: the members, their names, and the game's orders to found a session, to go
// on in a minority, and to remove a member.
#pragma once
#include "session/session_types.h"

namespace tern::session {

Identity own_identity(const Session &s); // Without an address, which only others can see.
const char *member_name(const Session &s, PeerId peer); // "" if it is no member.

}
