// The other side of joining: the host admits a newcomer or refuses it, other members name the host.
#pragma once
#include "session/session_types.h"

namespace tern::session {

// Whether the game has removed the peer with this key, by remove().
bool is_banned(const Session &s, const uint8_t *key);
// Handles a message from an unidentified peer. False: the message must stay in its stream, because
// the peer may be a member that our view does not name yet.
bool receive_from_unidentified(Session &s, ConnectionIndex index,
                               std::span<const std::byte> message);

}
