// Dynamic values, whose shape is known only at run time, as in scripts: nil, booleans, numbers,
// strings and tables of these. A field of TERN_VALUES is a uint8_t array that holds one dynamic
// value; these functions write and read it. For C99.
//
// The encoding is canonical: equal values have equal bytes on all peers. An array of zeros is nil.
#ifndef TERN_VALUES_H
#define TERN_VALUES_H

#include "tern/types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TERN_VALUES_DEPTH_MAX 16  // Nesting of tables.
#define TERN_VALUES_COUNT_MAX 512 // Values of one field: tables, keys and elements.
// Largest magnitude of an integer: doubles hold all integers from -2^53 to 2^53.
#define TERN_VALUES_INTEGER_MAX 9007199254740992

typedef enum tern_value_kind {
    TERN_VALUE_NIL,
    TERN_VALUE_BOOLEAN,
    TERN_VALUE_NUMBER,
    TERN_VALUE_STRING,
    TERN_VALUE_TABLE,
    TERN_VALUE_END // End of the innermost open table; after the outermost value, end of the field.
} tern_value_kind;

// Why a value could not be written; the first error stays.
typedef enum tern_value_error {
    TERN_VALUE_OK,
    TERN_VALUE_TOO_LONG, // The value takes more bytes than the field has, or than 900.
    TERN_VALUE_TOO_MANY, // More than TERN_VALUES_COUNT_MAX values.
    TERN_VALUE_TOO_DEEP, // Tables nested deeper than TERN_VALUES_DEPTH_MAX.
    TERN_VALUE_INTEGER,  // An integer beyond TERN_VALUES_INTEGER_MAX.
    TERN_VALUE_NIL_IN_TABLE,
    TERN_VALUE_KEY,   // A key that is no string, boolean or number within TERN_VALUES_INTEGER_MAX;
                      // or NaN, or -0, or an integer from 1 to array_count + 1, which belongs to
                      // the array.
    TERN_VALUE_TWICE, // A key occurs twice in a table.
    TERN_VALUE_SHAPE  // More than one value in the field, a key without a value, a table that is
                      // not ended, or a table with fewer elements than its array_count.
} tern_value_error;
TERN_API const char *tern_value_error_text(tern_value_error error); // A sentence for people.

// --- Writing ---

typedef struct tern_written_table { // Closed: a table that is not ended yet.
    uint16_t _pairs_begin;
    uint16_t _array_count;
    uint16_t _array_left; // Array elements that are still missing.
    bool _value_next;     // A key was written, and its value comes next.
} tern_written_table;

// Closed: only the functions below use its members. It may be copied.
typedef struct tern_value_writer {
    uint8_t *_field;
    size_t _field_bytes;
    size_t _size_bytes;
    size_t _count;
    size_t _depth;
    tern_written_table _tables[TERN_VALUES_DEPTH_MAX];
    tern_value_error _error;
    uint64_t _room[4]; // For later versions: its size stays.
} tern_value_writer;

// Starts to write a field from its beginning. Errors are sticky: write everything, then check once.
//     tern_value_writer w;
//     tern_write_value(&w, note.about, sizeof note.about);
//     tern_begin_table(&w, 2); // {"red", "blue", size = 3}
//     tern_put_string(&w, "red", 3);
//     tern_put_string(&w, "blue", 4);
//     tern_put_string(&w, "size", 4);
//     tern_put_number(&w, 3);
//     tern_end_table(&w);
//     if (tern_finish_value(&w) != TERN_VALUE_OK) ...
TERN_API void tern_write_value(tern_value_writer *writer, uint8_t *field, size_t field_bytes);
TERN_API void tern_put_nil(tern_value_writer *writer); // Only as the outermost value.
TERN_API void tern_put_boolean(tern_value_writer *writer, bool boolean);
// Any double. An integer gives the bytes of tern_put_integer(); every NaN gives the same bytes.
TERN_API void tern_put_number(tern_value_writer *writer, double number);
// Within TERN_VALUES_INTEGER_MAX.
TERN_API void tern_put_integer(tern_value_writer *writer, int64_t integer);
// Any bytes, also zeros.
TERN_API void tern_put_string(tern_value_writer *writer, const char *string, size_t size_bytes);
// Write the elements 1 to array_count next, then keys and values in turn. Pairs may come in any
// order.
TERN_API void tern_begin_table(tern_value_writer *writer, size_t array_count);
TERN_API void tern_end_table(tern_value_writer *writer);
TERN_API tern_value_error tern_writer_error(const tern_value_writer *writer); // The first so far.
// Ends the field: its unused bytes become zero. After an error, and if nothing was written, all
// bytes become zero, which is nil. Gives the first error.
TERN_API tern_value_error tern_finish_value(tern_value_writer *writer);

// --- Reading ---

typedef struct tern_value {
    tern_value_kind kind;
    bool boolean;
    bool is_integer;      // TERN_VALUE_NUMBER: within TERN_VALUES_INTEGER_MAX, and not -0.
    uint16_t array_count; // TERN_VALUE_TABLE: so many elements come next, then keys and values.
    double number;        // TERN_VALUE_NUMBER, also if it is an integer.
    const char *string;   // TERN_VALUE_STRING: points into the field, without a zero at the end.
    size_t string_bytes;  // Among them there may be zeros.
} tern_value;

typedef struct tern_value_reader { // Closed, like the writer.
    const uint8_t *_rest;
    size_t _rest_bytes;
    size_t _depth;
    bool _begun;
    uint64_t _room[2]; // For later versions: its size stays.
} tern_value_reader;

// Starts to read a whole field, which must stay in place. Malformed bytes read as nil. (An object's
// field is never malformed: tern_set() normalises it, and received values are checked.)
TERN_API void tern_read_value(tern_value_reader *reader, const uint8_t *field, size_t field_bytes);
// Reads the outermost value first, then the contents of its tables, depth first: the elements of
// the array, then keys and values in turn, in ascending order of the bytes of their keys
// (docs/wire_format.md, "Dynamic values"), then TERN_VALUE_END. Gives the kind.
TERN_API tern_value_kind tern_next_value(tern_value_reader *reader, tern_value *value);

#ifdef __cplusplus
}
#endif
#endif
