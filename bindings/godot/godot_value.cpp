#include "godot_value.h"
#include <algorithm>
#include <cstring>

namespace tern_godot {

const godot_gdnative_core_api_struct *api = nullptr;

Value Value::copy(const godot_variant *variant)
{
    godot_variant out;
    api->godot_variant_new_copy(&out, variant);
    return Value(out);
}

Value Value::boolean(bool value)
{
    godot_variant out;
    api->godot_variant_new_bool(&out, value);
    return Value(out);
}

Value Value::integer(int64_t value)
{
    godot_variant out;
    api->godot_variant_new_int(&out, value);
    return Value(out);
}

Value Value::real(double value)
{
    godot_variant out;
    api->godot_variant_new_real(&out, value);
    return Value(out);
}

Value Value::text(std::string_view value)
{
    godot_string string;
    api->godot_string_new(&string);
    api->godot_string_parse_utf8_with_len(&string, value.data(), static_cast<int>(value.size()));
    godot_variant out;
    api->godot_variant_new_string(&out, &string);
    api->godot_string_destroy(&string);
    return Value(out);
}

Value Value::array()
{
    godot_array array;
    api->godot_array_new(&array);
    godot_variant out;
    api->godot_variant_new_array(&out, &array);
    api->godot_array_destroy(&array);
    return Value(out);
}

Value Value::dictionary()
{
    godot_dictionary dictionary;
    api->godot_dictionary_new(&dictionary);
    godot_variant out;
    api->godot_variant_new_dictionary(&out, &dictionary);
    api->godot_dictionary_destroy(&dictionary);
    return Value(out);
}

Value Value::vector2(const float *xy)
{
    godot_vector2 vector;
    api->godot_vector2_new(&vector, xy[0], xy[1]);
    godot_variant out;
    api->godot_variant_new_vector2(&out, &vector);
    return Value(out);
}

Value Value::vector3(const float *xyz)
{
    godot_vector3 vector;
    api->godot_vector3_new(&vector, xyz[0], xyz[1], xyz[2]);
    godot_variant out;
    api->godot_variant_new_vector3(&out, &vector);
    return Value(out);
}

Value Value::quat(const float *xyzw)
{
    godot_quat quat;
    api->godot_quat_new(&quat, xyzw[0], xyzw[1], xyzw[2], xyzw[3]);
    godot_variant out;
    api->godot_variant_new_quat(&out, &quat);
    return Value(out);
}

Value Value::reals(const float *values, size_t count)
{
    godot_pool_real_array array;
    api->godot_pool_real_array_new(&array);
    api->godot_pool_real_array_resize(&array, static_cast<int>(count));
    if (count > 0) {
        godot_pool_real_array_write_access *access = api->godot_pool_real_array_write(&array);
        static_assert(sizeof(godot_real) == sizeof(float));
        std::memcpy(api->godot_pool_real_array_write_access_ptr(access), values,
                    count * sizeof(float));
        api->godot_pool_real_array_write_access_destroy(access);
    }
    godot_variant out;
    api->godot_variant_new_pool_real_array(&out, &array);
    api->godot_pool_real_array_destroy(&array);
    return Value(out);
}

Value Value::bytes(const void *values, size_t count)
{
    godot_pool_byte_array array;
    api->godot_pool_byte_array_new(&array);
    api->godot_pool_byte_array_resize(&array, static_cast<int>(count));
    if (count > 0) {
        godot_pool_byte_array_write_access *access = api->godot_pool_byte_array_write(&array);
        std::memcpy(api->godot_pool_byte_array_write_access_ptr(access), values, count);
        api->godot_pool_byte_array_write_access_destroy(access);
    }
    godot_variant out;
    api->godot_variant_new_pool_byte_array(&out, &array);
    api->godot_pool_byte_array_destroy(&array);
    return Value(out);
}

std::string Value::as_text() const
{
    godot_string string = api->godot_variant_as_string(&_variant);
    godot_char_string utf8 = api->godot_string_utf8(&string);
    std::string out(api->godot_char_string_get_data(&utf8),
                    static_cast<size_t>(api->godot_char_string_length(&utf8)));
    api->godot_char_string_destroy(&utf8);
    api->godot_string_destroy(&string);
    return out;
}

size_t Value::size() const
{
    if (!is(GODOT_VARIANT_TYPE_ARRAY)) return 0;
    godot_array array = api->godot_variant_as_array(&_variant);
    const int size = api->godot_array_size(&array);
    api->godot_array_destroy(&array);
    return static_cast<size_t>(size);
}

Value Value::at(size_t i) const
{
    if (i >= size()) return {};
    godot_array array = api->godot_variant_as_array(&_variant);
    Value out(api->godot_array_get(&array, static_cast<int>(i)));
    api->godot_array_destroy(&array);
    return out;
}

void Value::append(const Value &value)
{
    godot_array array = api->godot_variant_as_array(&_variant);
    api->godot_array_append(&array, &value._variant);
    api->godot_array_destroy(&array);
}

bool Value::has(const char *key) const
{
    if (!is(GODOT_VARIANT_TYPE_DICTIONARY)) return false;
    const Value name = text(key);
    godot_dictionary dictionary = api->godot_variant_as_dictionary(&_variant);
    const bool has = api->godot_dictionary_has(&dictionary, &name._variant);
    api->godot_dictionary_destroy(&dictionary);
    return has;
}

Value Value::get(const char *key) const
{
    if (!has(key)) return {};
    const Value name = text(key);
    godot_dictionary dictionary = api->godot_variant_as_dictionary(&_variant);
    Value out(api->godot_dictionary_get(&dictionary, &name._variant));
    api->godot_dictionary_destroy(&dictionary);
    return out;
}

void Value::put(const char *key, const Value &value)
{
    const Value name = text(key);
    godot_dictionary dictionary = api->godot_variant_as_dictionary(&_variant);
    api->godot_dictionary_set(&dictionary, &name._variant, &value._variant);
    api->godot_dictionary_destroy(&dictionary);
}

Value Value::keys() const
{
    Value out = array();
    if (!is(GODOT_VARIANT_TYPE_DICTIONARY)) return out;
    godot_dictionary dictionary = api->godot_variant_as_dictionary(&_variant);
    godot_array keys = api->godot_dictionary_keys(&dictionary);
    godot_variant made;
    api->godot_variant_new_array(&made, &keys);
    api->godot_array_destroy(&keys);
    api->godot_dictionary_destroy(&dictionary);
    return Value(made);
}

size_t Value::numbers(double *out, size_t max) const
{
    double all[4] = {};
    size_t count = 0;
    if (is(GODOT_VARIANT_TYPE_VECTOR2)) {
        const godot_vector2 v = api->godot_variant_as_vector2(&_variant);
        all[count++] = double{api->godot_vector2_get_x(&v)};
        all[count++] = double{api->godot_vector2_get_y(&v)};
    } else if (is(GODOT_VARIANT_TYPE_VECTOR3)) {
        const godot_vector3 v = api->godot_variant_as_vector3(&_variant);
        for (const auto axis : {GODOT_VECTOR3_AXIS_X, GODOT_VECTOR3_AXIS_Y, GODOT_VECTOR3_AXIS_Z})
            all[count++] = double{api->godot_vector3_get_axis(&v, axis)};
    } else if (is(GODOT_VARIANT_TYPE_QUAT)) {
        const godot_quat q = api->godot_variant_as_quat(&_variant);
        all[count++] = double{api->godot_quat_get_x(&q)};
        all[count++] = double{api->godot_quat_get_y(&q)};
        all[count++] = double{api->godot_quat_get_z(&q)};
        all[count++] = double{api->godot_quat_get_w(&q)};
    } else if (is(GODOT_VARIANT_TYPE_ARRAY)) {
        count = std::min(size(), max);
        for (size_t i = 0; i < count; ++i)
            out[i] = at(i).as_real();
        return size();
    } else if (is_number() || is(GODOT_VARIANT_TYPE_BOOL)) {
        all[count++] = is(GODOT_VARIANT_TYPE_BOOL) ? (as_bool() ? 1.0 : 0.0) : as_real();
    }
    std::copy_n(all, std::min(count, max), out);
    return count;
}

}
