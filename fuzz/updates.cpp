// Reads arbitrary bytes as an UPDATE message; a message that can be read is written in the same
// bytes.
#include "fuzz/support/input.h"
#include "fuzz/support/kinds.h"
#include "fuzz/targets.h"
#include "replication/update/update_codec.h"
#include "tern/limits.hpp"
#include <cstring>

namespace tern::fuzz {

namespace {

void rewrite(UpdateWriter &w, const Update &update)
{
    alignas(16) std::byte value[struct_bytes_max] = {};
    field::store_packed(type_table::codes(every_kind(), update.type), value, update.values,
                        update.mask);
    KnownObject object = {};
    object.id = update.object;
    object.stamp = update.stamp;
    object.type = update.type;
    TERN_ASSERT((update.mask != 0) != update.hides, "fields of object %llx",
                static_cast<unsigned long long>(object.id));
    const bool added = update_codec::add(w, object, update.mask, value, update.tick);
    TERN_ASSERT(added, "no room for object %llx", static_cast<unsigned long long>(object.id));
}

}

void fuzz_updates(std::span<const uint8_t> data)
{
    constexpr PeerId sender{2};
    static std::byte written[2048];
    const std::span<const std::byte> message =
        std::as_bytes(data.first(std::min<size_t>(data.size(), 1200)));
    uint32_t tick = 0;
    BitReader head = bits::reader(message);
    tick = static_cast<uint32_t>(bits::read(head, 32));
    const Ticks ticks = bits::read_bool(head) ? Ticks::each : Ticks::one;
    const auto gap_bits = static_cast<uint8_t>(bits::read(head, gap_field_bits));
    UpdateWriter w = update_codec::writer(every_kind(), written, {sender, tick, ticks, gap_bits});
    UpdateReader reader = publish::reader(every_kind(), sender, message);
    Update update;
    std::byte values[struct_bytes_max];
    uint32_t count = 0;
    for (; publish::next(reader, update, values); ++count) {
        TERN_ASSERT((update.tick == tick || ticks == Ticks::each) && update.tick != 0,
                    "tick %u, not %u", update.tick, tick);
        rewrite(w, update);
    }
    TERN_ASSERT(count <= updates_per_message_max, "%u objects", count);
    if (publish::malformed(reader)) return;
    const size_t size = update_codec::finish(w);
    TERN_ASSERT(size <= message.size() && std::memcmp(written, message.data(), size) == 0,
                "%u objects are written otherwise, %zu bytes", count, size);
    for (const std::byte padding : message.subspan(size))
        TERN_ASSERT(padding == std::byte{0}, "padding of %u", static_cast<unsigned>(padding));
}

}
