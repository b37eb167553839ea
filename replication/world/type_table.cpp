#include "replication/world/type_table.h"
#include "base/assert.h"
#include "replication/world/field.h"
#include "replication/world/type_checks.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace tern::type_table {

static const Type &at(const TypeTable &table, TypeId type)
{
    TERN_ASSERT(type < table.types.size(), "type %u of %zu", static_cast<unsigned>(type),
                table.types.size());
    return table.types[type];
}

std::span<const FieldCode> codes(const TypeTable &table, TypeId type)
{
    const size_t count = at(table, type).fields.size();
    return std::span(table.codes).subspan(table.codes_first[type], count);
}

ConfigProblem problem(std::span<const Type> types)
{
    ConfigProblem problem = type_checks::problem(types);
    if (problem.text[0] != 0) return problem;
    TypeTable table{};
    table.types = types;
    char text[description_bytes_max + 1];
    if (describe(table, text) > description_bytes_max)
        std::snprintf(problem.text, sizeof problem.text,
                      "the table's description is beyond %zu bytes", description_bytes_max);
    return problem;
}

TypeTable make(std::span<const Type> types)
{
    const ConfigProblem found = problem(types);
    TERN_ASSERT(found.text[0] == 0, "%s", found.text);
    TypeTable table{};
    table.types = types;
    size_t code_count = 0;
    for (size_t i = 0; i < types.size(); ++i) {
        const Type &type = types[i];
        table.codes_first[i] = static_cast<uint16_t>(code_count);
        uint32_t bits_max = 0;
        for (const Field &field : type.fields) {
            const FieldCode &code = table.codes[code_count] = field::code(field);
            const size_t index = code_count - table.codes_first[i];
            table.variable_fields[i] |= uint64_t{field::is_variable(code)} << index;
            code_count += 1;
            bits_max += field::bits_max(field);
        }
        table.value_bits_max[i] = static_cast<uint16_t>(bits_max);
        table.objects_max += type.objects_max;
        if (type.objects_max == 0) continue;
        table.size_bytes_max =
            std::max(table.size_bytes_max, static_cast<uint16_t>(type.size_bytes));
        table.fields_count_max =
            std::max(table.fields_count_max, static_cast<uint16_t>(type.fields.size()));
    }
    return table;
}

uint64_t all_fields(const TypeTable &table, TypeId type)
{
    const size_t count = at(table, type).fields.size();
    return count == 0 ? 0 : ~uint64_t{0} >> (64 - count);
}

void normalise(const TypeTable &table, TypeId id, const std::byte *values, size_t count,
               std::byte *result)
{
    const size_t size_bytes = at(table, id).size_bytes;
    std::memset(result, 0, count * size_bytes);
    for (const FieldCode &f : codes(table, id))
        field::normalise(f, result + f.offset_bytes, values + f.offset_bytes, count, size_bytes);
}

void normalise(const TypeTable &table, TypeId id, const void *value, std::byte *result)
{
    std::memset(result, 0, at(table, id).size_bytes);
    const auto *from = static_cast<const std::byte *>(value);
    for (const FieldCode &f : codes(table, id))
        field::normalise(f, result + f.offset_bytes, from + f.offset_bytes);
}

void normalise(const TypeTable &table, TypeId id, void *value)
{
    std::byte result[struct_bytes_max];
    normalise(table, id, value, result);
    std::memcpy(value, result, at(table, id).size_bytes);
}

bool any_nan(const TypeTable &table, TypeId id, const std::byte *values, size_t count)
{
    const size_t size_bytes = at(table, id).size_bytes;
    for (const FieldCode &f : codes(table, id))
        if (field::any_nan(f, values + f.offset_bytes, count, size_bytes)) return true;
    return false;
}

uint32_t find_nan(const TypeTable &table, TypeId id, const void *value)
{
    const std::span<const FieldCode> fields = codes(table, id);
    const auto *from = static_cast<const std::byte *>(value);
    for (uint32_t i = 0; i < fields.size(); ++i)
        if (field::any_nan(fields[i], from + fields[i].offset_bytes, 1, 0)) return i;
    return fields_max;
}

uint64_t difference(const TypeTable &table, TypeId id, const void *a, const void *b)
{
    return difference(table, id, a, b, all_fields(table, id));
}

// Most fields are a few words, which a call of memcmp() would cost more than to compare.
static bool equal(const std::byte *a, const std::byte *b, size_t size_bytes)
{
    if (size_bytes % 4 != 0 || size_bytes > 16) return std::memcmp(a, b, size_bytes) == 0;
    uint32_t differs = 0;
    for (size_t at = 0; at < size_bytes; at += 4) {
        uint32_t left, right;
        std::memcpy(&left, a + at, sizeof left);
        std::memcpy(&right, b + at, sizeof right);
        differs |= left ^ right;
    }
    return differs == 0;
}

uint64_t difference(const TypeTable &table, TypeId id, const void *a, const void *b, uint64_t mask)
{
    const std::span<const FieldCode> fields = codes(table, id);
    const auto *left = static_cast<const std::byte *>(a);
    const auto *right = static_cast<const std::byte *>(b);
    for (size_t i = 0; i < fields.size(); ++i) {
        const FieldCode &f = fields[i];
        if ((mask >> i & 1) == 0) continue;
        if (equal(left + f.offset_bytes, right + f.offset_bytes, field::size_bytes(f)))
            mask &= ~(uint64_t{1} << i);
    }
    return mask;
}

void write_fields(BitWriter &w, const TypeTable &table, TypeId id, const void *value, uint64_t mask)
{
    const std::span<const FieldCode> fields = codes(table, id);
    const auto *from = static_cast<const std::byte *>(value);
    for (size_t i = 0; i < fields.size(); ++i)
        if (mask >> i & 1) field::write(w, fields[i], from + fields[i].offset_bytes);
}

void read_fields(BitReader &r, const TypeTable &table, TypeId id, void *value, uint64_t mask)
{
    const std::span<const FieldCode> fields = codes(table, id);
    auto *to = static_cast<std::byte *>(value);
    for (size_t i = 0; i < fields.size(); ++i)
        if (mask >> i & 1) field::read(r, fields[i], to + fields[i].offset_bytes);
}

size_t read_packed(BitReader &r, const TypeTable &table, TypeId id, std::byte *packed,
                   uint64_t mask)
{
    const std::span<const FieldCode> fields = codes(table, id);
    std::byte *to = packed;
    for (; mask != 0; mask &= mask - 1) {
        const FieldCode &f = fields[static_cast<size_t>(std::countr_zero(mask))];
        field::read(r, f, to);
        to += field::size_bytes(f);
    }
    return static_cast<size_t>(to - packed);
}

uint64_t store_packed(const TypeTable &table, TypeId id, void *value, const std::byte *packed,
                      uint64_t mask)
{
    const std::span<const FieldCode> fields = codes(table, id);
    auto *to = static_cast<std::byte *>(value);
    uint64_t changed = 0;
    for (; mask != 0; mask &= mask - 1) {
        const FieldCode &f = fields[static_cast<size_t>(std::countr_zero(mask))];
        const size_t size_bytes = field::size_bytes(f);
        if (!equal(to + f.offset_bytes, packed, size_bytes)) {
            std::memcpy(to + f.offset_bytes, packed, size_bytes);
            changed |= mask & -mask;
        }
        packed += size_bytes;
    }
    return changed;
}

// A field of few bits may take many bytes: a text of no letters, for example.
size_t packed_bytes_max(const TypeTable &table, size_t bits)
{
    size_t bytes = 0, bytes_of_no_bits = 0;
    for (TypeId type = 0; type < table.types.size(); ++type) {
        size_t of_no_bits = 0;
        for (const FieldCode &f : codes(table, type)) {
            const size_t least = field::bits_min(f), size = field::size_bytes(f);
            if (least == 0) of_no_bits += size;
            if (least != 0) bytes = std::max(bytes, bits / least * size);
        }
        bytes_of_no_bits = std::max(bytes_of_no_bits, of_no_bits);
    }
    return bytes + bits * bytes_of_no_bits + struct_bytes_max;
}

}
