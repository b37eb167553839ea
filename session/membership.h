// The members of the session and their names; how the game starts a session, continues in a
// minority and removes a member.
#pragma once
#include "session/session_types.h"

namespace tern::session {

Identity own_identity(const Session &s); // Without an address, which only others can see.
const char *member_name(const Session &s, PeerId peer); // "" for others than members.

}
