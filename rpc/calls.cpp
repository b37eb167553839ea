#include "rpc/calls.h"
#include "base/assert.h"
#include <cstring>

namespace tern::calls {

size_t write(const TypeTable &types, TypeId type, void *arguments, std::span<std::byte> buffer)
{
    type_table::normalise(types, type, arguments);
    BitWriter w = bits::writer(buffer);
    bits::write(w, type, 8);
    type_table::write_fields(w, types, type, arguments, type_table::all_fields(types, type));
    TERN_ASSERT(!bits::overflow(w), "type %u in %zu bytes", type, buffer.size());
    return bits::size_bytes(w);
}

TypeId type(std::span<const std::byte> message)
{
    BitReader reader = bits::reader(message);
    return static_cast<TypeId>(bits::read(reader, 8));
}

static TypeId read_into(const TypeTable &types, BitReader &reader, void *value)
{
    const auto type = static_cast<TypeId>(bits::read(reader, 8));
    if (bits::failed(reader) || type >= types.types.size()) {
        bits::fail(reader);
        return 0;
    }
    std::memset(value, 0, types.types[type].size_bytes);
    type_table::read_fields(reader, types, type, value, type_table::all_fields(types, type));
    return type;
}

bool check(const TypeTable &types, std::span<const std::byte> message)
{
    alignas(16) std::byte value[struct_bytes_max];
    BitReader reader = bits::reader(message);
    read_into(types, reader, value);
    return bits::complete(reader);
}

ReceivedCall read(const TypeTable &types, std::span<const std::byte> message, CallArena &arena)
{
    alignas(16) std::byte value[struct_bytes_max];
    BitReader reader = bits::reader(message);
    const TypeId type = read_into(types, reader, value);
    if (!bits::complete(reader)) return {ReceivedCall::Result::malformed, 0, nullptr};
    const size_t start = (arena.used_bytes + 15) / 16 * 16;
    const size_t size = types.types[type].size_bytes;
    if (start + size > arena.memory.size()) return {ReceivedCall::Result::no_room, 0, nullptr};
    std::memcpy(arena.memory.data() + start, value, size);
    arena.used_bytes = start + size;
    return {ReceivedCall::Result::ok, type, arena.memory.data() + start};
}

}
