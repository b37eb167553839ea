#include "godot_value.h"
#include <cmath>
#include <cstring>
#include <iterator>

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

// The bytes of the character that begins the text; 0: they are no UTF-8.
static size_t character_bytes(std::string_view text)
{
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    const size_t count = first < 0x80   ? 1
                         : first < 0xc2 ? 0
                         : first < 0xe0 ? 2
                         : first < 0xf0 ? 3
                         : first < 0xf5 ? 4
                                        : 0;
    if (count > text.size()) return 0;
    for (size_t i = 1; i < count; ++i)
        if (byte(i) < 0x80 || byte(i) > 0xbf) return 0;
    return count;
}

// Texts come from other peers. Godot would give "" for one that is malformed, and print an error.
static std::string with_wrong_bytes_replaced(std::string_view text)
{
    std::string out;
    while (!text.empty()) {
        const size_t count = character_bytes(text);
        out += count > 0 ? text.substr(0, count) : "\uFFFD";
        text.remove_prefix(count > 0 ? count : 1);
    }
    return out;
}

Value Value::text(std::string_view value)
{
    const std::string utf8 = with_wrong_bytes_replaced(value);
    godot_string string;
    api->godot_string_new(&string);
    api->godot_string_parse_utf8_with_len(&string, utf8.data(), static_cast<int>(utf8.size()));
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

namespace {

// The functions of GDNative for one kind of pool array.
template <class Array, class Access, class Element> struct Pool {
    void (*make)(Array *);
    void (*resize)(Array *, godot_int);
    Access *(*write)(Array *);
    Element *(*begin)(const Access *);
    void (*end)(Access *);
    void (*to_variant)(godot_variant *, const Array *);
    void (*destroy)(Array *);
};
template <class Array, class Access, class Element> // clang 14 needs this guide.
Pool(void (*)(Array *), void (*)(Array *, godot_int), Access *(*)(Array *),
     Element *(*)(const Access *), void (*)(Access *), void (*)(godot_variant *, const Array *),
     void (*)(Array *))
    ->Pool<Array, Access, Element>;

template <class Array, class Access, class Element>
Value make_pool(const Pool<Array, Access, Element> &pool, const void *values, size_t count)
{
    Array array;
    pool.make(&array);
    pool.resize(&array, static_cast<godot_int>(count));
    if (count > 0) {
        Access *access = pool.write(&array);
        std::memcpy(static_cast<void *>(pool.begin(access)), values, count * sizeof(Element));
        pool.end(access);
    }
    godot_variant out;
    pool.to_variant(&out, &array);
    pool.destroy(&array);
    return Value(out);
}

}

#define TERN_POOL(kind)                                                                            \
    Pool                                                                                           \
    {                                                                                              \
        api->godot_pool_##kind##_array_new, api->godot_pool_##kind##_array_resize,                 \
            api->godot_pool_##kind##_array_write, api->godot_pool_##kind##_array_write_access_ptr, \
            api->godot_pool_##kind##_array_write_access_destroy,                                   \
            api->godot_variant_new_pool_##kind##_array, api->godot_pool_##kind##_array_destroy     \
    }

Value Value::bytes(const void *values, size_t count)
{
    return make_pool(TERN_POOL(byte), values, count);
}

Value Value::ints(const std::vector<int> &values)
{
    return make_pool(TERN_POOL(int), values.data(), values.size());
}

Value Value::reals(const std::vector<float> &values)
{
    static_assert(sizeof(godot_real) == sizeof(float));
    return make_pool(TERN_POOL(real), values.data(), values.size());
}

Value Value::vectors2(const std::vector<float> &values)
{
    static_assert(sizeof(godot_vector2) == 2 * sizeof(float));
    return make_pool(TERN_POOL(vector2), values.data(), values.size() / 2);
}

Value Value::vectors3(const std::vector<float> &values)
{
    static_assert(sizeof(godot_vector3) == 3 * sizeof(float));
    return make_pool(TERN_POOL(vector3), values.data(), values.size() / 3);
}

bool Value::is_whole() const
{
    if (is(GODOT_VARIANT_TYPE_INT)) return true;
    if (!is(GODOT_VARIANT_TYPE_REAL)) return false;
    const double number = as_real();
    return number >= -0x1p63 && number < 0x1p63 && number == std::floor(number);
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

std::string Value::as_bytes() const
{
    godot_pool_byte_array array = api->godot_variant_as_pool_byte_array(&_variant);
    std::string out(static_cast<size_t>(api->godot_pool_byte_array_size(&array)), 0);
    for (size_t i = 0; i < out.size(); ++i)
        out[i] = static_cast<char>(api->godot_pool_byte_array_get(&array, static_cast<int>(i)));
    api->godot_pool_byte_array_destroy(&array);
    return out;
}

Value Value::as_array() const
{
    godot_array array = api->godot_variant_as_array(&_variant);
    godot_variant out;
    api->godot_variant_new_array(&out, &array);
    api->godot_array_destroy(&array);
    return Value(out);
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

bool Value::has(const Value &key) const
{
    if (!is(GODOT_VARIANT_TYPE_DICTIONARY)) return false;
    godot_dictionary dictionary = api->godot_variant_as_dictionary(&_variant);
    const bool has = api->godot_dictionary_has(&dictionary, &key._variant);
    api->godot_dictionary_destroy(&dictionary);
    return has;
}

Value Value::get(const Value &key) const
{
    if (!has(key)) return {};
    godot_dictionary dictionary = api->godot_variant_as_dictionary(&_variant);
    Value out(api->godot_dictionary_get(&dictionary, &key._variant));
    api->godot_dictionary_destroy(&dictionary);
    return out;
}

void Value::put(const Value &key, const Value &value)
{
    godot_dictionary dictionary = api->godot_variant_as_dictionary(&_variant);
    api->godot_dictionary_set(&dictionary, &key._variant, &value._variant);
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

size_t Value::components(float out[4]) const
{
    if (is(GODOT_VARIANT_TYPE_VECTOR2)) {
        const godot_vector2 v = api->godot_variant_as_vector2(&_variant);
        out[0] = api->godot_vector2_get_x(&v);
        out[1] = api->godot_vector2_get_y(&v);
        return 2;
    }
    if (is(GODOT_VARIANT_TYPE_VECTOR3)) {
        const godot_vector3 v = api->godot_variant_as_vector3(&_variant);
        for (const auto axis : {GODOT_VECTOR3_AXIS_X, GODOT_VECTOR3_AXIS_Y, GODOT_VECTOR3_AXIS_Z})
            out[axis] = api->godot_vector3_get_axis(&v, axis);
        return 3;
    }
    if (!is(GODOT_VARIANT_TYPE_QUAT)) return 0;
    const godot_quat q = api->godot_variant_as_quat(&_variant);
    out[0] = api->godot_quat_get_x(&q);
    out[1] = api->godot_quat_get_y(&q);
    out[2] = api->godot_quat_get_z(&q);
    out[3] = api->godot_quat_get_w(&q);
    return 4;
}

std::string describe(const Value &value)
{
    constexpr size_t shown_bytes_max = 40;
    static constexpr const char *names[] = {"null",
                                            "a bool",
                                            "an int",
                                            "a float",
                                            "a String",
                                            "a Vector2",
                                            "a Rect2",
                                            "a Vector3",
                                            "a Transform2D",
                                            "a Plane",
                                            "a Quat",
                                            "an AABB",
                                            "a Basis",
                                            "a Transform",
                                            "a Color",
                                            "a NodePath",
                                            "an RID",
                                            "an Object",
                                            "a Dictionary",
                                            "an Array",
                                            "a PoolByteArray",
                                            "a PoolIntArray",
                                            "a PoolRealArray",
                                            "a PoolStringArray",
                                            "a PoolVector2Array",
                                            "a PoolVector3Array",
                                            "a PoolColorArray"};
    if (value.is_number()) return value.as_text();
    if (value.is(GODOT_VARIANT_TYPE_BOOL)) return value.as_bool() ? "true" : "false";
    if (value.is(GODOT_VARIANT_TYPE_STRING)) {
        const std::string text = value.as_text();
        if (text.size() <= shown_bytes_max) return "\"" + text + "\"";
    }
    const auto type = static_cast<size_t>(value.type());
    return type < std::size(names) ? names[type] : "an unknown value";
}

}
