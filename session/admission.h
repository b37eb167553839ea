// What a member does with the JOIN of a newcomer: the host admits it or refuses it, the others name
// the host.
#pragma once
#include "session/session_types.h"

namespace tern::session {

// A JOIN from a member. It lost its connection before our welcome came through, and has made
// another: it is said everything again. Or its host went while it joined: it starts over as a
// stranger. False: the message is something else.
bool receive_join_of_member(Session &s, ConnectionIndex index, std::span<const std::byte> message);
// False: the message stays where it is.
bool receive_from_stranger(Session &s, ConnectionIndex index, std::span<const std::byte> message);

}
