// Fields of the kind "values": null, bools, numbers, texts, arrays and dictionaries of these. A
// table of tern has elements 1 to n, and pairs of other keys: the elements are an Array, the pairs
// a Dictionary; a table with both is a Dictionary.
#include "godot_types.h"
#include <optional>
#include <tern/values.h>

namespace tern_godot {

namespace {

// What is wrong, beside the errors that the writer keeps.
std::string put(tern_value_writer &writer, const Value &value);

std::string put_array(tern_value_writer &writer, const Value &array)
{
    std::string wrong;
    tern_begin_table(&writer, array.size());
    for (size_t i = 0; wrong.empty() && i < array.size(); ++i)
        wrong = put(writer, array.at(i));
    tern_end_table(&writer);
    return wrong;
}

std::string put_dictionary(tern_value_writer &writer, const Value &dictionary)
{
    std::string wrong;
    int64_t count = 0;
    while (dictionary.has(Value::integer(count + 1)))
        ++count;
    tern_begin_table(&writer, static_cast<size_t>(count));
    for (int64_t i = 1; wrong.empty() && i <= count; ++i)
        wrong = put(writer, dictionary.get(Value::integer(i)));
    const Value keys = dictionary.keys();
    for (size_t i = 0; wrong.empty() && i < keys.size(); ++i) {
        const Value key = keys.at(i);
        const bool is_element =
            key.is(GODOT_VARIANT_TYPE_INT) && key.as_int() >= 1 && key.as_int() <= count;
        if (is_element) continue;
        wrong = put(writer, key);
        if (wrong.empty()) wrong = put(writer, dictionary.get(key));
    }
    tern_end_table(&writer);
    return wrong;
}

std::string put(tern_value_writer &writer, const Value &value)
{
    if (tern_writer_error(&writer) != TERN_VALUE_OK) return ""; // An array in itself ends here.
    if (value.is_any_array()) return put_array(writer, value.as_array());
    switch (value.type()) {
    case GODOT_VARIANT_TYPE_NIL: tern_put_nil(&writer); return "";
    case GODOT_VARIANT_TYPE_BOOL: tern_put_boolean(&writer, value.as_bool()); return "";
    case GODOT_VARIANT_TYPE_INT: tern_put_integer(&writer, value.as_int()); return "";
    case GODOT_VARIANT_TYPE_REAL: tern_put_number(&writer, value.as_real()); return "";
    case GODOT_VARIANT_TYPE_DICTIONARY: return put_dictionary(writer, value);
    case GODOT_VARIANT_TYPE_STRING: {
        const std::string text = value.as_text();
        tern_put_string(&writer, text.data(), text.size());
        return "";
    }
    default:
        return "expected null, a bool, a number, a String, an Array or a Dictionary, got " +
               describe(value);
    }
}

std::optional<Value> next(tern_value_reader &reader); // Nothing: the table ends.

Value next_table(tern_value_reader &reader, size_t count)
{
    Value array = Value::array();
    for (size_t i = 0; i < count; ++i)
        array.append(next(reader).value_or(Value()));
    std::optional<Value> key = next(reader);
    if (!key && count > 0) return array;
    Value dictionary = Value::dictionary();
    for (size_t i = 0; i < count; ++i)
        dictionary.put(Value::integer(static_cast<int64_t>(i) + 1), array.at(i));
    for (; key; key = next(reader))
        dictionary.put(*key, next(reader).value_or(Value()));
    return dictionary;
}

std::optional<Value> next(tern_value_reader &reader)
{
    tern_value value;
    switch (tern_next_value(&reader, &value)) {
    case TERN_VALUE_BOOLEAN: return Value::boolean(value.boolean);
    case TERN_VALUE_STRING: return Value::text({value.string, value.string_bytes});
    case TERN_VALUE_TABLE: return next_table(reader, value.array_count);
    case TERN_VALUE_END: return std::nullopt;
    case TERN_VALUE_NUMBER:
        if (value.is_integer) return Value::integer(static_cast<int64_t>(value.number));
        return Value::real(value.number);
    default: return Value();
    }
}

}

Value read_dynamic(const uint8_t *at, size_t size_bytes)
{
    tern_value_reader reader;
    tern_read_value(&reader, at, size_bytes);
    return next(reader).value_or(Value());
}

std::string write_dynamic(const Value &value, uint8_t *at, size_t size_bytes)
{
    tern_value_writer writer;
    tern_write_value(&writer, at, size_bytes);
    const std::string wrong = put(writer, value);
    const tern_value_error error = tern_finish_value(&writer);
    if (!wrong.empty() || error == TERN_VALUE_OK) return wrong;
    return tern_value_error_text(error);
}

}
