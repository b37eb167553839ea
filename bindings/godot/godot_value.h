// Values of Godot's scripts: RAII around the variants of GDNative.
#pragma once
#include <cstdint>
#include <gdnative_api_struct.gen.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern_godot {

extern const godot_gdnative_core_api_struct *api; // Set by godot_gdnative_init().

// Owns a variant. Copies are those of Godot: arrays and dictionaries refer to the same one.
class Value {
  public:
    Value() { api->godot_variant_new_nil(&_variant); }
    explicit Value(const godot_variant &taken) : _variant(taken) {}
    Value(const Value &other) { api->godot_variant_new_copy(&_variant, &other._variant); }
    Value(Value &&other) noexcept : Value() { std::swap(_variant, other._variant); }
    Value &operator=(Value other) noexcept
    {
        std::swap(_variant, other._variant);
        return *this;
    }
    ~Value() { api->godot_variant_destroy(&_variant); }

    static Value copy(const godot_variant *variant);
    static Value boolean(bool value);
    static Value integer(int64_t value);
    static Value real(double value);
    static Value text(std::string_view value);
    static Value array();
    static Value dictionary();
    static Value vector2(const float *xy);
    static Value vector3(const float *xyz);
    static Value quat(const float *xyzw);
    // Arrays of Godot's pool.
    static Value bytes(const void *values, size_t count);
    static Value ints(const std::vector<int> &values);
    static Value reals(const std::vector<float> &values);
    static Value vectors2(const std::vector<float> &values); // Two for each vector.
    static Value vectors3(const std::vector<float> &values); // Three for each vector.

    godot_variant_type type() const { return api->godot_variant_get_type(&_variant); }
    bool is(godot_variant_type wanted) const { return type() == wanted; }
    bool is_nil() const { return is(GODOT_VARIANT_TYPE_NIL); }
    bool is_number() const { return is(GODOT_VARIANT_TYPE_INT) || is(GODOT_VARIANT_TYPE_REAL); }
    bool is_whole() const; // A number without a fraction that fits into 64 bits.
    bool is_any_array() const { return type() >= GODOT_VARIANT_TYPE_ARRAY; }
    bool as_bool() const { return api->godot_variant_as_bool(&_variant); }
    int64_t as_int() const { return api->godot_variant_as_int(&_variant); }
    double as_real() const { return api->godot_variant_as_real(&_variant); }
    std::string as_text() const;  // UTF-8.
    std::string as_bytes() const; // The bytes of a PoolByteArray.
    Value as_array() const;       // Gives the same elements as an Array; needs is_any_array().

    // The elements of an Array; any other value has none.
    size_t size() const;
    Value at(size_t i) const;
    void append(const Value &value);
    // The members of a Dictionary; any other value has none.
    bool has(const Value &key) const;
    Value get(const Value &key) const;
    void put(const Value &key, const Value &value);
    bool has(const char *key) const { return has(text(key)); }
    Value get(const char *key) const { return get(text(key)); }
    void put(const char *key, const Value &value) { put(text(key), value); }
    Value keys() const;
    // The components of a Vector2, a Vector3 or a Quat. Gives their number; 0: it is none of these.
    size_t components(float out[4]) const;

    godot_variant release() // Godot owns what this gives.
    {
        godot_variant out;
        api->godot_variant_new_copy(&out, &_variant);
        return out;
    }

  private:
    godot_variant _variant;
};

std::string describe(const Value &value); // "an Array", or a number or a short text itself.

}
