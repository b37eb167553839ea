// Dynamic values, whose shape is known only at run time, as in scripts: nil, booleans, numbers,
// strings and tables of these. A field of FieldKind::values holds one. The comments are in
// values.h.
#pragma once
#include "tern/types.hpp"
#include "tern/values.h"
#include <string_view>

namespace tern {

inline constexpr size_t values_depth_max = TERN_VALUES_DEPTH_MAX;
inline constexpr size_t values_count_max = TERN_VALUES_COUNT_MAX;
inline constexpr int64_t values_integer_max = TERN_VALUES_INTEGER_MAX;

enum class ValueKind : uint32_t { nil, boolean, number, string, table, end };

enum class ValueError : uint32_t {
    none,
    too_long,
    too_many,
    too_deep,
    integer,
    nil, // nil in a table.
    key,
    twice,
    shape
};

using ValueWriter = tern_value_writer;
using ValueReader = tern_value_reader;

struct Value {
    ValueKind kind;
    bool boolean;
    bool is_integer;
    uint16_t array_count;
    double number;
    std::string_view string; // Points into the field.
};

namespace value {

//     ValueWriter w = value::writer(note.about);
//     value::begin_table(w, 1); // {"red", size = 3}
//     value::put_string(w, "red");
//     value::put_string(w, "size");
//     value::put_number(w, 3);
//     value::end_table(w);
//     if (value::finish(w) != ValueError::none) ...
inline ValueWriter writer(std::span<uint8_t> field)
{
    ValueWriter w;
    tern_write_value(&w, field.data(), field.size());
    return w;
}

inline void put_nil(ValueWriter &w) { tern_put_nil(&w); }

inline void put_boolean(ValueWriter &w, bool boolean) { tern_put_boolean(&w, boolean); }

inline void put_number(ValueWriter &w, double number) { tern_put_number(&w, number); }

inline void put_integer(ValueWriter &w, int64_t integer) { tern_put_integer(&w, integer); }

inline void put_string(ValueWriter &w, std::string_view string)
{
    tern_put_string(&w, string.data(), string.size());
}

inline void begin_table(ValueWriter &w, size_t array_count) { tern_begin_table(&w, array_count); }

inline void end_table(ValueWriter &w) { tern_end_table(&w); }

inline ValueError error(const ValueWriter &w)
{
    return static_cast<ValueError>(tern_writer_error(&w));
}

inline ValueError finish(ValueWriter &w) { return static_cast<ValueError>(tern_finish_value(&w)); }

inline const char *to_text(ValueError error)
{
    return tern_value_error_text(static_cast<tern_value_error>(error));
}

inline ValueReader reader(std::span<const uint8_t> field)
{
    ValueReader r;
    tern_read_value(&r, field.data(), field.size());
    return r;
}

inline Value next(ValueReader &r)
{
    tern_value read;
    tern_next_value(&r, &read);
    return {static_cast<ValueKind>(read.kind),
            read.boolean,
            read.is_integer,
            read.array_count,
            read.number,
            {read.string, read.string_bytes}};
}

}
}
