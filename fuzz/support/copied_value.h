// Writes a dynamic value again while it is read. A value that is in its only valid encoding results
// in the same bytes.
#pragma once
#include "base/assert.h"
#include "tern/values.hpp"

namespace tern::fuzz {

// Writes `read`, which was read from `r`, together with the values that it contains.
inline void copy(ValueReader &r, const Value &read, ValueWriter &w)
{
    switch (read.kind) {
    case ValueKind::nil: return value::put_nil(w);
    case ValueKind::boolean: return value::put_boolean(w, read.boolean);
    case ValueKind::number:
        if (read.is_integer) return value::put_integer(w, static_cast<int64_t>(read.number));
        return value::put_number(w, read.number);
    case ValueKind::string: return value::put_string(w, read.string);
    case ValueKind::table: break;
    case ValueKind::end: TERN_ASSERT(false, "an end in the place of a value");
    }
    value::begin_table(w, read.array_count);
    for (size_t i = 0; i < read.array_count; ++i)
        copy(r, value::next(r), w);
    for (Value key = value::next(r); key.kind != ValueKind::end; key = value::next(r)) {
        copy(r, key, w);
        copy(r, value::next(r), w);
    }
    value::end_table(w);
}

}
