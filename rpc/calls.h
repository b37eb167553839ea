// Calls: typed messages from one peer's game to another's, coded by the same table as objects.
// Knows nothing of connections; session/ carries the bytes.
#pragma once
#include "replication/type_table.h"

namespace tern {

inline constexpr size_t call_bytes_max = 1 + value_bytes_max;

// Arguments of the calls of one tick, decoded. Full: calls wait in their stream, unreliable ones
// are lost.
struct CallArena {
    std::span<std::byte> memory;
    size_t used_bytes;
};

struct ReceivedCall {
    enum class Result : uint8_t { ok, malformed, no_room } result;
    TypeId type;
    const void *arguments; // In the arena.
};

namespace calls {

// normalised in place first. The bytes written.
size_t write(const TypeTable &types, TypeId type, void *arguments, std::span<std::byte> buffer);
TypeId type(std::span<const std::byte> message); // Of what write() gave, or check() holds good.
bool check(const TypeTable &types, std::span<const std::byte> message);
ReceivedCall read(const TypeTable &types, std::span<const std::byte> message, CallArena &arena);

}
}
