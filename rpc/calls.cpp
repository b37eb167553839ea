#include "rpc/calls.h"
#include "base/assert.h"
#include <cstring>

namespace tern::calls {

static constexpr unsigned kind_bits = 3;
static constexpr unsigned outcome_bits = 2;

bool has_arguments(CallKind kind)
{
    return kind != CallKind::outcome;
}

static bool is_for_owners(const TypeTable &types, const CallHead &head)
{
    return types.types[head.type].callers == Callers::owner && head.kind < CallKind::reply;
}

static void write_head(BitWriter &w, const TypeTable &types, const CallHead &head)
{
    bits::write(w, static_cast<uint64_t>(head.kind), kind_bits);
    bits::write(w, head.type, 8);
    if (head.kind != CallKind::call) bits::write(w, static_cast<uint32_t>(head.id), 32);
    if (head.kind == CallKind::owner_call || head.kind == CallKind::host_call)
        bits::write_bool(w, head.is_asked);
    if (head.kind == CallKind::owner_call) {
        bits::write(w, static_cast<uint64_t>(head.object), 48);
        bits::write(w, head.stamp, 64);
    }
    if (is_for_owners(types, head)) bits::write(w, head.own_stamp, 64);
    if (head.kind == CallKind::outcome)
        bits::write(w, static_cast<uint64_t>(head.outcome), outcome_bits);
}

static CallHead read_head(BitReader &r, const TypeTable &types)
{
    CallHead head = {};
    const uint64_t kind = bits::read(r, kind_bits);
    head.type = static_cast<TypeId>(bits::read(r, 8));
    if (kind > static_cast<uint64_t>(CallKind::outcome) || head.type >= types.types.size()) {
        bits::fail(r);
        return {};
    }
    head.kind = static_cast<CallKind>(kind);
    if (head.kind != CallKind::call) head.id = static_cast<CallId>(bits::read(r, 32));
    head.is_asked = head.kind == CallKind::request;
    if (head.kind == CallKind::owner_call || head.kind == CallKind::host_call)
        head.is_asked = bits::read_bool(r);
    if (head.kind == CallKind::owner_call) {
        head.object = static_cast<ObjectId>(bits::read(r, 48));
        head.stamp = bits::read(r, 64);
    }
    if (is_for_owners(types, head)) head.own_stamp = bits::read(r, 64);
    if (head.kind == CallKind::outcome)
        head.outcome = static_cast<Outcome>(bits::read(r, outcome_bits));
    const bool has_id = head.kind != CallKind::call && head.kind != CallKind::outcome;
    if (has_id && head.id == CallId::none) bits::fail(r);
    return head;
}

size_t write(const TypeTable &types, const CallHead &head, void *arguments,
             std::span<std::byte> buffer)
{
    BitWriter w = bits::writer(buffer);
    write_head(w, types, head);
    if (has_arguments(head.kind)) {
        type_table::normalise(types, head.type, arguments);
        type_table::write_fields(w, types, head.type, arguments,
                                 type_table::all_fields(types, head.type));
    }
    TERN_ASSERT(!bits::overflow(w), "type %u in %zu bytes", head.type, buffer.size());
    return bits::size_bytes(w);
}

CallHead head(const TypeTable &types, std::span<const std::byte> message)
{
    BitReader reader = bits::reader(message);
    return read_head(reader, types);
}

void charge(const TypeTable &types, std::span<const std::byte> message, size_t bits,
            Charges &charges)
{
    BitReader reader = bits::reader(message);
    const CallHead head = read_head(reader, types);
    const BitReader *fields = has_arguments(head.kind) ? &reader : nullptr;
    charges::add_coded(charges, TrafficKind::call, head.type, fields, bits);
}

bool read(const TypeTable &types, std::span<const std::byte> message, ReceivedCall &call)
{
    BitReader reader = bits::reader(message);
    call.head = read_head(reader, types);
    if (!bits::failed(reader) && has_arguments(call.head.kind)) {
        std::memset(call.arguments, 0, types.types[call.head.type].size_bytes);
        type_table::read_fields(reader, types, call.head.type, call.arguments,
                                type_table::all_fields(types, call.head.type));
    }
    return bits::complete(reader);
}

const void *keep(CallArena &arena, const TypeTable &types, const ReceivedCall &call)
{
    const size_t start = (arena.used_bytes + 15) / 16 * 16;
    const size_t size = types.types[call.head.type].size_bytes;
    if (start + size > arena.memory.size()) return nullptr;
    std::memcpy(arena.memory.data() + start, call.arguments, size);
    arena.used_bytes = start + size;
    return arena.memory.data() + start;
}

ObjectId own_object(const TypeTable &types, TypeId type, const void *arguments)
{
    const auto *from = static_cast<const std::byte *>(arguments);
    for (const Field &field : types.types[type].fields) {
        if (field.kind != FieldKind::object) continue;
        ObjectId object;
        std::memcpy(&object, from + field.offset_bytes, sizeof object);
        return object;
    }
    return ObjectId::none; // Not reached: type_checks requires such a field.
}

}
