#include "replication/snapshot/state_layout.h"
#include "base/assert.h"
#include "replication/world/quaternion.h"
#include "tern/limits.hpp"
#include <cmath>
#include <cstring>

namespace tern::state_layout {

static constexpr unsigned omitted_bits = 2;
static constexpr uint32_t sign_bit = 1u << 31;

static bool is_bytes(FieldKind kind)
{
    return kind == FieldKind::text || kind == FieldKind::bytes || kind == FieldKind::values;
}

// Kinds whose order means nothing, and elements of more than 32 bits.
static bool is_raw(const FieldCode &f)
{
    return is_bytes(f.kind) || f.kind == FieldKind::peer || f.kind == FieldKind::object ||
           f.bits > 32;
}

static uint16_t raw_words(const FieldCode &f)
{
    if (is_bytes(f.kind)) return static_cast<uint16_t>((f.count + 3) / 4);
    return static_cast<uint16_t>(f.bits > 32 ? 2 * f.count : f.count);
}

LayoutField number(uint16_t count, uint32_t max)
{
    return {Shape::number, 0, count, max, 0, 0};
}

LayoutField rotation(uint16_t count, uint32_t max, double step)
{
    const double half_step = step / 2;
    return {Shape::rotation,
            0,
            static_cast<uint16_t>(4 * count),
            max,
            static_cast<int64_t>(std::floor(half_step * 0x1p46 + 0.5)),
            static_cast<int64_t>(std::floor(256 / half_step + 0.5))};
}

static LayoutField layout_field(const FieldCode &f)
{
    if (f.kind == FieldKind::boolean) return {Shape::flag, 0, f.count, 1, 0, 0};
    if (f.kind == FieldKind::quaternion)
        return rotation(f.count, quaternion::part_max(f.grid), f.grid.step);
    if (is_raw(f)) return {Shape::raw, 0, raw_words(f), 0, 0, 0};
    return number(f.count, static_cast<uint32_t>(f.code_max));
}

void add(StateLayout &layout, LayoutField field)
{
    TERN_ASSERT(layout.field_count < fields_max &&
                    layout.word_count + field.count <= int{state_words_max},
                "%u fields, %u words", layout.field_count, layout.word_count);
    field.first = layout.word_count;
    layout.fields[layout.field_count] = field;
    layout.field_count += 1;
    layout.word_count = static_cast<uint16_t>(layout.word_count + field.count);
}

StateLayout make(const TypeTable &types, TypeId type)
{
    StateLayout layout = {};
    layout.type = type;
    for (const FieldCode &f : type_table::codes(types, type))
        add(layout, layout_field(f));
    for (const Field &field : types.types[type].fields)
        layout.repeats = layout.repeats || field.bound > 0;
    return layout;
}

// --- Numbers: codes of exact floats and signed integers are mapped to the order of the values ---

static bool is_exact_float(const FieldCode &f)
{
    return f.kind == FieldKind::float32 && f.step == 0;
}

static bool is_signed_whole(const FieldCode &f)
{
    return f.kind >= FieldKind::int8 && f.kind <= FieldKind::int32 && !f.has_range;
}

static uint32_t word_of(const FieldCode &f, uint64_t code)
{
    const auto word = static_cast<uint32_t>(code);
    if (is_exact_float(f)) return (word & sign_bit) != 0 ? ~word : word | sign_bit;
    if (is_signed_whole(f)) return word ^ 1u << (f.bits - 1);
    return word;
}

static uint64_t code_of(const FieldCode &f, uint32_t word)
{
    if (is_exact_float(f)) return (word & sign_bit) != 0 ? word ^ sign_bit : ~word;
    if (is_signed_whole(f)) return word ^ 1u << (f.bits - 1);
    return word;
}

// --- Elements ---

static void rotation_words(const FieldCode &f, uint64_t code, uint32_t *words)
{
    const unsigned bits = (f.bits - omitted_bits) / 3u;
    words[0] = static_cast<uint32_t>(code & 3);
    for (unsigned i = 0; i < 3; ++i)
        words[1 + i] =
            static_cast<uint32_t>(code >> (omitted_bits + i * bits) & ((uint64_t{1} << bits) - 1));
}

static uint64_t rotation_code(const FieldCode &f, const uint32_t *words)
{
    const unsigned bits = (f.bits - omitted_bits) / 3u;
    uint64_t code = words[0];
    for (unsigned i = 0; i < 3; ++i)
        code |= uint64_t{words[1 + i]} << (omitted_bits + i * bits);
    return code;
}

// Converts one element and returns how many words it has.
static size_t element_words(const FieldCode &f, const std::byte *from, uint32_t *words)
{
    const uint64_t code = field::encode(f, from);
    if (f.kind == FieldKind::quaternion) {
        rotation_words(f, code, words);
        return 4;
    }
    words[0] = is_raw(f) ? static_cast<uint32_t>(code) : word_of(f, code);
    if (f.bits <= 32) return 1;
    words[1] = static_cast<uint32_t>(code >> 32);
    return 2;
}

struct Element {
    size_t words;
    bool is_written;
};

static Element element(const FieldCode &f, const uint32_t *words, std::byte *to)
{
    uint64_t code = is_raw(f) ? words[0] : code_of(f, words[0]);
    size_t count = 1;
    if (f.kind == FieldKind::quaternion) {
        code = rotation_code(f, words);
        count = 4;
    } else if (f.bits > 32) {
        code |= uint64_t{words[1]} << 32;
        count = 2;
    }
    const bool in_bits = f.bits == 64 || code >> f.bits == 0;
    const bool is_own = field::decode(f, code, to);
    return {count, in_bits && is_own};
}

// --- Fields ---

void to_words(const StateLayout &layout, const TypeTable &types, const void *value,
              std::span<uint32_t> words)
{
    TERN_ASSERT(words.size() >= layout.word_count, "%zu words", words.size());
    const auto *struct_bytes = static_cast<const std::byte *>(value);
    const LayoutField *at = layout.fields;
    for (const FieldCode &f : type_table::codes(types, layout.type)) {
        const std::byte *from = struct_bytes + f.offset_bytes;
        uint32_t *to = words.data() + at->first;
        if (is_bytes(f.kind)) {
            std::memset(to, 0, at->count * sizeof *to);
            for (size_t i = 0; i < f.count; ++i)
                to[i / 4] |= std::to_integer<uint32_t>(from[i]) << i % 4 * 8;
        } else {
            for (size_t i = 0; i < f.count; ++i)
                to += element_words(f, from + i * f.element_bytes, to);
        }
        at += 1;
    }
}

static bool bytes_from_words(const FieldCode &f, const LayoutField &at, const uint32_t *words,
                             std::byte *to)
{
    std::byte normal[struct_bytes_max];
    for (size_t i = 0; i < f.count; ++i)
        to[i] = static_cast<std::byte>(words[i / 4] >> i % 4 * 8);
    const uint32_t beyond = f.count % 4 == 0 ? 0 : words[at.count - 1] >> f.count % 4 * 8;
    field::normalise(f, normal, to);
    return beyond == 0 && std::memcmp(normal, to, f.count) == 0;
}

bool from_words(const StateLayout &layout, const TypeTable &types, std::span<const uint32_t> words,
                uint64_t mask, void *value)
{
    TERN_ASSERT(words.size() >= layout.word_count, "%zu words", words.size());
    auto *struct_bytes = static_cast<std::byte *>(value);
    bool is_written = true;
    uint64_t field_bit = 1;
    const LayoutField *at = layout.fields;
    for (const FieldCode &f : type_table::codes(types, layout.type)) {
        std::byte *to = struct_bytes + f.offset_bytes;
        const uint32_t *from = words.data() + at->first;
        const bool wanted = (mask & field_bit) != 0;
        if (wanted && is_bytes(f.kind))
            is_written = bytes_from_words(f, *at, from, to) && is_written;
        for (size_t i = 0; wanted && !is_bytes(f.kind) && i < f.count; ++i) {
            const Element e = element(f, from, to + i * f.element_bytes);
            from += e.words;
            is_written = is_written && e.is_written;
        }
        at += 1;
        field_bit <<= 1;
    }
    return is_written;
}

}
