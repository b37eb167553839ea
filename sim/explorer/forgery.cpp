#include "sim/explorer/forgery.h"
#include "base/bits.h"
#include "tern/diagnostics.hpp"
#include <algorithm>

namespace tern::forgery {

// The formats are those of docs/wire_format.md.

bool is_forged_by_others(std::span<const std::byte> message)
{
    switch (static_cast<MessageKind>(message[0])) {
    case MessageKind::destroy:
    case MessageKind::view:
    case MessageKind::migrate:
    case MessageKind::claim_refused:
    case MessageKind::relay:
    case MessageKind::grant: return true;
    default: return false;
    }
}

static void write_kind(BitWriter &w, MessageKind kind)
{
    bits::write(w, static_cast<uint64_t>(kind), 8);
}

static void write_object(BitWriter &w, ObjectId object)
{
    bits::write(w, static_cast<uint64_t>(object_id::creator(object)), 16);
    bits::write_varint(w, object_id::serial(object));
}

// The stamp names the first term and host. The signature is zero: only that host could sign.
static void write_grant(BitWriter &w, ObjectId object, PeerId owner, uint32_t count)
{
    const uint8_t signature[64] = {};
    bits::write_varint(w, 1);
    bits::write(w, 1, 16);
    bits::write_varint(w, count);
    bits::write(w, static_cast<uint64_t>(owner), 16);
    bits::write(w, 1, 8);
    write_object(w, object);
    bits::write_varint(w, 0); // Its place.
    bits::write_bytes(w, std::as_bytes(std::span(signature)));
}

size_t migrate(std::span<std::byte> buffer, const TypeTable &types, const Believed &object,
               PeerId forger)
{
    BitWriter w = bits::writer(buffer);
    write_kind(w, MessageKind::migrate);
    write_grant(w, object.object, forger, stamps::parts(object.stamp).count + 1);
    bits::write(w, 1, 1);
    bits::write(w, 0, 32);
    bits::write(w, 0, 8);
    bits::write(w, 1, 32);
    type_table::write_fields(w, types, 0, reinterpret_cast<const std::byte *>(&object.value),
                             type_table::all_fields(types, 0));
    TERN_ASSERT(!bits::overflow(w), "%zu bytes", buffer.size());
    return bits::size_bytes(w);
}

size_t destroy(std::span<std::byte> buffer, const Believed &object, PeerId forger)
{
    BitWriter w = bits::writer(buffer);
    write_kind(w, MessageKind::destroy);
    write_object(w, object.object);
    write_grant(w, object.object, forger, std::max(stamps::parts(object.stamp).count, 1u));
    TERN_ASSERT(!bits::overflow(w), "%zu bytes", buffer.size());
    return bits::size_bytes(w);
}

// --- Lies ---

bool read_query(std::span<const std::byte> message, Query &query)
{
    BitReader r = bits::reader(message);
    if (static_cast<MessageKind>(bits::read(r, 8)) != MessageKind::query) return false;
    query.token = static_cast<uint32_t>(bits::read(r, 32));
    query.gone = bits::read_bool(r) ? static_cast<PeerId>(bits::read(r, 16)) : PeerId::none;
    return !bits::failed(r);
}

static void write_peer(BitWriter &w, PeerId peer)
{
    bits::write(w, static_cast<uint64_t>(peer), 16);
}

static PeerId peer_of(const Lie &lie)
{
    return static_cast<PeerId>(lie.about + 1);
}

static void write_stamp(BitWriter &w, const StampParts &stamp)
{
    bits::write_varint(w, stamp.term_number);
    if (stamp.term_number == 0) return;
    write_peer(w, stamp.host);
    bits::write_varint(w, stamp.count);
}

static void write_state(BitWriter &w, const TypeTable &types, uint32_t tick, const void *value)
{
    bits::write(w, 0, 8);
    bits::write(w, tick, 32);
    type_table::write_fields(w, types, 0, static_cast<const std::byte *>(value),
                             type_table::all_fields(types, 0));
}

static void write_named(BitWriter &w, PeerId peer, bool goodbye)
{
    bits::write_bool(w, true);
    write_peer(w, peer);
    bits::write_bool(w, goodbye);
}

static void report(BitWriter &w, const Replica &r, const Lie &lie)
{
    const bool is_empty = lie.kind == LieKind::empty;
    bits::write(w, lie.token, 32);
    bits::write(w, r.term.number_max, 16);
    bits::write(w, r.term.last_peer, 16);
    bits::write_varint(w, is_empty ? r.types->types[0].objects_max : r.room.places[0].held);
    if (!is_empty) write_named(w, peer_of(lie), lie.kind == LieKind::farewell);
    bits::write_bool(w, false);
}

// Under the next stamp of the first host, which only that host gives.
static void report_object(BitWriter &w, const Replica &r, const Lie &lie)
{
    const ObjectSlot slot = world::find_alive(r.world, lie.object);
    const KnownObject &object = r.world.slots[slot];
    const uint32_t count = object.stamp == 0 ? 1 : stamps::parts(object.stamp).count + 1;
    bits::write(w, lie.token, 32);
    write_object(w, lie.object);
    write_stamp(w, {1, static_cast<PeerId>(1), count});
    write_peer(w, lie.gone);
    bits::write_varint(w, object.place);
    write_state(w, *r.types, object.tick, world::value(r.world, *r.types, slot));
}

static void dead(BitWriter &w, ObjectId object)
{
    bits::write_bool(w, true);
    write_object(w, object);
    bits::write_varint(w, 0);
    bits::write_bool(w, false);
}

static void destroy_with(BitWriter &w, ObjectId object, const Grant &grant)
{
    write_object(w, object);
    write_stamp(w, stamps::parts(grant.stamp));
    write_peer(w, grant.owner);
    bits::write(w, grant.object_count, 8);
    for (uint16_t i = 0; i < grant.object_count; ++i) {
        write_object(w, grant.objects[i]);
        bits::write_varint(w, grant.places[i]);
    }
    bits::write_bytes(w, std::as_bytes(std::span(grant.signature)));
}

static void create(BitWriter &w, const Replica &r, uint32_t place)
{
    Mark mark = {};
    mark.writer = r.self;
    bits::write_varint(w, r.world.serial + 1);
    bits::write_varint(w, place);
    write_state(w, *r.types, r.world.tick, &mark);
}

static void write_body(BitWriter &w, const Replica &r, const Lie &lie, uint32_t grant)
{
    switch (lie.kind) {
    case LieKind::none: break;
    case LieKind::fences:
    case LieKind::farewell:
    case LieKind::empty: return report(w, r, lie);
    case LieKind::takes: return report_object(w, r, lie);
    case LieKind::buries: return dead(w, lie.object);
    case LieKind::destroys:
        return grant == 0 ? dead(w, lie.object)
                          : destroy_with(w, lie.object, r.granting.all[grant - 1]);
    case LieKind::creates: return create(w, r, lie.number);
    case LieKind::accuses:
        write_peer(w, peer_of(lie));
        return bits::write(w, 1u << static_cast<unsigned>(Breach::forged), breach_kinds);
    case LieKind::queries:
        bits::write(w, 1, 32);
        write_named(w, peer_of(lie), false);
        return bits::write_bool(w, false);
    }
}

static MessageKind kind_of(LieKind kind, bool has_grant)
{
    switch (kind) {
    case LieKind::none: break;
    case LieKind::fences:
    case LieKind::farewell:
    case LieKind::empty: return MessageKind::report;
    case LieKind::takes: return MessageKind::report_object;
    case LieKind::buries: return MessageKind::dead;
    case LieKind::destroys: return has_grant ? MessageKind::destroy : MessageKind::dead;
    case LieKind::creates: return MessageKind::create;
    case LieKind::accuses: return MessageKind::accuse;
    case LieKind::queries: return MessageKind::query;
    }
    return MessageKind::none;
}

size_t lie(std::span<std::byte> buffer, const Replica &r, const Lie &lie)
{
    BitWriter w = bits::writer(buffer);
    const ObjectSlot slot = world::find_alive(r.world, lie.object);
    const uint32_t grant = slot == no_slot ? 0 : r.world.slots[slot].grant;
    write_kind(w, kind_of(lie.kind, grant != 0));
    write_body(w, r, lie, grant);
    TERN_ASSERT(!bits::overflow(w), "%zu bytes", buffer.size());
    return bits::size_bytes(w);
}

}
