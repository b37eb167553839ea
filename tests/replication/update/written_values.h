// Dynamic values: helpers to write, read and compare them.
#pragma once
#include "replication/world/values.h"
#include <cstdio>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace tern::test {

using Bytes = std::vector<uint8_t>;

inline constexpr size_t values_capacity = 900;

struct WrittenValue {
    ValueError error;
    Bytes field;
};

inline WrittenValue written(const std::function<void(ValueWriter &)> &put,
                            size_t field_bytes = values_capacity)
{
    WrittenValue result = {ValueError::none, Bytes(field_bytes, 0xee)};
    ValueWriter w = value::writer(result.field);
    put(w);
    result.error = value::finish(w);
    return result;
}

// The encoding on the wire.
inline Bytes bytes_of(const std::function<void(ValueWriter &)> &put)
{
    const WrittenValue w = written(put);
    EXPECT_EQ(w.error, ValueError::none) << value::to_text(w.error);
    const auto used = value::used(std::as_bytes(std::span(w.field)));
    for (size_t i = used.size(); i < w.field.size(); ++i)
        EXPECT_EQ(w.field[i], 0) << "byte " << i;
    return {w.field.begin(), w.field.begin() + static_cast<ptrdiff_t>(used.size())};
}

inline ValueError error_of(const std::function<void(ValueWriter &)> &put,
                           size_t field_bytes = values_capacity)
{
    const WrittenValue w = written(put, field_bytes);
    const bool is_nil = w.field == Bytes(field_bytes);
    EXPECT_TRUE(w.error == ValueError::none || is_nil) << value::to_text(w.error);
    return w.error;
}

inline std::string number_text(double number)
{
    char text[40];
    std::snprintf(text, sizeof text, "%a", number);
    return text;
}

// The values that a reader finds, as text.
inline std::string text_of(ValueReader &r, const Value &read)
{
    switch (read.kind) {
    case ValueKind::nil: return "nil";
    case ValueKind::boolean: return read.boolean ? "true" : "false";
    case ValueKind::number:
        return read.is_integer ? std::to_string(static_cast<int64_t>(read.number))
                               : number_text(read.number);
    case ValueKind::string: return "'" + std::string(read.string) + "'";
    case ValueKind::end: return "end";
    case ValueKind::table: break;
    }
    std::string text = "{";
    for (size_t i = 0; i < read.array_count; ++i)
        text += text_of(r, value::next(r)) + ",";
    for (Value key = value::next(r); key.kind != ValueKind::end; key = value::next(r)) {
        text += "[" + text_of(r, key) + "]=";
        text += text_of(r, value::next(r)) + ",";
    }
    return text + "}";
}

inline std::string text_of(std::span<const uint8_t> field)
{
    ValueReader r = value::reader(field);
    const Value first = value::next(r);
    const std::string text = text_of(r, first);
    EXPECT_EQ(value::next(r).kind, ValueKind::end);
    EXPECT_EQ(value::next(r).kind, ValueKind::end);
    return text;
}

struct CheckedValue {
    bool failed;
    size_t size_bytes;
};

// Checks bytes from the wire that begin in the middle of a byte.
inline CheckedValue check(std::span<const uint8_t> bytes, size_t bytes_max = values_capacity)
{
    std::vector<std::byte> shifted(bytes.size() + 1);
    BitWriter w = bits::writer(shifted);
    bits::write(w, 5, 3);
    bits::write_bytes(w, std::as_bytes(bytes));
    BitReader r = bits::reader(shifted);
    bits::skip(r, 3);
    value::check(r, bytes_max);
    return {bits::failed(r), (bits::bit_count(r) - 3) / 8};
}

}
