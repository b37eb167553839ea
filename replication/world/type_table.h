// Values, in the game's structs and on the wire: one table for objects and calls.
//
// A value is stored in the form in which it travels (rounded, clamped, -0 and NaN normalised, text
// padded with zeros), so all peers hold equal bytes. Once normalise() has run, encoding and
// decoding change nothing.
#pragma once
#include "base/assert.h"
#include "replication/world/field.h"
#include "tern/diagnostics.hpp"
#include "tern/limits.hpp"

namespace tern {

// The canonical text of a table has one line for each type and each field. Tables are equal if and
// only if their texts are.
inline constexpr size_t description_bytes_max = 15 * 1024;
// The shortest line of a field is "field x peer\n".
inline constexpr size_t all_fields_max = description_bytes_max / 13;

struct TypeTable {                       // Open, constant after make.
    std::span<const Type> types;         // The game's array, not a copy.
    FieldCode codes[all_fields_max];     // Fields of all types, one type after another.
    uint16_t codes_first[types_max];     // Indexed by type: the first of its codes.
    uint64_t variable_fields[types_max]; // A mask of the fields whose bits differ by value.
    uint16_t value_bits_max[types_max];  // Indexed by type: the bits of a whole value, at most.
    uint32_t objects_max;                // The sum over all types.
    uint16_t size_bytes_max;             // The largest struct of a type with objects.
    uint16_t fields_count_max;           // The most fields of a type with objects.
};

namespace type_table {

// Describes the first problem with the names of type and field; empty if make() accepts the table.
ConfigProblem problem(std::span<const Type> types);
// Asserts that problem() is empty. The arrays and names that `types` points to must outlive the
// result.
TypeTable make(std::span<const Type> types);

inline const Type &at(const TypeTable &table, TypeId id)
{
    TERN_ASSERT(id < table.types.size(), "type %u of %zu", static_cast<unsigned>(id),
                table.types.size());
    return table.types[id];
}
// The fields, in order.
inline std::span<const FieldCode> codes(const TypeTable &table, TypeId id)
{
    return {table.codes + table.codes_first[id], at(table, id).fields.size()};
}
inline uint64_t all_fields(const TypeTable &table, TypeId id) // The mask of a whole value.
{
    const size_t count = at(table, id).fields.size();
    return count == 0 ? 0 : ~uint64_t{0} >> (64 - count);
}

// Returns the bytes written; no final zero.
size_t describe(const TypeTable &table, std::span<char> text);
uint64_t digest(const TypeTable &table); // A hash of the description.
// Writes a sentence about the first difference of two descriptions into `text`, zero-terminated.
void first_difference(std::span<const char> ours, std::span<const char> theirs,
                      std::span<char> text);

// Clears the bytes that no field covers.
void normalise(const TypeTable &table, TypeId type, void *value);
// `result` and `value` must not overlap.
void normalise(const TypeTable &table, TypeId type, const void *value, std::byte *result);
// This one takes `count` values that lie in a row, and returns whether a float32 or quaternion
// field of any of them has a NaN in it. `result` and `values` must not overlap.
bool normalise(const TypeTable &table, TypeId type, const std::byte *values, size_t count,
               std::byte *result);
// The index of the first field with a NaN in it; fields_max: none has one.
uint32_t find_nan(const TypeTable &table, TypeId type, const void *value);
// A mask with bit i set if field i differs. Both values must be normalised.
uint64_t difference(const TypeTable &table, TypeId type, const void *a, const void *b);
// Only the fields of `mask` are compared.
uint64_t difference(const TypeTable &table, TypeId type, const void *a, const void *b,
                    uint64_t mask);

// Writes the fields of `mask`, in order, without the mask itself.
void write_fields(BitWriter &w, const TypeTable &table, TypeId type, const void *value,
                  uint64_t mask);
// Overwrites the fields of `mask`. Fails the reader for bits that write_fields() never writes.
void read_fields(BitReader &r, const TypeTable &table, TypeId type, void *value, uint64_t mask);
// Bytes that field::read_packed() stores for a message of so many bits, at most.
size_t packed_bytes_max(const TypeTable &table, size_t bits);

}
}
