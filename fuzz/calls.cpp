// Reads arbitrary bytes as a call; a call that can be read is written in the same bytes.
#include "rpc/calls.h"
#include "fuzz/support/input.h"
#include "fuzz/support/kinds.h"
#include "fuzz/targets.h"
#include <cstring>

namespace tern::fuzz {

void fuzz_calls(std::span<const uint8_t> data)
{
    Input in = {data};
    alignas(16) static std::byte memory[4096];
    CallArena arena = {memory, 0};
    arena.used_bytes = input::u8(in) * 16u;
    const size_t used = arena.used_bytes;
    const std::span<const std::byte> message = input::all(in);
    const TypeTable &types = every_kind();
    const bool right = calls::check(types, message);
    const ReceivedCall call = calls::read(types, message, arena);
    TERN_ASSERT(right == (call.result != ReceivedCall::Result::malformed), "check says %d", right);
    if (call.result != ReceivedCall::Result::ok) {
        TERN_ASSERT(arena.used_bytes == used, "%zu bytes used", arena.used_bytes);
        return;
    }
    alignas(16) std::byte value[struct_bytes_max];
    const size_t size =
        calls::has_arguments(call.head.kind) ? types.types[call.head.type].size_bytes : 0;
    if (size > 0) std::memcpy(value, call.arguments, size);
    std::byte written[call_bytes_max];
    const size_t written_bytes = calls::write(types, call.head, value, written);
    TERN_ASSERT(size == 0 || std::memcmp(value, call.arguments, size) == 0,
                "type %u: not a normalised value", call.head.type);
    TERN_ASSERT(written_bytes == message.size() &&
                    std::memcmp(written, message.data(), written_bytes) == 0,
                "type %u: written otherwise, %zu bytes", call.head.type, written_bytes);
}

}
