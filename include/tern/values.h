// Values whose shape is known at run time only, as scripts have them: nil, booleans, numbers,
// strings and tables of these. A field of FieldKind::values is a uint8_t array that holds one;
// these functions write it and read it.
//
// Equal values are equal bytes, whoever wrote them. All bytes zero are nil.
#pragma once
#include "tern/types.h"
#include <string_view>

namespace tern {

inline constexpr size_t values_depth_max = 16;  // Tables within tables.
inline constexpr size_t values_count_max = 512; // Tables, keys, and what is in them.
inline constexpr int64_t values_integer_max = int64_t{1} << 53; // And as much below 0.

enum class ValueKind : uint8_t {
    nil,
    boolean,
    number,
    string,
    table,
    end // Of the table that was begun last; after the outermost value: there is no more.
};

// What was wrong with the first thing that could not be written.
enum class ValueError : uint8_t {
    none,
    too_long, // It takes more bytes than the field has, or than value_bytes_max.
    too_many, // values_count_max
    too_deep, // values_depth_max
    integer,  // Beyond values_integer_max.
    nil,      // In a table.
    key,      // Not a string, boolean or number within values_integer_max, NaN and -0 excluded; or
              // an integer from 1 to one more than the table's array_count.
    twice,    // A table has a key twice.
    shape     // More than one value; a key without a value; a table that is not ended, or has
              // fewer elements than its array_count.
};

struct WrittenTable { // A table that is being written.
    uint16_t pairs_begin;
    uint16_t array_count;
    uint16_t array_left; // Elements still to come.
    bool value_next;     // Of a pair whose key is there.
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
    bool is_integer;         // number: whole, within values_integer_max, and not -0.
    uint16_t array_count;    // table: so many elements come next, then keys and values by turns.
    double number;           // number
    std::string_view string; // string: points into the field; may hold any bytes.
};

namespace value {

// Into a whole field. Sticky: write all, ask once.
//     ValueWriter w = value::writer(note.about);
//     value::begin_table(w, 2); // {"red", "blue", size = 3}
//     value::put_string(w, "red");
//     value::put_string(w, "blue");
//     value::put_string(w, "size");
//     value::put_number(w, 3);
//     value::end_table(w);
//     if (value::finish(w) != ValueError::none) ...
ValueWriter writer(std::span<uint8_t> field);
void put_nil(ValueWriter &w); // Outermost only.
void put_boolean(ValueWriter &w, bool boolean);
void put_number(ValueWriter &w, double number); // Any; NaN is stored as one and the same.
void put_integer(ValueWriter &w, int64_t integer);
void put_string(ValueWriter &w, std::string_view string);
// The elements 1 to array_count follow, then keys and values by turns, in any order.
void begin_table(ValueWriter &w, size_t array_count);
void end_table(ValueWriter &w);
ValueError error(const ValueWriter &w); // So far.
// What is not used of the field becomes zero; after an error all of it does, which is nil. Nothing
// written is nil, too.
ValueError finish(ValueWriter &w);
const char *text(ValueError error); // A sentence for people.

// Of a whole field. One that no writer would leave so reads as nil. (In a session there is none:
// what is set is normalised, and what arrives is checked.)
ValueReader reader(std::span<const uint8_t> field);
// The value, and what is in its tables, one after the other; the pairs of a table in the ascending
// order of the bytes of their keys, as docs/wire_format.md tells.
Value next(ValueReader &r);

}
}
