#include "replication/world/type_table.h"
#include "base/assert.h"
#include "replication/world/field.h"
#include "replication/world/type_checks.h"
#include "tern/diagnostics.hpp"
#include "tern/limits.hpp"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace tern::type_table {

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

bool normalise(const TypeTable &table, TypeId id, const std::byte *values, size_t count,
               std::byte *result)
{
    const size_t size_bytes = at(table, id).size_bytes;
    std::memset(result, 0, count * size_bytes);
    bool any_nan = false;
    for (const FieldCode &f : codes(table, id))
        any_nan |= field::normalise(f, result + f.offset_bytes, values + f.offset_bytes, count,
                                    size_bytes);
    return any_nan;
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

uint64_t difference(const TypeTable &table, TypeId id, const void *a, const void *b, uint64_t mask)
{
    const std::span<const FieldCode> fields = codes(table, id);
    const auto *left = static_cast<const std::byte *>(a);
    const auto *right = static_cast<const std::byte *>(b);
    for (size_t i = 0; i < fields.size(); ++i) {
        const FieldCode &f = fields[i];
        if ((mask >> i & 1) == 0) continue;
        if (field::equal(f, left + f.offset_bytes, right + f.offset_bytes))
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
