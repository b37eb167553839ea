// Stream messages that are queued outside of send().
#pragma once
#include "session/session_types.h"

namespace tern::session {

// Queues a message before the peer is a member. False: there is no room in the stream.
bool queue_join_message(Session &s, ConnectionIndex index, std::span<const std::byte> message);

}
