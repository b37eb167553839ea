// Dynamic values, whose shape is known only at run time, as in scripts: nil, booleans, numbers,
// strings and tables of these. A field of FieldKind::values is a uint8_t array that holds one
// dynamic value; these functions write and read it.
//
// The encoding is canonical: equal values have equal bytes on all peers. An array of zeros is nil.
#pragma once
#include "tern/types.hpp"
#include <string_view>

namespace tern {

inline constexpr size_t values_depth_max = 16;  // Nesting of tables.
inline constexpr size_t values_count_max = 512; // Values of one field: tables, keys and elements.
// Largest magnitude of an integer: doubles hold all integers from -2^53 to 2^53.
inline constexpr int64_t values_integer_max = int64_t{1} << 53;

enum class ValueKind : uint8_t {
    nil,
    boolean,
    number,
    string,
    table,
    end // End of the innermost open table; after the outermost value, end of the field.
};

// Why a value could not be written; the first error stays.
enum class ValueError : uint8_t {
    none,
    too_long, // The value takes more bytes than the field has, or than value_bytes_max.
    too_many, // More than values_count_max values.
    too_deep, // Tables nested deeper than values_depth_max.
    integer,  // An integer beyond values_integer_max.
    nil,      // nil in a table.
    key,      // A key that is no string, boolean or number within values_integer_max; or NaN, or
              // -0, or an integer from 1 to array_count + 1, which belongs to the array.
    twice,    // A key occurs twice in a table.
    shape     // More than one value in the field, a key without a value, a table that is not ended,
              // or a table with fewer elements than its array_count.
};

struct WrittenTable { // Writer's state of a table that is not ended yet.
    uint16_t pairs_begin;
    uint16_t array_count;
    uint16_t array_left; // Array elements that are still missing.
    bool value_next;     // A key was written, and its value comes next.
};

struct ValueWriter { // Closed.
    std::span<uint8_t> _field;
    size_t _size_bytes;
    size_t _count;
    size_t _depth;
    WrittenTable _tables[values_depth_max];
    ValueError _error;
};

struct ValueReader { // Closed.
    std::span<const std::byte> _rest;
    size_t _depth;
    bool _begun;
};

struct Value {
    ValueKind kind;
    bool boolean;
    bool is_integer;         // number: an integer within values_integer_max, and not -0.
    uint16_t array_count;    // table: this many elements come next, then keys and values in turn.
    double number;           // number, also if it is an integer.
    std::string_view string; // string: points into the field; may contain any bytes, also zeros.
};

namespace value {

// Starts to write a field from its beginning. Errors are sticky: write everything, then check once.
//     ValueWriter w = value::writer(note.about);
//     value::begin_table(w, 2); // {"red", "blue", size = 3}
//     value::put_string(w, "red");
//     value::put_string(w, "blue");
//     value::put_string(w, "size");
//     value::put_number(w, 3);
//     value::end_table(w);
//     if (value::finish(w) != ValueError::none) ...
ValueWriter writer(std::span<uint8_t> field);
void put_nil(ValueWriter &w); // Only as the outermost value; not in a table.
void put_boolean(ValueWriter &w, bool boolean);
// Any double. An integer gives the bytes of put_integer(); every NaN gives the same bytes.
void put_number(ValueWriter &w, double number);
void put_integer(ValueWriter &w, int64_t integer); // Within values_integer_max.
void put_string(ValueWriter &w, std::string_view string);
// Write the elements 1 to array_count next, then keys and values in turn. Pairs may come in any
// order.
void begin_table(ValueWriter &w, size_t array_count);
void end_table(ValueWriter &w);
ValueError error(const ValueWriter &w); // The first error so far.
// Ends the field: its unused bytes become zero. After an error, and if nothing was written, all
// bytes become zero, which is nil. Returns the first error.
ValueError finish(ValueWriter &w);
const char *to_text(ValueError error); // A sentence for people.

// Starts to read a whole field, which must stay in place. Malformed bytes read as nil. (An object's
// field is never malformed: set() normalises it, and received values are checked.)
ValueReader reader(std::span<const uint8_t> field);
// Returns the outermost value first, then the contents of its tables, depth first: the elements of
// the array, then keys and values in turn, in ascending order of the bytes of their keys
// (docs/wire_format.md, "Dynamic values"), then end.
Value next(ValueReader &r);

}
}
