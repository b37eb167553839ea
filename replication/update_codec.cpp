#include "replication/update_codec.h"
#include "base/assert.h"
#include <bit>

namespace tern {

// Mask and values of one object. The mask takes 2 bits and one for each field.
static constexpr uint32_t fields_bits_max = value_bytes_max * 8 + fields_max + 2;

enum class StampForm : uint8_t { previous, zero, whole };

// --- Which object: mostly of the same creator as the one before, and near it ---

static void write_object(BitWriter &w, ObjectId object, ObjectId previous)
{
    const PeerId creator = object_id::creator(object);
    const int64_t serial = object_id::serial(object);
    const bool same_creator = creator == object_id::creator(previous);
    bits::write_bool(w, same_creator);
    if (!same_creator) {
        bits::write(w, static_cast<uint16_t>(creator), 16);
        bits::write_varint(w, static_cast<uint64_t>(serial));
        return;
    }
    // Never 0, as no object comes twice: 1, -1, 2, -2 ... as 0, 1, 2, 3 ...
    const int64_t delta = serial - int64_t{object_id::serial(previous)};
    bits::write_varint(w, static_cast<uint64_t>(delta > 0 ? 2 * (delta - 1) : 2 * -delta - 1));
}

static ObjectId read_object(BitReader &r, ObjectId previous)
{
    PeerId creator = object_id::creator(previous);
    if (!bits::read_bool(r)) {
        const auto other = static_cast<PeerId>(bits::read(r, 16));
        const uint64_t serial = bits::read_varint(r);
        if (other == creator || serial > UINT32_MAX) bits::fail(r);
        return object_id::make(other, static_cast<uint32_t>(serial));
    }
    if (creator == PeerId::none) bits::fail(r); // There is no previous one.
    const uint64_t coded = bits::read_varint(r);
    if (coded >> 33 != 0) bits::fail(r);
    const auto half = static_cast<int64_t>(coded >> 1 & UINT32_MAX);
    const int64_t delta = (coded & 1) == 0 ? half + 1 : -half - 1;
    const int64_t serial = int64_t{object_id::serial(previous)} + delta;
    if (serial < 0 || serial > int64_t{UINT32_MAX}) bits::fail(r);
    return object_id::make(creator, static_cast<uint32_t>(serial));
}

// --- Of which tenure: mostly of the same grant as the one before, or never granted ---

static void write_stamp(BitWriter &w, Stamp stamp, Stamp previous)
{
    if (stamp == previous) return bits::write(w, static_cast<uint64_t>(StampForm::previous), 2);
    if (stamp == 0) return bits::write(w, static_cast<uint64_t>(StampForm::zero), 2);
    const StampParts parts = stamps::parts(stamp);
    bits::write(w, static_cast<uint64_t>(StampForm::whole), 2);
    bits::write_varint(w, parts.count);
    bits::write_varint(w, parts.term_number);
    bits::write(w, static_cast<uint16_t>(parts.host), 16);
}

static Stamp read_stamp(BitReader &r, Stamp previous)
{
    const uint64_t form = bits::read(r, 2);
    if (form == static_cast<uint64_t>(StampForm::previous)) return previous;
    Stamp stamp = 0;
    if (form == static_cast<uint64_t>(StampForm::whole)) {
        const uint64_t count = bits::read_varint(r);
        const uint64_t term_number = bits::read_varint(r);
        const auto host = static_cast<PeerId>(bits::read(r, 16));
        if (count > UINT32_MAX || term_number > UINT16_MAX) bits::fail(r);
        stamp =
            stamps::make({static_cast<uint16_t>(term_number), host, static_cast<uint32_t>(count)});
        if (stamp == 0) bits::fail(r);
    } else if (form != static_cast<uint64_t>(StampForm::zero)) {
        bits::fail(r);
    }
    if (stamp == previous) bits::fail(r);
    return stamp;
}

// --- As of which tick, where each has its own ---

// 0, 1, -1, 2 ... as 0, 1, 2, 3 ...
static void write_tick(BitWriter &w, uint32_t tick, uint32_t previous)
{
    const int64_t delta = int64_t{tick} - int64_t{previous};
    bits::write_varint(w, static_cast<uint64_t>(delta > 0 ? 2 * delta - 1 : -2 * delta));
}

static uint32_t read_tick(BitReader &r, uint32_t previous)
{
    const uint64_t coded = bits::read_varint(r);
    if (coded >> 33 != 0) bits::fail(r);
    const auto half = static_cast<int64_t>(coded >> 1 & UINT32_MAX);
    const int64_t tick = int64_t{previous} + ((coded & 1) != 0 ? half + 1 : -half);
    if (tick <= 0 || tick > int64_t{UINT32_MAX}) bits::fail(r);
    return static_cast<uint32_t>(tick);
}

// --- Which fields: all, one, or a bit for each. A type of one field needs no mask. ---

// std::has_single_bit() calls a function where the processor is not known to count bits.
static bool is_one(uint64_t mask)
{
    return mask != 0 && (mask & (mask - 1)) == 0;
}

static void write_mask(BitWriter &w, const TypeTable &types, TypeId type, uint64_t mask)
{
    const auto count = static_cast<unsigned>(types.types[type].fields.size());
    if (count == 1) return;
    const bool all = mask == type_table::all_fields(types, type);
    const bool one = is_one(mask);
    bits::write_bool(w, all || one);
    if (!all && !one) return bits::write(w, mask, count);
    bits::write_bool(w, all);
    if (one) bits::write(w, static_cast<uint64_t>(std::countr_zero(mask)), bits::width(count - 1));
}

static uint64_t read_mask(BitReader &r, const TypeTable &types, TypeId type)
{
    const auto count = static_cast<unsigned>(types.types[type].fields.size());
    const uint64_t all = type_table::all_fields(types, type);
    if (count == 0) bits::fail(r);
    if (count <= 1) return all;
    if (!bits::read_bool(r)) {
        const uint64_t mask = bits::read(r, count);
        if (mask == 0 || mask == all || is_one(mask)) bits::fail(r);
        return mask;
    }
    if (bits::read_bool(r)) return all;
    const uint64_t field = bits::read(r, bits::width(count - 1));
    if (field >= count) bits::fail(r);
    return field < count ? uint64_t{1} << field : 0;
}

// --- Mask and values, behind their length ---

namespace update_codec {

size_t code(const TypeTable &types, TypeId type, const void *value, uint64_t mask,
            std::span<std::byte> buffer)
{
    TERN_ASSERT(mask != 0, "no field of type %u", static_cast<unsigned>(type));
    BitWriter w = bits::writer(buffer);
    write_mask(w, types, type, mask);
    type_table::write_fields(w, types, type, value, mask);
    TERN_ASSERT(!bits::overflow(w), "%zu bytes for type %u", buffer.size(),
                static_cast<unsigned>(type));
    return bits::bit_count(w);
}

ReadFields read_fields(const Update &update, const TypeTable &types, TypeId type, void *value)
{
    BitReader r = update.fields;
    const size_t begin = bits::bit_count(r);
    const uint64_t mask = read_mask(r, types, type);
    type_table::read_fields(r, types, type, value, mask);
    return {bits::failed(r) || bits::bit_count(r) - begin != update.fields_bits, mask};
}

bool is_written(const Update &update, const TypeTable &types, TypeId type)
{
    if (update.fields_bits == 0) return true; // It is hidden.
    BitReader r = update.fields;
    const size_t begin = bits::bit_count(r);
    type_table::check_fields(r, types, type, read_mask(r, types, type));
    return !bits::failed(r) && bits::bit_count(r) - begin == update.fields_bits;
}

// --- The message: tick, whether each has its own, then objects, each behind a 1, then a 0 ---

UpdateWriter writer(std::span<std::byte> buffer, uint32_t tick, Ticks ticks)
{
    UpdateWriter w = {bits::writer(buffer), ticks, tick, 0, ObjectId::none, 0};
    bits::write(w._writer, tick, 32);
    bits::write_bool(w._writer, ticks == Ticks::each);
    return w;
}

// A varint of one or two bytes.
struct ShortVarint {
    uint64_t bits;
    unsigned bit_count;
};

static ShortVarint short_varint(uint64_t value)
{
    if (value < 128) return {value, 8};
    return {(value & 127) | 128 | value >> 7 << 8, 16};
}

static void write_head(UpdateWriter &w, const Object &object, uint32_t length, uint32_t tick)
{
    const ObjectId before = w._previous_object;
    const uint64_t far = object_id::serial(object.id) - uint64_t{object_id::serial(before)};
    if (far - 1 < 128 * 128 / 2 && object_id::creator(object.id) == object_id::creator(before) &&
        object.stamp == w._previous_stamp && w._ticks == Ticks::one && length < 128 * 128) {
        // What is most often there, in one piece: behind the 1, of the same creator, somewhat
        // further, of the same grant, and the length.
        const ShortVarint delta = short_varint(2 * (far - 1)), size = short_varint(length);
        const unsigned behind = 2 + delta.bit_count + 2;
        return bits::write(w._writer, 3 | delta.bits << 2 | size.bits << behind,
                           behind + size.bit_count);
    }
    bits::write_bool(w._writer, true);
    write_object(w._writer, object.id, w._previous_object);
    write_stamp(w._writer, object.stamp, w._previous_stamp);
    if (w._ticks == Ticks::each) write_tick(w._writer, tick, w._tick);
    bits::write_varint(w._writer, length);
}

bool add(UpdateWriter &w, const Object &object, CodedFields coded, uint32_t tick)
{
    TERN_ASSERT(tick == w._tick || w._ticks == Ticks::each, "object %llx",
                static_cast<unsigned long long>(object.id));
    if (w._count == updates_per_message_max || bits::overflow(w._writer)) return false;
    const size_t begin = bits::bit_count(w._writer);
    write_head(w, object, coded.bit_count, tick);
    if (coded.bit_count > 0) bits::write_bits(w._writer, coded.bits, coded.bit_count);
    if (!bits::room(w._writer, 1)) { // For the end.
        bits::rewind(w._writer, begin);
        return false;
    }
    w._count += 1;
    w._previous_object = object.id;
    w._previous_stamp = object.stamp;
    w._tick = tick;
    return true;
}

size_t bit_count(const UpdateWriter &w)
{
    return bits::bit_count(w._writer);
}

size_t finish(UpdateWriter &w)
{
    if (w._count == 0) return 0;
    bits::write_bool(w._writer, false);
    return bits::size_bytes(w._writer);
}

}

namespace publish {

UpdateReader reader(std::span<const std::byte> message)
{
    UpdateReader r = {};
    r._reader = bits::reader(message);
    r._previous.tick = static_cast<uint32_t>(bits::read(r._reader, 32));
    r._told_tick = r._previous.tick;
    r._each_tick = bits::read_bool(r._reader);
    if (r._previous.tick == 0) bits::fail(r._reader);
    return r;
}

bool next(UpdateReader &r, Update &update)
{
    if (bits::failed(r._reader)) return false;
    if (!bits::read_bool(r._reader)) {
        if (r._count == 0 || !bits::complete(r._reader)) bits::fail(r._reader);
        return false;
    }
    const size_t begin = bits::bit_count(r._reader) - 1;
    update.object = read_object(r._reader, r._previous.object);
    update.stamp = read_stamp(r._reader, r._previous.stamp);
    update.tick = r._each_tick ? read_tick(r._reader, r._previous.tick) : r._previous.tick;
    const uint64_t length = bits::read_varint(r._reader);
    if (length > fields_bits_max || r._count == updates_per_message_max) bits::fail(r._reader);
    if (bits::failed(r._reader)) return false;
    update.told_tick = r._told_tick;
    update.fields = r._reader;
    update.fields_bits = static_cast<uint32_t>(length);
    bits::skip(r._reader, length);
    update.bit_count = static_cast<uint32_t>(bits::bit_count(r._reader) - begin);
    r._previous = update;
    r._count += 1;
    return !bits::failed(r._reader);
}

bool malformed(const UpdateReader &r)
{
    return bits::failed(r._reader);
}

}
}
