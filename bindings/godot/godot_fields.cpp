// The values of fields: between the memory of a struct and Godot's variants.
#include "godot_types.h"
#include <cstring>
#include <limits>

namespace tern_godot {

namespace {

constexpr int64_t object_max = (int64_t{1} << 48) - 1; // Objects have ids of 48 bits.

int64_t load_integer(const tern_field &field, const std::byte *at)
{
    const auto load = [at]<class T>(T value) {
        std::memcpy(&value, at, sizeof value);
        return static_cast<int64_t>(value);
    };
    switch (field.kind) {
    case TERN_INT8: return load(int8_t{});
    case TERN_INT16: return load(int16_t{});
    case TERN_INT32: return load(int32_t{});
    case TERN_UINT16:
    case TERN_PEER: return load(uint16_t{});
    case TERN_UINT32: return load(uint32_t{});
    case TERN_INT64:
    case TERN_UINT64:
    case TERN_OBJECT: return load(int64_t{});
    default: return load(uint8_t{});
    }
}

struct Range {
    int64_t min, max;
};

// A uint64 is an int in scripts, whose numbers end at 2^63: the upper half is negative there.
Range range_of(tern_field_kind kind)
{
    const auto range = []<class T>(T) -> Range {
        return {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
    };
    switch (kind) {
    case TERN_INT8: return range(int8_t{});
    case TERN_INT16: return range(int16_t{});
    case TERN_INT32: return range(int32_t{});
    case TERN_UINT8: return range(uint8_t{});
    case TERN_UINT16:
    case TERN_PEER: return range(uint16_t{});
    case TERN_UINT32: return range(uint32_t{});
    case TERN_OBJECT: return {0, object_max};
    default: return range(int64_t{});
    }
}

std::string store_integer(const tern_field &field, const Value &value, std::byte *at)
{
    const Range range = range_of(field.kind);
    const auto store = [at](auto number) { std::memcpy(at, &number, sizeof number); };
    if (!value.is_number()) return "expected a whole number, got " + describe(value);
    if (!value.is_whole() || value.as_int() < range.min || value.as_int() > range.max)
        return "expected a whole number from " + std::to_string(range.min) + " to " +
               std::to_string(range.max) + ", got " + describe(value);
    switch (element_bytes(field)) {
    case 1: store(static_cast<uint8_t>(value.as_int())); break;
    case 2: store(static_cast<uint16_t>(value.as_int())); break;
    case 4: store(static_cast<uint32_t>(value.as_int())); break;
    default: store(value.as_int());
    }
    return "";
}

std::string store_quaternion(const Value &value, std::byte *at)
{
    float xyzw[4];
    if (!value.is(GODOT_VARIANT_TYPE_QUAT)) return "expected a Quat, got " + describe(value);
    value.components(xyzw);
    std::memcpy(at, xyzw, sizeof xyzw);
    return "";
}

Value load_element(const tern_field &field, const std::byte *at)
{
    float floats[4];
    switch (field.kind) {
    case TERN_BOOLEAN: return Value::boolean(*at != std::byte{0});
    case TERN_FLOAT32: std::memcpy(floats, at, sizeof(float)); return Value::real(double{*floats});
    case TERN_QUATERNION: std::memcpy(floats, at, sizeof floats); return Value::quat(floats);
    default: return Value::integer(load_integer(field, at));
    }
}

std::string store_element(const tern_field &field, const Value &value, std::byte *at)
{
    if (field.kind == TERN_QUATERNION) return store_quaternion(value, at);
    if (field.kind == TERN_FLOAT32) {
        if (!value.is_number()) return "expected a number, got " + describe(value);
        const auto number = static_cast<float>(value.as_real());
        std::memcpy(at, &number, sizeof number);
        return "";
    }
    if (field.kind != TERN_BOOLEAN) return store_integer(field, value, at);
    if (!value.is(GODOT_VARIANT_TYPE_BOOL)) return "expected true or false, got " + describe(value);
    *at = std::byte{value.as_bool()};
    return "";
}

std::string store_bytes(const std::string &bytes, size_t room, std::byte *at, size_t count)
{
    if (bytes.size() > room)
        return "it has " + std::to_string(bytes.size()) + " bytes, at most " + std::to_string(room);
    std::memset(at, 0, count);
    std::memcpy(at, bytes.data(), bytes.size());
    return "";
}

bool is_vector(const tern_field &field)
{
    return field.kind == TERN_FLOAT32 && (field.count == 2 || field.count == 3);
}

std::string store_many(const tern_field &field, const Value &value, std::byte *at)
{
    float floats[4];
    const size_t count = element_count(field);
    if (is_vector(field) && value.components(floats) == count) {
        std::memcpy(at, floats, count * sizeof(float));
        return "";
    }
    const std::string wanted = is_vector(field) ? "a Vector" + std::to_string(count)
                                                : "an Array of " + std::to_string(count);
    if (!value.is_any_array()) return "expected " + wanted + ", got " + describe(value);
    const Value array = value.as_array();
    if (array.size() != count)
        return "expected " + wanted + ", got " + describe(value) + " of " +
               std::to_string(array.size());
    for (size_t i = 0; i < count; ++i) {
        const std::string wrong = store_element(field, array.at(i), at + i * element_bytes(field));
        if (!wrong.empty()) return wrong + " at [" + std::to_string(i) + "]";
    }
    return "";
}

std::string store(const tern_field &field, const Value &value, std::byte *at)
{
    const size_t count = element_count(field);
    switch (field.kind) {
    case TERN_TEXT:
        if (!value.is(GODOT_VARIANT_TYPE_STRING))
            return "expected a String, got " + describe(value);
        return store_bytes(value.as_text(), count - 1, at, count);
    case TERN_BYTES:
        if (!value.is(GODOT_VARIANT_TYPE_POOL_BYTE_ARRAY))
            return "expected a PoolByteArray, got " + describe(value);
        return store_bytes(value.as_bytes(), count, at, count);
    case TERN_VALUES: return write_dynamic(value, reinterpret_cast<uint8_t *>(at), count);
    default: return count == 1 ? store_element(field, value, at) : store_many(field, value, at);
    }
}

bool fits_int(tern_field_kind kind) // An int of a PoolIntArray, which has 32 bits.
{
    return kind < TERN_INT64 || kind == TERN_UINT8 || kind == TERN_UINT16 || kind == TERN_PEER;
}

}

std::vector<uint64_t> make_struct(const tern_type &type)
{
    std::vector<uint64_t> out(type.size_bytes / 8);
    auto *bytes = reinterpret_cast<std::byte *>(out.data());
    const float upright[] = {0, 0, 0, 1};
    for (size_t i = 0; i < type.field_count; ++i) {
        const tern_field &field = type.fields[i];
        if (field.kind != TERN_QUATERNION) continue;
        for (size_t k = 0; k < element_count(field); ++k)
            std::memcpy(bytes + field.offset_bytes + k * sizeof upright, upright, sizeof upright);
    }
    return out;
}

Value read_field(const tern_field &field, const void *bytes)
{
    const auto *at = static_cast<const std::byte *>(bytes) + field.offset_bytes;
    const size_t count = element_count(field);
    if (field.kind == TERN_TEXT) {
        const auto *text = reinterpret_cast<const char *>(at);
        return Value::text({text, strnlen(text, count)});
    }
    if (field.kind == TERN_BYTES) return Value::bytes(at, count);
    if (field.kind == TERN_VALUES)
        return read_dynamic(reinterpret_cast<const uint8_t *>(at), count);
    if (count == 1) return load_element(field, at);
    if (is_vector(field)) {
        float floats[3];
        std::memcpy(floats, at, count * sizeof(float));
        return count == 2 ? Value::vector2(floats) : Value::vector3(floats);
    }
    Value all = Value::array();
    for (size_t i = 0; i < count; ++i)
        all.append(load_element(field, at + i * element_bytes(field)));
    return all;
}

Value read_struct(const tern_type &type, const void *bytes)
{
    Value out = Value::dictionary();
    for (size_t i = 0; i < type.field_count; ++i)
        out.put(type.fields[i].name, read_field(type.fields[i], bytes));
    return out;
}

Value read_field_of_all(const tern_type &type, const tern_field &field, const void *structs,
                        size_t count)
{
    const auto *at = static_cast<const std::byte *>(structs);
    const size_t each = element_count(field);
    if (field.kind == TERN_FLOAT32 && each <= 3) {
        std::vector<float> floats(count * each);
        for (size_t i = 0; i < count; ++i, at += type.size_bytes)
            std::memcpy(&floats[i * each], at + field.offset_bytes, each * sizeof(float));
        if (each == 1) return Value::reals(floats);
        return each == 2 ? Value::vectors2(floats) : Value::vectors3(floats);
    }
    if (fits_int(field.kind) && each == 1) {
        std::vector<int> ints(count);
        for (size_t i = 0; i < count; ++i, at += type.size_bytes)
            ints[i] = static_cast<int>(load_integer(field, at + field.offset_bytes));
        return Value::ints(ints);
    }
    Value out = Value::array();
    for (size_t i = 0; i < count; ++i, at += type.size_bytes)
        out.append(read_field(field, at));
    return out;
}

std::string write_field(const tern_field &field, const Value &value, void *bytes)
{
    const std::string wrong =
        store(field, value, static_cast<std::byte *>(bytes) + field.offset_bytes);
    return wrong.empty() ? "" : std::string(field.name) + ": " + wrong;
}

std::string write_struct(const tern_type &type, const Value &values, void *bytes)
{
    const Value keys = values.keys();
    for (size_t i = 0; i < keys.size(); ++i) {
        const std::string key = keys.at(i).as_text();
        const tern_field *field = find_field(type, key);
        if (!field) return std::string(type.name) + " has no field \"" + key + "\"";
        const std::string wrong = write_field(*field, values.get(keys.at(i)), bytes);
        if (!wrong.empty()) return std::string(type.name) + "." + wrong;
    }
    return "";
}

}
