#include "replication/field.h"
#include "base/assert.h"
#include "replication/quaternion.h"
#include <bit>
#include <cmath>
#include <cstring>

namespace tern::field {

static constexpr unsigned object_id_bits = 48;
static constexpr uint32_t canonical_nan = 0x7fc00000;

bool has_range(const Field &field)
{
    return field.min != 0 || field.max != 0;
}

bool is_integer(FieldKind kind)
{
    return kind >= FieldKind::int8 && kind <= FieldKind::uint64;
}

static bool is_signed(FieldKind kind)
{
    return kind >= FieldKind::int8 && kind <= FieldKind::int64;
}

size_t element_bytes(FieldKind kind)
{
    switch (kind) {
    case FieldKind::boolean:
    case FieldKind::int8:
    case FieldKind::uint8:
    case FieldKind::text:
    case FieldKind::bytes: return 1;
    case FieldKind::int16:
    case FieldKind::uint16:
    case FieldKind::peer: return 2;
    case FieldKind::int32:
    case FieldKind::uint32:
    case FieldKind::float32: return 4;
    case FieldKind::int64:
    case FieldKind::uint64:
    case FieldKind::object: return 8;
    case FieldKind::quaternion: return 16;
    }
    return 0;
}

size_t size_bytes(const Field &field)
{
    return element_bytes(field.kind) * field.count;
}

// --- Integers, as 64-bit two's complement ---

static uint64_t load(FieldKind kind, const std::byte *from)
{
    const size_t size = element_bytes(kind);
    uint64_t value = 0;
    switch (size) {
    case 1: value = std::to_integer<uint64_t>(*from); break;
    case 2: {
        uint16_t part;
        std::memcpy(&part, from, sizeof(part));
        value = part;
        break;
    }
    case 4: {
        uint32_t part;
        std::memcpy(&part, from, sizeof(part));
        value = part;
        break;
    }
    default: std::memcpy(&value, from, sizeof(value)); break;
    }
    if (!is_signed(kind)) return value;
    const auto unused = static_cast<unsigned>(64 - size * 8);
    return static_cast<uint64_t>(static_cast<int64_t>(value << unused) >> unused);
}

static void store(FieldKind kind, std::byte *to, uint64_t value)
{
    switch (element_bytes(kind)) {
    case 1: *to = static_cast<std::byte>(value); return;
    case 2: {
        const auto part = static_cast<uint16_t>(value);
        std::memcpy(to, &part, sizeof(part));
        return;
    }
    case 4: {
        const auto part = static_cast<uint32_t>(value);
        std::memcpy(to, &part, sizeof(part));
        return;
    }
    default: std::memcpy(to, &value, sizeof(value)); return;
    }
}

static uint64_t whole(const Field &field, double value)
{
    return is_signed(field.kind) ? static_cast<uint64_t>(static_cast<int64_t>(value))
                                 : static_cast<uint64_t>(value);
}

static bool less(const Field &field, uint64_t a, uint64_t b)
{
    return is_signed(field.kind) ? static_cast<int64_t>(a) < static_cast<int64_t>(b) : a < b;
}

static uint64_t integer_mask(const Field &field)
{
    return ~uint64_t{0} >> (64 - element_bytes(field.kind) * 8);
}

static uint64_t encode_integer(const Field &field, const std::byte *from)
{
    const uint64_t value = load(field.kind, from);
    if (!has_range(field)) return value & integer_mask(field);
    const uint64_t min = whole(field, field.min);
    const uint64_t max = whole(field, field.max);
    return less(field, value, min) ? 0 : less(field, max, value) ? max - min : value - min;
}

static void decode_integer(const Field &field, uint64_t code, std::byte *to)
{
    store(field.kind, to, has_range(field) ? whole(field, field.min) + code : code);
}

// --- Floats ---

uint64_t float_steps(const Field &field)
{
    return static_cast<uint64_t>(std::floor((field.max - field.min) / field.step + 0.5));
}

static uint32_t canonical(float value)
{
    if (std::isnan(value)) return canonical_nan;
    return value == 0 ? 0 : std::bit_cast<uint32_t>(value); // -0 as +0.
}

static uint32_t float_at(const Field &field, uint64_t steps)
{
    return canonical(static_cast<float>(field.min + static_cast<double>(steps) * field.step));
}

// The nearest step; but where a neighbour has the value to the bit, the first that has it: near a
// float's own precision the nearest could be another, and the value would move at each rounding.
static uint64_t nearest_steps(const Field &field, float value)
{
    const double steps_max = static_cast<double>(float_steps(field));
    const double exact = std::floor((static_cast<double>(value) - field.min) / field.step + 0.5);
    if (std::isnan(exact) || exact < 0) return 0;
    const auto nearest = static_cast<uint64_t>(exact > steps_max ? steps_max : exact);
    const uint32_t wanted = canonical(value);
    for (uint64_t steps = nearest == 0 ? 0 : nearest - 1; steps <= nearest + 1; ++steps)
        if (static_cast<double>(steps) <= steps_max && float_at(field, steps) == wanted)
            return steps;
    return nearest;
}

// Of what the value becomes: where steps are finer than floats, that may be nearest to another.
static uint64_t encode_steps(const Field &field, float value)
{
    const uint64_t steps = nearest_steps(field, value);
    const uint32_t becomes = float_at(field, steps);
    if (becomes == canonical(value)) return steps;
    return nearest_steps(field, std::bit_cast<float>(becomes));
}

static uint64_t encode_float(const Field &field, const std::byte *from)
{
    float value;
    std::memcpy(&value, from, sizeof(value));
    if (field.step != 0) return encode_steps(field, value);
    if (!has_range(field)) return canonical(value);
    const auto min = static_cast<float>(field.min);
    const auto max = static_cast<float>(field.max);
    return canonical(!(value >= min) ? min : value > max ? max : value); // NaN is min.
}

static void decode_float(const Field &field, uint64_t code, std::byte *to)
{
    const uint32_t value = field.step != 0 ? float_at(field, code) : static_cast<uint32_t>(code);
    std::memcpy(to, &value, sizeof(value));
}

// --- Quaternions with a step. Exact ones are four floats. ---

static uint64_t encode_quaternion(const Field &field, const std::byte *from)
{
    quaternion::Components components;
    std::memcpy(&components, from, sizeof(components));
    return quaternion::encode(components, field.step);
}

static void decode_quaternion(const Field &field, uint64_t code, std::byte *to)
{
    const quaternion::Components components = quaternion::decode(code, field.step);
    std::memcpy(to, &components, sizeof(components));
}

// --- One element of any kind but text and bytes, as a code of a fixed number of bits ---

static unsigned code_bits(const Field &field)
{
    switch (field.kind) {
    case FieldKind::boolean: return 1;
    case FieldKind::float32: return field.step != 0 ? bits::width(float_steps(field)) : 32;
    case FieldKind::quaternion: return quaternion::bit_count(field.step);
    case FieldKind::peer: return 16;
    case FieldKind::object: return object_id_bits;
    default: break;
    }
    if (has_range(field)) return bits::width(whole(field, field.max) - whole(field, field.min));
    return static_cast<unsigned>(element_bytes(field.kind) * 8);
}

static uint64_t encode(const Field &field, const std::byte *from)
{
    switch (field.kind) {
    case FieldKind::boolean: return *from != std::byte{0} ? 1 : 0;
    case FieldKind::float32: return encode_float(field, from);
    case FieldKind::quaternion: return encode_quaternion(field, from);
    case FieldKind::peer: return load(field.kind, from);
    case FieldKind::object: {
        const uint64_t id = load(field.kind, from);
        return id >> object_id_bits == 0 ? id : 0;
    }
    default: return encode_integer(field, from);
    }
}

static void decode(const Field &field, uint64_t code, std::byte *to)
{
    switch (field.kind) {
    case FieldKind::boolean:
    case FieldKind::peer:
    case FieldKind::object: return store(field.kind, to, code);
    case FieldKind::float32: return decode_float(field, code, to);
    case FieldKind::quaternion: return decode_quaternion(field, code, to);
    default: return decode_integer(field, code, to);
    }
}

// --- Text: as long as it is, then its bytes, none of them zero ---

static size_t text_length(const Field &field, const std::byte *from)
{
    size_t length = 0;
    while (length + 1 < field.count && from[length] != std::byte{0})
        ++length;
    return length;
}

static void write_text(BitWriter &w, const Field &field, const std::byte *from)
{
    const size_t length = text_length(field, from);
    bits::write(w, length, bits::width(field.count - 1u));
    bits::write_bytes(w, {from, length});
}

static void read_text(BitReader &r, const Field &field, std::byte *to)
{
    const size_t length = bits::read(r, bits::width(field.count - 1u));
    if (length >= field.count) return bits::fail(r);
    std::memset(to, 0, field.count);
    bits::read_bytes(r, {to, length});
    if (text_length(field, to) != length) bits::fail(r);
}

// --- A field ---

// A kind whose elements are codes: an exact quaternion counts as four floats.
static Field in_codes(const Field &field)
{
    Field result = field;
    if (field.kind == FieldKind::quaternion && field.step == 0) {
        result.kind = FieldKind::float32;
        result.count = static_cast<uint16_t>(field.count * 4);
    }
    return result;
}

uint32_t bits_max(const Field &given)
{
    if (given.kind == FieldKind::bytes) return given.count * 8u;
    if (given.kind == FieldKind::text)
        return bits::width(given.count - 1u) + (given.count - 1u) * 8u;
    const Field field = in_codes(given);
    return code_bits(field) * field.count;
}

void normalise(const Field &given, std::byte *to, const std::byte *from)
{
    if (given.kind == FieldKind::bytes) {
        std::memmove(to, from, given.count);
        return;
    }
    if (given.kind == FieldKind::text) {
        const size_t length = text_length(given, from);
        std::memmove(to, from, length);
        std::memset(to + length, 0, given.count - length);
        return;
    }
    const Field field = in_codes(given);
    const size_t stride = element_bytes(field.kind);
    for (size_t i = 0; i < field.count; ++i)
        decode(field, encode(field, from + i * stride), to + i * stride);
}

void write(BitWriter &w, const Field &given, const std::byte *from)
{
    if (given.kind == FieldKind::bytes) return bits::write_bytes(w, {from, given.count});
    if (given.kind == FieldKind::text) return write_text(w, given, from);
    const Field field = in_codes(given);
    const unsigned bit_count = code_bits(field);
    const size_t stride = element_bytes(field.kind);
    for (size_t i = 0; i < field.count; ++i)
        bits::write(w, encode(field, from + i * stride), bit_count);
}

void read(BitReader &r, const Field &given, std::byte *to)
{
    if (given.kind == FieldKind::bytes) return bits::read_bytes(r, {to, given.count});
    if (given.kind == FieldKind::text) return read_text(r, given, to);
    const Field field = in_codes(given);
    const unsigned bit_count = code_bits(field);
    const size_t stride = element_bytes(field.kind);
    for (size_t i = 0; i < field.count; ++i) {
        const uint64_t code = bits::read(r, bit_count);
        decode(field, code, to + i * stride);
        // What would be written differently was not written by us.
        if (encode(field, to + i * stride) != code) bits::fail(r);
    }
}

}
