// Reads arbitrary bytes as a call; a call that can be read is written in the same bytes.
#include "rpc/calls.h"
#include "fuzz/support/kinds.h"
#include "fuzz/targets.h"
#include "tern/limits.hpp"
#include <cstring>

namespace tern::fuzz {

void fuzz_calls(std::span<const uint8_t> data)
{
    const std::span<const std::byte> message = std::as_bytes(data);
    const TypeTable &types = every_kind();
    ReceivedCall call;
    if (!calls::read(types, message, call)) return;
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
