// Messages that a member has no right to send, as a hostile member would make them. Each receiver
// must reject them (Verdict other than ok and later) and stay unchanged.
#pragma once
#include "sim/explorer/peer_steps_types.h"

namespace tern::forgery {

// True if nobody but its author may ever send this message: it carries a right
// of its author or a decision of the host.
bool is_forged_by_others(std::span<const std::byte> message);

// Write a message about another's object with a grant that the forger has made up: a MIGRATE to the
// forger under the next stamp, a DESTROY under the present one. Return the size of the message;
// assert that the buffer is large enough.
size_t migrate(std::span<std::byte> buffer, const TypeTable &types, const Believed &object,
               PeerId forger);
size_t destroy(std::span<std::byte> buffer, const Believed &object, PeerId forger);

}
