// The other side of joining: the host admits a newcomer or refuses it, other members name the host.
#pragma once
#include "session/session_types.h"

namespace tern::session {

// Handles a JOIN from a member that has not caught up. If our WELCOME is still on its way, the
// newcomer has only replaced its connection, and the JOIN is ignored. Otherwise it has lost its
// host while joining and starts over: it is removed, and its JOIN taken as that of an unidentified
// peer. False: the message is no such JOIN.
bool receive_join_of_member(Session &s, ConnectionIndex index, std::span<const std::byte> message);
// Handles a message from an unidentified peer. False: the message must stay in its stream, because
// the peer may be a member that our view does not name yet.
bool receive_from_unidentified(Session &s, ConnectionIndex index,
                               std::span<const std::byte> message);

}
