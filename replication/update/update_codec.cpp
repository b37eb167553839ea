#include "replication/update/update_codec.h"
#include "base/assert.h"
#include "tern/limits.hpp"
#include <algorithm>
#include <bit>
#include <cstring>

namespace tern {

enum class StampForm : uint8_t { previous, zero, whole };

// The forms of an object's head. next, near: the object has a higher serial of the creator of the
// previous one, and the same tenure, type and tick, and is not hidden.
enum class HeadForm : uint8_t {
    next, // The next serial, with the same mask.
    near, // Another serial, another mask, or both.
    whole,
    end // No object, but the end of the message.
};

// --- Object: usually near the previous one, with the same creator ---

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
    // Never 0, because no object comes twice in a row: 1, -1, 2, -2 ... become 0, 1, 2, 3 ...
    const int64_t delta = serial - int64_t{object_id::serial(previous)};
    bits::write_varint(w, static_cast<uint64_t>(delta > 0 ? 2 * (delta - 1) : 2 * -delta - 1));
}

static ObjectId read_object(BitReader &r, ObjectId previous)
{
    const PeerId creator = object_id::creator(previous);
    if (!bits::read_bool(r)) {
        const auto other = static_cast<PeerId>(bits::read(r, 16));
        const uint64_t serial = bits::read_varint(r);
        if (other == creator || other == PeerId::none || serial > UINT32_MAX) bits::fail(r);
        return object_id::make(other, static_cast<uint32_t>(serial));
    }
    const uint64_t coded = bits::read_varint(r);
    if (coded >> 33 != 0) bits::fail(r);
    const auto half = static_cast<int64_t>(coded >> 1 & UINT32_MAX);
    const int64_t delta = (coded & 1) == 0 ? half + 1 : -half - 1;
    const int64_t serial = int64_t{object_id::serial(previous)} + delta;
    if (serial < 0 || serial > int64_t{UINT32_MAX}) bits::fail(r);
    return object_id::make(creator, static_cast<uint32_t>(serial));
}

// --- Gap: how many serials lie between two objects of one creator ---

// A Rice code: as many ones as the gap is multiples of 2^gap_bits and a zero, then the rest. After
// gap_ones_max ones, a varint follows instead. At most 21 bits in one piece.
static constexpr unsigned gap_ones_max = 6;

struct GapCode {
    uint64_t code;
    unsigned bit_count;
    bool is_long; // A varint of the rest follows.
};

static GapCode gap_code(uint64_t gap, unsigned gap_bits)
{
    const uint64_t ones = gap >> gap_bits;
    if (ones >= gap_ones_max) return {(1u << gap_ones_max) - 1, gap_ones_max, true};
    const uint64_t low = gap & ((uint64_t{1} << gap_bits) - 1);
    const auto first_bits = static_cast<unsigned>(ones) + 1;
    return {((uint64_t{1} << ones) - 1) | low << first_bits, first_bits + gap_bits, false};
}

static uint64_t read_gap(BitReader &r, unsigned gap_bits)
{
    unsigned ones = 0;
    while (ones < gap_ones_max && bits::read_bool(r))
        ++ones;
    if (ones < gap_ones_max) return (uint64_t{ones} << gap_bits) + bits::read(r, gap_bits);
    const uint64_t rest = bits::read_varint(r);
    if (rest > UINT32_MAX) bits::fail(r);
    return (uint64_t{gap_ones_max} << gap_bits) + (rest & UINT32_MAX);
}

// --- Tenure: usually of the same grant as the previous one, or never granted ---

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

// --- Tick, where each object has its own ---

// Differences 0, 1, -1, 2 ... become 0, 1, 2, 3 ...
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

// --- Fields: all, one, or a bit for each; a type with one field needs no mask ---

// std::has_single_bit() is a function call unless the compiler may assume the processor's
// instruction.
static bool is_one(uint64_t mask)
{
    return mask != 0 && (mask & (mask - 1)) == 0;
}

static void write_mask(BitWriter &w, unsigned count, uint64_t mask)
{
    if (count == 1) return;
    const bool all = mask == ~uint64_t{0} >> (64 - count);
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

// --- The head of an object ---

// Whether the object has the creator of the previous one, and a higher serial.
static bool is_ahead(ObjectId object, ObjectId previous)
{
    return object_id::creator(object) == object_id::creator(previous) &&
           object_id::serial(object) > object_id::serial(previous);
}

// An object ahead of one with the same tenure, type and tick: bits 0, 1; whether the mask is the
// same; the gap; the mask if it is another.
static void write_near(UpdateWriter &w, uint64_t distance, bool same_mask)
{
    const uint64_t gap = distance - (same_mask ? 2 : 1);
    const GapCode coded = gap_code(gap, w._gap_bits);
    const uint64_t head = 2 | uint64_t{same_mask} << 2;
    bits::write(w._writer, head | coded.code << 3, 3 + coded.bit_count);
    if (coded.is_long) bits::write_varint(w._writer, gap - (uint64_t{gap_ones_max} << w._gap_bits));
}

// The most frequent cases have the shortest forms.
static void write_head(UpdateWriter &w, const KnownObject &object, uint64_t mask, uint32_t tick)
{
    TERN_ASSERT(tick == w._tick || w._ticks == Ticks::each, "object %llx",
                static_cast<unsigned long long>(object.id));
    const bool hides = mask == 0;
    const bool same_type = object.type == w._previous_type;
    const bool same_mask = mask == w._mask;
    if (is_ahead(object.id, w._previous_object) && same_type && !hides &&
        object.stamp == w._previous_stamp && tick == w._tick) {
        const uint64_t distance =
            static_cast<uint64_t>(object.id) - static_cast<uint64_t>(w._previous_object);
        if (distance == 1 && same_mask) return bits::write_bool(w._writer, true);
        write_near(w, distance, same_mask);
        if (same_mask) return;
    } else {
        bits::write(w._writer, 4, 3); // Bits 0, 0, 1: an object with a whole head.
        write_object(w._writer, object.id, w._previous_object);
        write_stamp(w._writer, object.stamp, w._previous_stamp);
        bits::write_bool(w._writer, same_type);
        if (!same_type) bits::write(w._writer, object.type, 8);
        bits::write_bool(w._writer, hides);
        if (w._ticks == Ticks::each) write_tick(w._writer, tick, w._tick);
    }
    const auto field_count = static_cast<unsigned>(w._types->types[object.type].fields.size());
    if (!hides) write_mask(w._writer, field_count, mask);
}

static TypeId read_type(BitReader &r, const TypeTable &types, TypeId previous)
{
    const bool same = bits::read_bool(r);
    const TypeId type = same ? previous : static_cast<TypeId>(bits::read(r, 8));
    if (!same && type == previous) bits::fail(r);
    if (type >= types.types.size()) bits::fail(r);
    return type;
}

// Everything but the id is as before, or the mask differs, too.
static void read_near(UpdateReader &r, Update &update, HeadForm form)
{
    BitReader &from = r._reader;
    const PreviousUpdate &previous = r._previous;
    const bool same_mask = form == HeadForm::next || bits::read_bool(from);
    const uint64_t gap = form == HeadForm::next ? 0 : read_gap(from, r._gap_bits);
    const uint64_t distance = gap + (form == HeadForm::near && same_mask ? 2 : 1);
    const uint64_t serial = object_id::serial(previous.object) + distance;
    if (serial > UINT32_MAX || previous.type >= r._types->types.size()) bits::fail(from);
    update.object = object_id::make(object_id::creator(previous.object),
                                    static_cast<uint32_t>(serial & UINT32_MAX));
    update.stamp = previous.stamp;
    update.type = previous.type;
    update.hides = false;
    update.tick = previous.tick;
    update.mask = previous.mask;
    if (!same_mask && !bits::failed(from)) update.mask = read_mask(from, *r._types, update.type);
    if (update.mask == 0 || same_mask != (update.mask == previous.mask)) bits::fail(from);
}

static void read_whole(UpdateReader &r, Update &update)
{
    BitReader &from = r._reader;
    const PreviousUpdate &previous = r._previous;
    update.object = read_object(from, previous.object);
    update.stamp = read_stamp(from, previous.stamp);
    update.type = read_type(from, *r._types, previous.type);
    update.hides = bits::read_bool(from);
    update.tick = r._each_tick ? read_tick(from, previous.tick) : previous.tick;
    const bool is_like_before = update.stamp == previous.stamp && update.type == previous.type &&
                                update.tick == previous.tick;
    if (is_ahead(update.object, previous.object) && is_like_before && !update.hides)
        bits::fail(from);
    update.mask = update.hides || bits::failed(from) ? 0 : read_mask(from, *r._types, update.type);
}

static HeadForm read_form(BitReader &r)
{
    if (bits::read_bool(r)) return HeadForm::next;
    if (bits::read_bool(r)) return HeadForm::near;
    return bits::read_bool(r) ? HeadForm::whole : HeadForm::end;
}

static void read_head(UpdateReader &r, Update &update, HeadForm form)
{
    if (form == HeadForm::whole)
        read_whole(r, update);
    else
        read_near(r, update, form);
    update.message_tick = r._message_tick;
}

// --- The message: docs/wire_format.md, "UPDATE" ---

// The object that the first one of a message is coded relative to. No object has serial 0.
static ObjectId before_first(PeerId sender)
{
    return object_id::make(sender, 0);
}

namespace update_codec {

UpdateWriter writer(const TypeTable &types, std::span<std::byte> buffer, const UpdateHead &head)
{
    TERN_ASSERT(head.gap_bits <= gap_bits_max, "%u bits", head.gap_bits);
    UpdateWriter w = {};
    w._writer = bits::writer(buffer);
    w._types = &types;
    w._ticks = head.ticks;
    w._gap_bits = head.gap_bits;
    w._tick = head.tick;
    w._previous_object = before_first(head.sender);
    bits::write(w._writer, head.tick, 32);
    bits::write_bool(w._writer, head.ticks == Ticks::each);
    bits::write(w._writer, head.gap_bits, gap_field_bits);
    return w;
}

// Takes the object that was written since `begin` out again if the message is full then.
static bool fits(UpdateWriter &w, size_t begin)
{
    if (bits::room(w._writer, end_bits)) return true;
    bits::rewind(w._writer, begin);
    return false;
}

// The next object is coded relative to this one.
static void follow(UpdateWriter &w, const KnownObject &object, uint64_t mask, uint32_t tick)
{
    w._previous_object = object.id;
    w._previous_stamp = object.stamp;
    w._previous_type = object.type;
    w._tick = tick;
    w._mask = mask;
}

bool add(UpdateWriter &w, const KnownObject &object, uint64_t mask, const void *value,
         uint32_t tick)
{
    if (w._count == updates_per_message_max) return false;
    const size_t begin = bits::bit_count(w._writer);
    write_head(w, object, mask, tick);
    const size_t values = bits::bit_count(w._writer);
    if (mask != 0) type_table::write_fields(w._writer, *w._types, object.type, value, mask);
    if (!fits(w, begin)) return false;
    w._count += 1;
    w._value_bits = static_cast<uint32_t>(bits::bit_count(w._writer) - values);
    follow(w, object, mask, tick);
    return true;
}

bool add_coded(UpdateWriter &w, const KnownObject &object, const EncodedObject &cache,
               const std::byte *from, uint32_t tick)
{
    const size_t bits_min = 1 + cache.value_bits + end_bits; // The shortest head has 1 bit.
    if (w._count == updates_per_message_max || !bits::room(w._writer, bits_min)) return false;
    const size_t begin = bits::bit_count(w._writer);
    write_head(w, object, cache.mask, tick);
    bits::write_bits(w._writer, from, cache.end_bits - cache.value_bits, cache.value_bits);
    if (!fits(w, begin)) return false;
    w._count += 1;
    w._value_bits = cache.value_bits;
    follow(w, object, cache.mask, tick);
    return true;
}

void copy(UpdateWriter &w, const EncodedRun &run)
{
    bits::write_bits(w._writer, run.from, run.begin_bits, run.last.end_bits - run.begin_bits);
    w._count += run.count;
    TERN_ASSERT(bits::room(w._writer, end_bits) && w._count <= updates_per_message_max,
                "%u objects in %zu bits", w._count, bits::bit_count(w._writer));
    follow(w, run.last_object, run.last.mask, run.last.tick);
}

size_t bit_count(const UpdateWriter &w)
{
    return bits::bit_count(w._writer);
}

size_t value_bits(const UpdateWriter &w)
{
    return w._value_bits;
}

size_t finish(UpdateWriter &w)
{
    if (w._count == 0) return 0;
    bits::write(w._writer, 0, end_bits);
    return bits::size_bytes(w._writer);
}

}

namespace publish {

UpdateReader reader(const TypeTable &types, PeerId sender, std::span<const std::byte> message)
{
    UpdateReader r = {};
    r._reader = bits::reader(message);
    r._types = &types;
    r._previous.tick = static_cast<uint32_t>(bits::read(r._reader, 32));
    r._previous.object = before_first(sender);
    r._message_tick = r._previous.tick;
    r._each_tick = bits::read_bool(r._reader);
    r._gap_bits = static_cast<uint8_t>(bits::read(r._reader, gap_field_bits));
    if (r._previous.tick == 0) bits::fail(r._reader);
    return r;
}

bool next(UpdateReader &r, Update &update, std::byte *values)
{
    if (bits::failed(r._reader)) return false;
    const size_t begin = bits::bit_count(r._reader);
    const HeadForm form = read_form(r._reader);
    if (form == HeadForm::end) {
        if (r._count == 0 || !bits::only_zeros_left(r._reader)) bits::fail(r._reader);
        return false;
    }
    read_head(r, update, form);
    if (r._count == updates_per_message_max) bits::fail(r._reader);
    if (bits::failed(r._reader)) return false;
    update.values = values;
    update.value_bytes = static_cast<uint32_t>(field::read_packed(
        r._reader, type_table::codes(*r._types, update.type), values, update.mask));
    update.bit_count = static_cast<uint32_t>(bits::bit_count(r._reader) - begin);
    r._previous = {update.object, update.stamp, update.mask, update.tick, update.type};
    r._count += 1;
    return !bits::failed(r._reader);
}

bool malformed(const UpdateReader &r)
{
    return bits::failed(r._reader);
}

// Whether the sender contradicts the type that is known here. A hostile creator can show each
// member another type; then the sender of another tenure may be right.
static bool contradicts(const KnownObject &known, Stamp stamp, TypeId type)
{
    return type != known.type && stamp == known.stamp;
}

// A part takes a bit or more for its head, and those of a field unless it hides the object. Such a
// head takes hiding_bits_min.
static constexpr size_t hiding_bits_min = 16;

ReadRoom read_room(const TypeTable &types)
{
    size_t field_bits = hiding_bits_min - 1;
    for (TypeId type = 0; type < types.types.size(); ++type)
        for (const FieldCode &f : type_table::codes(types, type))
            field_bits = std::min(field_bits, field::bits_min(f));
    const size_t packet_bits = datagram_bytes_max * 8;
    return {packet_bits / (1 + field_bits) + 1, type_table::packed_bytes_max(types, packet_bits)};
}

void clear(ReadUpdates &read)
{
    read.count = read.value_bytes = read.message_count = read.message_bytes = 0;
}

bool read(ReadUpdates &read, const World &world, const TypeTable &types, PeerId sender,
          std::span<const std::byte> message)
{
    UpdateReader r = reader(types, sender, message);
    ObjectSlot slot = no_slot;
    for (;;) {
        TERN_ASSERT(read.count < read.parts.size() &&
                        read.value_bytes + struct_bytes_max <= read.values.size(),
                    "%u parts, %u bytes", read.count, read.value_bytes);
        Update &update = read.parts[read.count];
        if (!next(r, update, read.values.data() + read.value_bytes)) break;
        slot = world::find_near(world, slot, update.object);
        if (slot != no_slot && contradicts(world.slots[slot], update.stamp, update.type))
            return false;
        read.count += 1;
        read.value_bytes += update.value_bytes;
    }
    read.message_count += 1;
    read.message_bytes += static_cast<uint32_t>(message.size());
    return !malformed(r);
}

// The newest message about the object decides its visibility, whatever the tick of the value.
static VisibilityChange see(KnownObject &object, PeerId from, Stamp stamp, uint32_t message_tick,
                            bool hides)
{
    const bool newer = message_tick > object.visibility_tick;
    if (object.stamp != stamp || from != object.owner || !newer) return VisibilityChange::same;
    const bool was = object.hidden;
    object.hidden = hides;
    object.visibility_tick = message_tick;
    if (hides == was) return VisibilityChange::same;
    return hides ? VisibilityChange::hidden : VisibilityChange::shown;
}

// Whether a part about a known object is applied.
static Applied judge(const World &world, PeerId from, ObjectSlot slot, Stamp stamp, uint32_t tick)
{
    const KnownObject &object = world.slots[slot];
    const bool of_this_tenure = object.stamp == stamp;
    if (!of_this_tenure) return Applied::unchanged;
    if (of_this_tenure && from != object.owner) return Applied::forged;
    if (tick <= object.tick) return Applied::unchanged;
    // Sent before the object was hidden.
    return object.hidden ? Applied::unchanged : Applied::changed;
}

AppliedUpdate apply(World &world, const TypeTable &types, PeerId from, ObjectSlot slot,
                    const Update &update)
{
    if (slot == no_slot || world.slots[slot].life != Life::alive)
        return {Applied::unchanged, VisibilityChange::same, no_slot, 0};
    const TypeId type = world.slots[slot].type;
    world::count_received(world, type, update.bit_count);
    if (contradicts(world.slots[slot], update.stamp, update.type))
        return {Applied::forged, VisibilityChange::same, slot, 0};
    if (update.type != type) return {Applied::unchanged, VisibilityChange::same, slot, 0};
    const VisibilityChange visibility =
        see(world.slots[slot], from, update.stamp, update.message_tick, update.hides);
    const Applied judged = judge(world, from, slot, update.stamp, update.tick);
    if (judged != Applied::changed) return {judged, visibility, slot, 0};
    void *value = world::value(world, types, slot);
    const uint64_t changed =
        field::store_packed(type_table::codes(types, type), value, update.values, update.mask);
    world.slots[slot].tick = update.tick;
    return {changed != 0 ? Applied::changed : Applied::repeated, visibility, slot, changed};
}

AppliedUpdate apply_carried(World &world, const TypeTable &types, PeerId from, ObjectSlot slot,
                            const CarriedObject &carried)
{
    if (slot == no_slot || world.slots[slot].life != Life::alive)
        return {Applied::unchanged, VisibilityChange::same, no_slot, 0};
    const ReceivedEntry &entry = carried.entry;
    const TypeId type = world.slots[slot].type;
    if (contradicts(world.slots[slot], entry.stamp, entry.type))
        return {Applied::forged, VisibilityChange::same, slot, 0};
    if (entry.type != type) return {Applied::unchanged, VisibilityChange::same, slot, 0};
    world::count_received(world, type, carried.bit_count);
    const VisibilityChange visibility =
        see(world.slots[slot], from, entry.stamp, carried.tick, false);
    const Applied judged = judge(world, from, slot, entry.stamp, carried.tick);
    if (judged != Applied::changed) return {judged, visibility, slot, 0};
    void *value = world::value(world, types, slot);
    const uint64_t changed = type_table::difference(types, type, value, carried.value);
    std::memcpy(value, carried.value, types.types[type].size_bytes);
    world.slots[slot].tick = carried.tick;
    return {changed != 0 ? Applied::changed : Applied::repeated, visibility, slot, changed};
}

}
}
