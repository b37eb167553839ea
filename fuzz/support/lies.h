// Messages of a hostile member's own making, as the input says: each is in the format or nearly so,
// and names peers, objects, stamps and grants that there are. Formats: docs/wire_format.md.
#pragma once
#include "fuzz/support/arena.h"
#include "fuzz/support/input.h"

namespace tern::fuzz::lies {

// Each function writes one message into `buffer`, which needs 1200 bytes, and returns its size.
size_t write_message(Arena &a, Input &in, std::span<std::byte> buffer); // For members.
size_t write_call(Arena &a, Input &in, std::span<std::byte> buffer);
size_t write_update(Arena &a, Input &in, std::span<std::byte> buffer);

}
