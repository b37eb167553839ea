// The other side of joining: the host admits a newcomer or refuses it, other members name the host.
#pragma once
#include "session/session_types.h"

namespace tern::session {

// Whether the game has removed the peer with this key, by remove().
bool is_banned(const Session &s, const uint8_t *key);
// Handles a JOIN from a member. If our WELCOME is still on its way, the newcomer has only replaced
// its connection, and the JOIN is ignored. Otherwise it has lost its host while joining, or others
// have removed it, and it joins again: it is removed, and its JOIN taken as that of an unidentified
// peer. False: the message is no JOIN.
bool receive_join_of_member(Session &s, ConnectionIndex index, std::span<const std::byte> message);
// Handles a message from an unidentified peer. False: the message must stay in its stream, because
// the peer may be a member that our view does not name yet.
bool receive_from_unidentified(Session &s, ConnectionIndex index,
                               std::span<const std::byte> message);

}
