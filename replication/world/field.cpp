#include "replication/world/field.h"
#include "base/assert.h"
#include "replication/world/values.h"
#include <algorithm>
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

size_t size_bytes(const Field &field)
{
    return element_bytes(field.kind) * field.count;
}

size_t number_bytes(const Field &field)
{
    return field.kind == FieldKind::quaternion ? sizeof(float) : element_bytes(field.kind);
}

// --- Integers, as 64-bit two's complement ---

static uint64_t load(const FieldCode &f, const std::byte *from)
{
    uint64_t value = 0;
    switch (f.element_bytes) {
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
    if (!is_signed(f.kind)) return value;
    const unsigned unused = 64u - f.element_bytes * 8u;
    return static_cast<uint64_t>(static_cast<int64_t>(value << unused) >> unused);
}

static void store(const FieldCode &f, std::byte *to, uint64_t value)
{
    switch (f.element_bytes) {
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

static bool less(const FieldCode &f, uint64_t a, uint64_t b)
{
    return is_signed(f.kind) ? static_cast<int64_t>(a) < static_cast<int64_t>(b) : a < b;
}

static uint64_t encode_integer(const FieldCode &f, const std::byte *from)
{
    const uint64_t value = load(f, from);
    if (!f.has_range) return value & f.code_max;
    return less(f, value, f.low)                ? 0
           : less(f, f.low + f.code_max, value) ? f.code_max
                                                : value - f.low;
}

// --- Floats ---

uint64_t float_steps(const Field &field)
{
    return static_cast<uint64_t>(std::floor((field.max - field.min) / field.step + 0.5));
}

static uint32_t canonical(float value)
{
    if (std::isnan(value)) return canonical_nan;
    return value == 0 ? 0 : std::bit_cast<uint32_t>(value); // -0 becomes +0.
}

static uint32_t float_at(const FieldCode &f, uint64_t steps)
{
    return canonical(static_cast<float>(f.min + static_cast<double>(steps) * f.step));
}

// Whether each number of steps has a float of its own whose nearest step it is. The error of a
// float is at most 2^-24 of its value, or 2^-150 for the smallest.
static bool is_coarse(const Field &field)
{
    const double largest = std::max(std::fabs(field.min), std::fabs(field.max)) + field.step;
    return field.step >= largest * 0x1p-20 + 0x1p-140;
}

// The nearest number of steps; but if one of its neighbours stands for exactly this float, the
// first of them. Near a float's precision the nearest step of a rounded value can be another one,
// so the value would move with each rounding.
static uint64_t nearest_steps(const FieldCode &f, float value)
{
    const double exact = (static_cast<double>(value) - f.min) / f.step + 0.5;
    if (!(exact >= 0)) return 0; // Also for NaN.
    const bool beyond = exact >= static_cast<double>(f.code_max);
    const uint64_t nearest =
        beyond ? f.code_max : static_cast<uint64_t>(static_cast<int64_t>(exact));
    if (f.codes == Codes::up_to_max) return nearest;
    const uint32_t wanted = canonical(value);
    for (uint64_t steps = nearest == 0 ? 0 : nearest - 1; steps <= nearest + 1; ++steps)
        if (steps <= f.code_max && float_at(f, steps) == wanted) return steps;
    return nearest;
}

// The code of the rounded value: where steps are finer than floats, its nearest step can differ
// from the original's.
static uint64_t encode_steps(const FieldCode &f, float value)
{
    const uint64_t steps = nearest_steps(f, value);
    if (f.codes == Codes::up_to_max) return steps;
    const uint32_t becomes = float_at(f, steps);
    if (becomes == canonical(value)) return steps;
    return nearest_steps(f, std::bit_cast<float>(becomes));
}

// --- Quaternions with a step; exact ones are four floats ---

static uint64_t encode_quaternion(const FieldCode &f, const std::byte *from)
{
    quaternion::Components components;
    std::memcpy(&components, from, sizeof(components));
    return quaternion::encode(components, f.grid);
}

static void decode_quaternion(const FieldCode &f, uint64_t code, std::byte *to)
{
    const quaternion::Components components = quaternion::decode(code, f.grid);
    std::memcpy(to, &components, sizeof(components));
}

// --- One element of any kind but text, bytes and values ---

struct AnyInteger {
    static uint64_t encode(const FieldCode &f, const std::byte *from)
    {
        return encode_integer(f, from);
    }
    static void decode(const FieldCode &f, uint64_t code, std::byte *to)
    {
        store(f, to, f.low + code);
    }
};

struct Truth {
    static uint64_t encode(const FieldCode &, const std::byte *from)
    {
        return *from != std::byte{0} ? 1 : 0;
    }
    static void decode(const FieldCode &f, uint64_t code, std::byte *to)
    {
        AnyInteger::decode(f, code, to);
    }
};

struct Reference {
    static uint64_t encode(const FieldCode &f, const std::byte *from)
    {
        const uint64_t id = load(f, from);
        return id >> object_id_bits == 0 ? id : 0;
    }
    static void decode(const FieldCode &f, uint64_t code, std::byte *to)
    {
        AnyInteger::decode(f, code, to);
    }
};

struct ExactFloat {
    static uint64_t encode(const FieldCode &f, const std::byte *from)
    {
        float value;
        std::memcpy(&value, from, sizeof(value));
        if (!f.has_range) return canonical(value);
        if (!(value >= f.float_min)) return canonical(f.float_min); // Also for NaN.
        return canonical(value > f.float_max ? f.float_max : value);
    }
    static void decode(const FieldCode &, uint64_t code, std::byte *to)
    {
        const auto value = static_cast<uint32_t>(code);
        std::memcpy(to, &value, sizeof(value));
    }
};

struct SteppedFloat {
    static uint64_t encode(const FieldCode &f, const std::byte *from)
    {
        float value;
        std::memcpy(&value, from, sizeof(value));
        return encode_steps(f, value);
    }
    static void decode(const FieldCode &f, uint64_t code, std::byte *to)
    {
        const uint32_t value = float_at(f, code);
        std::memcpy(to, &value, sizeof(value));
    }
};

struct Rotation {
    static uint64_t encode(const FieldCode &f, const std::byte *from)
    {
        return encode_quaternion(f, from);
    }
    static void decode(const FieldCode &f, uint64_t code, std::byte *to)
    {
        decode_quaternion(f, code, to);
    }
};

// Stores the element as a receiver would decode it.
template <class Coder>
static void normalise_element(Coder coder, const FieldCode &f, const std::byte *from, std::byte *to)
{
    coder.decode(f, coder.encode(f, from), to);
}

static void normalise_element(Rotation, const FieldCode &f, const std::byte *from, std::byte *to)
{
    quaternion::Components components;
    std::memcpy(&components, from, sizeof(components));
    components = quaternion::normalise(components, f.grid);
    std::memcpy(to, &components, sizeof(components));
}

// Selects the kind once for all elements of a field.
template <class Act> static void with_coder(const FieldCode &f, Act act)
{
    switch (f.kind) {
    case FieldKind::boolean: return act(Truth{});
    case FieldKind::object: return act(Reference{});
    case FieldKind::quaternion: return act(Rotation{});
    case FieldKind::float32: return f.step != 0 ? act(SteppedFloat{}) : act(ExactFloat{});
    default: return act(AnyInteger{});
    }
}

// False: encode() would give another code, so no writer of ours sent this one.
template <class Coder>
static bool decode_own(Coder, const FieldCode &f, uint64_t code, std::byte *to)
{
    Coder::decode(f, code, to);
    if (f.codes == Codes::any) return true;
    if (f.codes == Codes::up_to_max) return code <= f.code_max;
    return Coder::encode(f, to) == code;
}

static bool decode_own(Rotation, const FieldCode &f, uint64_t code, std::byte *to)
{
    quaternion::Components components;
    const bool is_own = quaternion::decode_own(code, f.grid, components);
    std::memcpy(to, &components, sizeof(components));
    return is_own;
}

uint64_t encode(const FieldCode &f, const std::byte *from)
{
    uint64_t code = 0;
    with_coder(f, [&](auto coder) { code = coder.encode(f, from); });
    return code;
}

bool decode(const FieldCode &f, uint64_t code, std::byte *to)
{
    bool is_own = false;
    with_coder(f, [&](auto coder) { is_own = decode_own(coder, f, code, to); });
    return is_own;
}

// --- Text: its length, then its bytes, none of them zero ---

static size_t text_length(const FieldCode &f, const std::byte *from)
{
    size_t length = 0;
    while (length + 1 < f.count && from[length] != std::byte{0})
        ++length;
    return length;
}

static void write_text(BitWriter &w, const FieldCode &f, const std::byte *from)
{
    const size_t length = text_length(f, from);
    bits::write(w, length, f.bits);
    bits::write_bytes(w, {from, length});
}

static void read_text(BitReader &r, const FieldCode &f, std::byte *to)
{
    const size_t length = bits::read(r, f.bits);
    if (length >= f.count) return bits::fail(r);
    std::memset(to, 0, f.count);
    bits::read_bytes(r, {to, length});
    if (text_length(f, to) != length) bits::fail(r);
}

// --- A dynamic value: its end follows from its content ---

static std::span<const std::byte> used_values(const FieldCode &f, const std::byte *from)
{
    return value::used({from, f.count});
}

static void read_values(BitReader &r, const FieldCode &f, std::byte *to)
{
    BitReader begin = r;
    value::check(r, f.count);
    std::memset(to, 0, f.count);
    if (bits::failed(r)) return;
    bits::read_bytes(begin, {to, (bits::bit_count(r) - bits::bit_count(begin)) / 8});
}

// --- A field ---

static Codes codes(const Field &field)
{
    if (field.kind == FieldKind::quaternion) return Codes::by_value;
    if (field.kind == FieldKind::float32)
        return field.step != 0 && is_coarse(field) ? Codes::up_to_max : Codes::by_value;
    return has_range(field) ? Codes::up_to_max : Codes::any;
}

static unsigned integer_bits(const Field &field)
{
    switch (field.kind) {
    case FieldKind::boolean: return 1;
    case FieldKind::object: return object_id_bits;
    default: return static_cast<unsigned>(element_bytes(field.kind) * 8);
    }
}

FieldCode code(const Field &given)
{
    Field field = given;
    if (given.kind == FieldKind::quaternion && given.step == 0) {
        field.kind = FieldKind::float32;
        field.count = static_cast<uint16_t>(given.count * 4);
    }
    FieldCode f = {};
    f.kind = field.kind;
    f.codes = codes(field);
    f.has_range = has_range(field);
    f.element_bytes = static_cast<uint8_t>(element_bytes(field.kind));
    f.count = field.count;
    f.offset_bytes = field.offset_bytes;
    f.min = field.min;
    f.step = field.step;
    unsigned bits = integer_bits(field);
    if (field.kind == FieldKind::text) bits = bits::width(field.count - 1u);
    if (field.kind == FieldKind::quaternion) {
        f.grid = quaternion::grid(field.step);
        bits = quaternion::bit_count(f.grid);
    }
    f.code_max = ~uint64_t{0} >> (64 - std::max(bits, 1u));
    if (field.kind == FieldKind::float32) {
        f.float_min = static_cast<float>(field.min);
        f.float_max = static_cast<float>(field.max);
        if (field.step != 0) f.code_max = float_steps(field);
        if (field.step != 0) bits = bits::width(f.code_max);
    } else if (f.has_range) {
        f.low = whole(field, field.min);
        f.code_max = whole(field, field.max) - f.low;
        bits = bits::width(f.code_max);
    }
    f.bits = static_cast<uint8_t>(bits);
    return f;
}

uint32_t bits_max(const Field &field)
{
    const FieldCode f = code(field);
    if (f.kind == FieldKind::text) return f.bits + (f.count - 1u) * 8u;
    return uint32_t{f.bits} * f.count;
}

// Normalises text, bytes and values.
static void normalise_bytes(const FieldCode &f, std::byte *to, const std::byte *from)
{
    if (f.kind == FieldKind::bytes) {
        std::memmove(to, from, f.count);
        return;
    }
    if (f.kind == FieldKind::text) {
        const size_t length = text_length(f, from);
        std::memmove(to, from, length);
        std::memset(to + length, 0, f.count - length);
        return;
    }
    const std::span<const std::byte> used = used_values(f, from);
    std::memmove(to, used.data(), used.size());
    std::memset(to + used.size(), 0, f.count - used.size());
}

// The most frequent kind: exact floats without a range.
static bool normalise_floats(std::byte *to, const std::byte *from, size_t end, size_t count,
                             size_t stride_bytes)
{
    bool any_nan = false;
    for (size_t i = 0; i < count; ++i, from += stride_bytes, to += stride_bytes)
        for (size_t at = 0; at < end; at += sizeof(float)) {
            float value;
            std::memcpy(&value, from + at, sizeof value);
            const uint32_t bits = canonical(value);
            any_nan |= bits == canonical_nan;
            std::memcpy(to + at, &bits, sizeof bits);
        }
    return any_nan;
}

// Floats with steps that are coarse beside their precision: nearest_steps() for many.
static bool normalise_steps(const FieldCode &f, std::byte *to, const std::byte *from, size_t count,
                            size_t stride_bytes)
{
    bool any_nan = false;
    const double min = f.min, step = f.step, most = static_cast<double>(f.code_max);
    const size_t end = size_bytes(f);
    for (size_t i = 0; i < count; ++i, from += stride_bytes, to += stride_bytes)
        for (size_t at = 0; at < end; at += sizeof(float)) {
            float value;
            std::memcpy(&value, from + at, sizeof value);
            any_nan |= std::isnan(value);
            double steps = (static_cast<double>(value) - min) / step + 0.5;
            steps = steps >= 0 ? steps : 0; // Also for NaN.
            steps = steps < most ? steps : most;
            const auto whole = static_cast<double>(static_cast<int64_t>(steps));
            const uint32_t bits = canonical(static_cast<float>(min + whole * step));
            std::memcpy(to + at, &bits, sizeof bits);
        }
    return any_nan;
}

static bool normalise_rotations(const FieldCode &f, std::byte *to, const std::byte *from,
                                size_t count, size_t stride_bytes)
{
    bool any_nan = false;
    for (size_t at = 0; at < size_bytes(f); at += f.element_bytes)
        any_nan |= quaternion::normalise(to + at, from + at, count, stride_bytes, f.grid);
    return any_nan;
}

bool normalise(const FieldCode &f, std::byte *to, const std::byte *from, size_t count,
               size_t stride_bytes)
{
    if (f.kind == FieldKind::float32 && f.step == 0 && !f.has_range)
        return normalise_floats(to, from, size_bytes(f), count, stride_bytes);
    if (f.kind == FieldKind::float32 && f.step != 0 && f.codes == Codes::up_to_max)
        return normalise_steps(f, to, from, count, stride_bytes);
    if (f.kind == FieldKind::quaternion)
        return normalise_rotations(f, to, from, count, stride_bytes);
    if (f.kind >= FieldKind::text) {
        for (size_t i = 0; i < count; ++i)
            normalise_bytes(f, to + i * stride_bytes, from + i * stride_bytes);
        return false;
    }
    const bool found_nan = any_nan(f, from, count, stride_bytes);
    with_coder(f, [&](auto coder) {
        const size_t end = size_bytes(f);
        for (size_t i = 0; i < count; ++i, from += stride_bytes, to += stride_bytes)
            for (size_t at = 0; at < end; at += f.element_bytes)
                normalise_element(coder, f, from + at, to + at);
    });
    return found_nan;
}

void normalise(const FieldCode &f, std::byte *to, const std::byte *from)
{
    if (f.kind >= FieldKind::text) return normalise_bytes(f, to, from);
    with_coder(f, [&](auto coder) {
        for (size_t at = 0, end = size_bytes(f); at < end; at += f.element_bytes)
            normalise_element(coder, f, from + at, to + at);
    });
}

void write(BitWriter &w, const FieldCode &f, const std::byte *from)
{
    if (f.kind == FieldKind::bytes) return bits::write_bytes(w, {from, f.count});
    if (f.kind == FieldKind::text) return write_text(w, f, from);
    if (f.kind == FieldKind::values) return bits::write_bytes(w, used_values(f, from));
    with_coder(f, [&](auto coder) {
        for (size_t at = 0, end = size_bytes(f); at < end; at += f.element_bytes)
            bits::write(w, coder.encode(f, from + at), f.bits);
    });
}

void read(BitReader &r, const FieldCode &f, std::byte *to)
{
    if (f.kind == FieldKind::bytes) return bits::read_bytes(r, {to, f.count});
    if (f.kind == FieldKind::text) return read_text(r, f, to);
    if (f.kind == FieldKind::values) return read_values(r, f, to);
    with_coder(f, [&](auto coder) {
        for (size_t at = 0, end = size_bytes(f); at < end; at += f.element_bytes) {
            if (!decode_own(coder, f, bits::read(r, f.bits), to + at)) bits::fail(r);
        }
    });
}

size_t read_packed(BitReader &r, std::span<const FieldCode> fields, std::byte *packed,
                   uint64_t mask)
{
    std::byte *to = packed;
    for (; mask != 0; mask &= mask - 1) {
        const FieldCode &f = fields[static_cast<size_t>(std::countr_zero(mask))];
        read(r, f, to);
        to += size_bytes(f);
    }
    return static_cast<size_t>(to - packed);
}

uint64_t store_packed(std::span<const FieldCode> fields, void *value, const std::byte *packed,
                      uint64_t mask)
{
    auto *to = static_cast<std::byte *>(value);
    uint64_t changed = 0;
    for (; mask != 0; mask &= mask - 1) {
        const FieldCode &f = fields[static_cast<size_t>(std::countr_zero(mask))];
        const size_t bytes = size_bytes(f);
        if (!equal(f, to + f.offset_bytes, packed)) {
            std::memcpy(to + f.offset_bytes, packed, bytes);
            changed |= mask & -mask;
        }
        packed += bytes;
    }
    return changed;
}

size_t bit_count(const FieldCode &f, const std::byte *from)
{
    if (f.kind == FieldKind::text) return f.bits + text_length(f, from) * 8;
    if (f.kind == FieldKind::values) return used_values(f, from).size() * 8;
    return size_t{f.bits} * f.count;
}

void skip(BitReader &r, const FieldCode &f)
{
    if (f.kind == FieldKind::text) return bits::skip(r, bits::read(r, f.bits) * 8);
    if (f.kind == FieldKind::values) return value::check(r, f.count);
    bits::skip(r, size_t{f.bits} * f.count);
}

}
