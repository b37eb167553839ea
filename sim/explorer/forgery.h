// Messages that a member has no right to say, as a hostile one would make them. Whoever hears one
// must find it forged, and nothing may come of it.
#pragma once
#include "sim/explorer/peer_steps_types.h"

namespace tern::forgery {

// If `sayer`, who is not its author, may never say it: what stands for a right, or the host's word.
bool is_forged_by_others(std::span<const std::byte> message, PeerId sayer);

// An object of another, by a grant of one's own making: MIGRATE under the next stamp, DESTROY under
// the present one. Both return the size of the message.
size_t migrate(std::span<std::byte> buffer, const TypeTable &types, const Believed &object,
               PeerId forger);
size_t destroy(std::span<std::byte> buffer, const Believed &object, PeerId forger);

}
