// Any bytes as an UPDATE message: what can be read is written in the same bytes.
#include "fuzz/support/input.h"
#include "fuzz/support/kinds.h"
#include "fuzz/targets.h"
#include "replication/update_codec.h"
#include <cstring>

namespace tern::fuzz {

namespace {

// The reader knows an object's type from its world; here its serial says it.
TypeId type_of(ObjectId object)
{
    return static_cast<TypeId>(object_id::serial(object) % 4);
}

struct Rewriting {
    UpdateWriter writer;
    bool all_read; // Fields of every object were as they should be.
};

void rewrite(Rewriting &r, const Update &update)
{
    alignas(16) std::byte value[struct_bytes_max] = {};
    Object object = {};
    object.id = update.object;
    object.stamp = update.stamp;
    object.type = type_of(update.object);
    const ReadFields fields = update_codec::read_fields(update, every_kind(), object.type, value);
    if (fields.malformed) r.all_read = false;
    if (!r.all_read) return;
    TERN_ASSERT(fields.mask != 0, "no fields of object %llx",
                static_cast<unsigned long long>(object.id));
    std::byte coded[struct_bytes_max + 64];
    const size_t bits = update_codec::code(every_kind(), object.type, value, fields.mask, coded);
    const CodedFields with = {coded, static_cast<uint32_t>(bits)};
    const bool added = update_codec::add(r.writer, object, with, update.tick);
    TERN_ASSERT(added, "no room for object %llx", static_cast<unsigned long long>(object.id));
}

}

void fuzz_updates(std::span<const uint8_t> data)
{
    static std::byte written[2048];
    const std::span<const std::byte> message =
        std::as_bytes(data.first(std::min<size_t>(data.size(), 1200)));
    uint32_t tick = 0;
    BitReader head = bits::reader(message);
    tick = static_cast<uint32_t>(bits::read(head, 32));
    const Ticks ticks = bits::read_bool(head) ? Ticks::each : Ticks::one;
    Rewriting r = {update_codec::writer(written, tick, ticks), true};
    UpdateReader reader = publish::reader(message);
    Update update;
    uint32_t count = 0;
    for (; publish::next(reader, update); ++count) {
        TERN_ASSERT((update.tick == tick || ticks == Ticks::each) && update.tick != 0,
                    "tick %u, not %u", update.tick, tick);
        rewrite(r, update);
    }
    TERN_ASSERT(count <= updates_per_message_max, "%u objects", count);
    if (publish::malformed(reader) || !r.all_read) return;
    const size_t size = update_codec::finish(r.writer);
    TERN_ASSERT(size == message.size() && std::memcmp(written, message.data(), size) == 0,
                "%u objects are written otherwise, %zu bytes", count, size);
}

}
