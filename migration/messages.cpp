#include "migration/messages.h"
#include "replication/world/stamp.h"
#include "tern/limits.hpp"
#include <cstring>

namespace tern::messages {

void write_kind(BitWriter &w, MessageKind kind)
{
    bits::write(w, static_cast<uint64_t>(kind), 8);
}

MessageKind read_kind(BitReader &r)
{
    const uint64_t kind = bits::read(r, 8);
    if (kind == 0 || kind > static_cast<uint64_t>(MessageKind::equivocation)) {
        bits::fail(r);
        return MessageKind::none;
    }
    return static_cast<MessageKind>(kind);
}

void write_peer(BitWriter &w, PeerId peer)
{
    bits::write(w, static_cast<uint64_t>(peer), 16);
}

PeerId read_peer(BitReader &r)
{
    const auto peer = static_cast<PeerId>(bits::read(r, 16));
    if (peer == PeerId::none || peer == PeerId::everyone) bits::fail(r);
    return peer;
}

void write_object_id(BitWriter &w, ObjectId id)
{
    write_peer(w, object_id::creator(id));
    bits::write_varint(w, object_id::serial(id));
}

ObjectId read_object_id(BitReader &r)
{
    const PeerId creator = read_peer(r);
    const uint64_t serial = bits::read_varint(r);
    if (serial == 0 || serial > UINT32_MAX) bits::fail(r);
    return object_id::make(creator, static_cast<uint32_t>(serial));
}

uint32_t read_place(BitReader &r)
{
    const uint64_t number = bits::read_varint(r);
    if (number > UINT32_MAX) bits::fail(r);
    return static_cast<uint32_t>(number);
}

void write_stamp(BitWriter &w, Stamp stamp)
{
    const StampParts parts = stamps::parts(stamp);
    bits::write_varint(w, parts.term_number);
    if (parts.term_number == 0) return;
    write_peer(w, parts.host);
    bits::write_varint(w, parts.count);
}

Stamp read_stamp(BitReader &r)
{
    const uint64_t number = bits::read_varint(r);
    if (number > UINT16_MAX) bits::fail(r);
    if (number == 0 || bits::failed(r)) return 0;
    const PeerId host = read_peer(r);
    const uint64_t count = bits::read_varint(r);
    if (count == 0 || count > UINT32_MAX) bits::fail(r);
    return stamps::make({static_cast<uint16_t>(number), host, static_cast<uint32_t>(count)});
}

void write_state(BitWriter &w, Replica &r, TrafficKind kind, ObjectSlot slot, uint32_t tick)
{
    const TypeId type = r.world.slots[slot].type;
    const size_t begin = bits::bit_count(w);
    bits::write(w, type, 8);
    bits::write(w, tick, 32);
    const void *value = world::value(r.world, *r.types, slot);
    type_table::write_fields(w, *r.types, type, value, type_table::all_fields(*r.types, type));
    if (!r.charges) return;
    const size_t bit_count = bits::bit_count(w) - begin;
    charges::add_value(*r.charges, kind, type, value, bit_count);
    // The queue charges all bits of the message, these included.
    charges::add(*r.charges, kind, -static_cast<int64_t>(bit_count), 0);
}

void read_state(BitReader &reader, Replica &r, ObjectState &state, uint32_t i)
{
    const TypeTable &types = *r.types;
    const size_t begin = bits::bit_count(reader);
    state.type = static_cast<TypeId>(bits::read(reader, 8));
    state.tick = static_cast<uint32_t>(bits::read(reader, 32));
    if (state.type >= types.types.size() || types.types[state.type].objects_max == 0) {
        bits::fail(reader);
        return;
    }
    TERN_ASSERT(i < grant_objects_max, "state %u", i);
    std::byte *value = &r.arrived.values[size_t{i} * types.size_bytes_max];
    state.value = value;
    std::memset(value, 0, types.types[state.type].size_bytes);
    type_table::read_fields(reader, types, state.type, value,
                            type_table::all_fields(types, state.type));
    if (!bits::failed(reader))
        world::count_received(r.world, state.type, bits::bit_count(reader) - begin);
}

void write_grant(BitWriter &w, const Grant &grant)
{
    write_stamp(w, grant.stamp);
    write_peer(w, grant.owner);
    bits::write(w, grant.object_count, 8);
    for (uint16_t i = 0; i < grant.object_count; ++i) {
        write_object_id(w, grant.objects[i]);
        bits::write_varint(w, grant.places[i]);
    }
    bits::write_bytes(w, std::as_bytes(std::span(grant.signature)));
}

void read_grant(BitReader &r, Grant &grant)
{
    grant = {};
    grant.stamp = read_stamp(r);
    if (grant.stamp == 0) bits::fail(r);
    grant.owner = read_peer(r);
    grant.object_count = static_cast<uint16_t>(bits::read(r, 8));
    if (grant.object_count == 0 || grant.object_count > grant_objects_max) {
        bits::fail(r);
        grant.object_count = 0;
        return;
    }
    for (uint16_t i = 0; i < grant.object_count; ++i) {
        grant.objects[i] = read_object_id(r);
        grant.places[i] = read_place(r);
        for (uint16_t k = 0; k < i; ++k)
            if (grant.objects[k] == grant.objects[i]) bits::fail(r);
    }
    bits::read_bytes(r, std::as_writable_bytes(std::span(grant.signature)));
}

void write_range(BitWriter &w, const DeadRange &range)
{
    write_object_id(w, static_cast<ObjectId>(range.first));
    bits::write_varint(w, range.last - range.first);
}

DeadRange read_range(BitReader &r)
{
    const ObjectId first = read_object_id(r);
    const uint64_t more = bits::read_varint(r);
    if (more > UINT32_MAX - object_id::serial(first)) bits::fail(r);
    return {static_cast<uint64_t>(first), static_cast<uint64_t>(first) + more};
}

void write_identity(BitWriter &w, const Identity &identity)
{
    bits::write_bytes(w, std::as_bytes(std::span(identity.key)));
    bits::write_bytes(w, std::as_bytes(std::span(identity.signing_key)));
    bits::write_bytes(w, std::as_bytes(std::span(identity.address.ip)));
    bits::write(w, identity.address.port, 16);
    const size_t length = strnlen(identity.name, name_bytes_max - 1);
    bits::write(w, length, 8);
    bits::write_bytes(w, std::as_bytes(std::span(identity.name, length)));
}

void read_identity(BitReader &r, Identity &identity)
{
    bits::read_bytes(r, std::as_writable_bytes(std::span(identity.key)));
    bits::read_bytes(r, std::as_writable_bytes(std::span(identity.signing_key)));
    bits::read_bytes(r, std::as_writable_bytes(std::span(identity.address.ip)));
    identity.address.port = static_cast<uint16_t>(bits::read(r, 16));
    const uint64_t length = bits::read(r, 8);
    if (length >= name_bytes_max) {
        bits::fail(r);
        return;
    }
    bits::read_bytes(r, std::as_writable_bytes(std::span(identity.name, length)));
    if (strnlen(identity.name, length) != length) bits::fail(r);
}

std::span<const std::byte> signed_bytes(uint64_t session, const Grant &grant,
                                        std::span<std::byte> buffer)
{
    BitWriter w = bits::writer(buffer);
    bits::write_bytes(w, std::as_bytes(std::span("terngran", 8)));
    bits::write(w, session, 64);
    bits::write(w, grant.stamp, 64);
    bits::write(w, static_cast<uint64_t>(grant.owner), 16);
    bits::write(w, grant.object_count, 16);
    for (uint16_t i = 0; i < grant.object_count; ++i) {
        bits::write(w, static_cast<uint64_t>(grant.objects[i]), 64);
        bits::write(w, grant.places[i], 32);
    }
    TERN_ASSERT(!bits::overflow(w), "%zu bytes", buffer.size());
    return buffer.first(bits::size_bytes(w));
}

}
