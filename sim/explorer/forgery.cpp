#include "sim/explorer/forgery.h"
#include "base/bits.h"
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

}
