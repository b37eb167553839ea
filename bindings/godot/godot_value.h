// Values of Godot's scripts: RAII around the variants of GDNative.
#pragma once
#include <cstdint>
#include <gdnative_api_struct.gen.h>
#include <string>
#include <string_view>
#include <utility>

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
    static Value reals(const float *values, size_t count); // A PoolRealArray.
    static Value bytes(const void *values, size_t count);  // A PoolByteArray.

    godot_variant_type type() const { return api->godot_variant_get_type(&_variant); }
    bool is(godot_variant_type wanted) const { return type() == wanted; }
    bool is_number() const { return is(GODOT_VARIANT_TYPE_INT) || is(GODOT_VARIANT_TYPE_REAL); }
    bool as_bool() const { return api->godot_variant_as_bool(&_variant); }
    int64_t as_int() const { return api->godot_variant_as_int(&_variant); }
    double as_real() const { return api->godot_variant_as_real(&_variant); }
    std::string as_text() const; // UTF-8.

    // Of an array; of any other value 0 and nil.
    size_t size() const;
    Value at(size_t i) const;
    void append(const Value &value);
    // Of a dictionary; of any other value nil.
    Value get(const char *key) const;
    bool has(const char *key) const;
    void put(const char *key, const Value &value);
    Value keys() const;
    // Components of a vector, a quaternion or an array, at most `max`. Gives their number.
    size_t numbers(double *out, size_t max) const;

    godot_variant release() // For Godot to own.
    {
        godot_variant out;
        api->godot_variant_new_copy(&out, &_variant);
        return out;
    }

  private:
    godot_variant _variant;
};

}
