// Makes type tables from the input. Values survive encoding and decoding, and bytes that can be
// read as a value are written in the same bits. Compares the table's description with arbitrary
// text, as if a peer had sent it.
#include "fuzz/support/input.h"
#include "fuzz/targets.h"
#include "replication/world/field.h"
#include "replication/world/type_table.h"
#include "tern/limits.hpp"
#include <cstdio>
#include <cstring>
#include <string_view>

namespace tern::fuzz {

namespace {

constexpr size_t made_types_max = 3;
constexpr size_t made_fields_max = 8;

struct Made { // The types of a table and the fields that they point to.
    Field fields[made_types_max][made_fields_max];
    Type types[made_types_max];
    size_t type_count;
};

constexpr const char *names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};

// Bounds for the ranges of fields, which doubles hold exactly.
struct Bounds {
    double low, high;
};

Bounds bounds(FieldKind kind)
{
    switch (kind) {
    case FieldKind::int8: return {-128, 127};
    case FieldKind::int16: return {-32768, 32767};
    case FieldKind::uint8: return {0, 255};
    case FieldKind::uint16: return {0, 65535};
    case FieldKind::uint32:
    case FieldKind::uint64: return {0, 4294967295.0};
    default: return {-2147483648.0, 2147483647.0};
    }
}

void add_range(Field &field, Input &in)
{
    const uint8_t form = input::u8(in);
    if (field.kind == FieldKind::quaternion && form % 2 == 1) field.step = 0.001 * (1 + form / 4);
    const bool number = field::is_integer(field.kind) || field.kind == FieldKind::float32;
    if (!number || form % 2 == 0) return;
    const Bounds b = bounds(field.kind);
    const double from = static_cast<int32_t>(input::u32(in));
    const double length = 1.0 + (form % 4 == 1 ? input::u8(in) : input::u32(in));
    field.min = std::clamp(from, b.low, b.high - 1);
    field.max = std::min(field.min + length, b.high);
    // The range has 1 to 2^32 - 1 steps, as type_table::make() requires.
    if (field.kind == FieldKind::float32 && form % 8 >= 4)
        field.step = (field.max - field.min) / (1 + input::u16(in));
}

Field made_field(Input &in, const char *name, size_t &offset)
{
    Field field = {name, static_cast<FieldKind>(input::u8(in) % 16), 0};
    const bool is_raw = field.kind >= FieldKind::text;
    field.count = static_cast<uint16_t>(is_raw ? 2 + input::u8(in) % 23 : 1 + input::u8(in) % 3);
    add_range(field, in);
    field.offset_bytes = static_cast<uint16_t>(offset); // Fields need not be aligned.
    offset += field::size_bytes(field);
    return field;
}

void make(Made &made, Input &in)
{
    made.type_count = 1 + input::u8(in) % made_types_max;
    for (size_t i = 0; i < made.type_count; ++i) {
        const size_t count = input::u8(in) % (made_fields_max + 1);
        size_t offset = 0;
        for (size_t k = 0; k < count; ++k)
            made.fields[i][k] = made_field(in, names[k], offset);
        const uint8_t form = input::u8(in);
        made.types[i] = {names[i], static_cast<uint16_t>(std::max<size_t>(offset + form % 3, 1)),
                         std::span<const Field>(made.fields[i], count)};
        made.types[i].objects_max = form / 4 % 4;
        made.types[i].orphan = static_cast<Orphan>(form / 16 % 4);
        made.types[i].claim = static_cast<ClaimPolicy>(form / 64 % 3);
    }
}

// Takes arbitrary bytes as a struct of the game; once normalised, it is decoded as it was encoded.
void send_value(const TypeTable &table, TypeId type, Input &in)
{
    alignas(16) std::byte value[struct_bytes_max] = {}, twice[struct_bytes_max];
    const size_t size = table.types[type].size_bytes;
    const std::span<const std::byte> raw = std::as_bytes(input::bytes(in, size));
    std::copy(raw.begin(), raw.end(), value);
    type_table::normalise(table, type, value);
    std::memcpy(twice, value, size);
    type_table::normalise(table, type, twice);
    TERN_ASSERT(std::memcmp(value, twice, size) == 0, "type %u: normalised twice", type);
    std::byte buffer[value_bytes_max];
    BitWriter w = bits::writer(buffer);
    const uint64_t mask = type_table::all_fields(table, type);
    type_table::write_fields(w, table, type, value, mask);
    TERN_ASSERT(!bits::overflow(w) && bits::bit_count(w) <= table.value_bits_max[type],
                "type %u: %zu bits", type, bits::bit_count(w));
    std::memset(twice, 0, size);
    BitReader r = bits::reader(std::span(buffer).first(bits::size_bytes(w)));
    type_table::read_fields(r, table, type, twice, mask);
    TERN_ASSERT(bits::complete(r) && bits::bit_count(r) == bits::bit_count(w),
                "type %u: %zu of %zu bits", type, bits::bit_count(r), bits::bit_count(w));
    TERN_ASSERT(std::memcmp(value, twice, size) == 0, "type %u: another value arrived", type);
}

// Takes arbitrary bytes as an encoded value from a peer.
void receive_value(const TypeTable &table, TypeId type, std::span<const std::byte> raw)
{
    alignas(16) std::byte value[struct_bytes_max] = {}, same[struct_bytes_max];
    const size_t size = table.types[type].size_bytes;
    const uint64_t mask = type_table::all_fields(table, type);
    BitReader r = bits::reader(raw);
    type_table::read_fields(r, table, type, value, mask);
    if (bits::failed(r)) return;
    std::memcpy(same, value, size);
    type_table::normalise(table, type, same);
    TERN_ASSERT(std::memcmp(value, same, size) == 0, "type %u: what arrived is not normal", type);
    std::byte buffer[value_bytes_max];
    BitWriter w = bits::writer(buffer);
    type_table::write_fields(w, table, type, value, mask);
    TERN_ASSERT(!bits::overflow(w) && bits::bit_count(w) == bits::bit_count(r),
                "type %u: %zu bits, not %zu", type, bits::bit_count(w), bits::bit_count(r));
    BitReader a = bits::reader(raw), b = bits::reader(buffer);
    for (size_t i = 0; i < bits::bit_count(w); ++i)
        TERN_ASSERT(bits::read(a, 1) == bits::read(b, 1), "type %u: bit %zu", type, i);
}

void compare_text(std::span<const char> ours, std::span<const char> theirs)
{
    char text[384];
    std::memset(text, 'x', sizeof text);
    type_table::first_difference(ours, theirs, text);
    const size_t length = strnlen(text, sizeof text);
    TERN_ASSERT(length > 0 && length < sizeof text, "a sentence of %zu bytes", length);
    for (size_t i = 0; i < length; ++i)
        TERN_ASSERT(text[i] >= ' ' && text[i] < 127, "byte %d in a sentence", text[i]);
    const std::string_view a(ours.data(), ours.size()), b(theirs.data(), theirs.size());
    const bool said_equal = std::string_view(text) == "The type tables are equal.";
    TERN_ASSERT(said_equal == (a == b), "%s", text);
}

}

void fuzz_types(std::span<const uint8_t> data)
{
    Input in = {data};
    static Made made;
    static char text[description_bytes_max];
    make(made, in);
    const TypeTable table = type_table::make(std::span(made.types, made.type_count));
    const size_t size = type_table::describe(table, text);
    const std::span<const char> ours(text, size);
    const std::span<const uint8_t> rest = in.rest;
    const std::span<const char> theirs(reinterpret_cast<const char *>(rest.data()), rest.size());
    compare_text(ours, theirs);
    compare_text(theirs, ours);
    compare_text(ours, ours);
    for (size_t i = 0; i < made.type_count; ++i) {
        const auto type = static_cast<TypeId>(i);
        receive_value(table, type, std::as_bytes(in.rest));
        send_value(table, type, in);
    }
}

}
