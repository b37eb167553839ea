// What values look like: in the game's structs, and on the wire. One table for objects and calls.
//
// A value is stored as it travels (rounded, clamped, -0 and NaN normalised, text zero-padded), so
// that all peers hold equal bytes: normalise() once, and encoding and decoding change nothing more.
#pragma once
#include "replication/world/field.h"

namespace tern {

// The canonical text of a table: one line per type, one per field. Equal texts: equal tables.
inline constexpr size_t description_bytes_max = 15 * 1024;
inline constexpr size_t all_fields_max = description_bytes_max / 13; // "field x peer\n".

struct TypeTable {                      // Open, constant after make.
    std::span<const Type> types;        // The game's.
    FieldCode codes[all_fields_max];    // Of all types, one after the other.
    uint16_t codes_first[types_max];    // By type.
    uint16_t value_bits_max[types_max]; // Of a whole value of each type.
    uint32_t objects_max;               // Of all types together.
    uint16_t size_bytes_max;            // Of the largest struct of a type with objects.
    uint16_t fields_count_max;          // Of a type with objects.
};

namespace type_table {

// Of a table that make() would assert on, with the names of type and field.
ConfigProblem problem(std::span<const Type> types);
// Asserts on every mistake in a table. What it points to must outlive it.
TypeTable make(std::span<const Type> types);

size_t describe(const TypeTable &table, std::span<char> text); // Bytes written, no final zero.
uint64_t digest(const TypeTable &table);                       // Of the description.
// Where two descriptions differ first, as a sentence; zero-terminated into `text`.
void first_difference(std::span<const char> ours, std::span<const char> theirs,
                      std::span<char> text);

// Bytes that no field covers become zero.
void normalise(const TypeTable &table, TypeId type, void *value);
void normalise(const TypeTable &table, TypeId type, const void *value, std::byte *result); // Apart.
// Bit i: field i differs. Both normalised.
uint64_t difference(const TypeTable &table, TypeId type, const void *a, const void *b);
// Of the fields of `mask` alone.
uint64_t difference(const TypeTable &table, TypeId type, const void *a, const void *b,
                    uint64_t mask);

// The fields of `mask`, in order. The mask itself is the caller's to write.
void write_fields(BitWriter &w, const TypeTable &table, TypeId type, const void *value,
                  uint64_t mask);
// Overwrites the fields of `mask`. Fails the reader for what write_fields would never write.
void read_fields(BitReader &r, const TypeTable &table, TypeId type, void *value, uint64_t mask);
// As read_fields, but only looks.
void check_fields(BitReader &r, const TypeTable &table, TypeId type, uint64_t mask);
// As check_fields of what that holds good.
void skip_fields(BitReader &r, const TypeTable &table, TypeId type, uint64_t mask);
uint64_t all_fields(const TypeTable &table, TypeId type);              // The mask of a whole value.
std::span<const FieldCode> codes(const TypeTable &table, TypeId type); // Of the fields, in order.

}
}
