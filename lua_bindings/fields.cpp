// Converts a field of a game struct to Lua values, and back.
#include "lua_bindings/binding.h"
#include "tern/limits.hpp"
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace tern::lua {

static bool is_string(FieldKind kind)
{
    return kind == FieldKind::text || kind == FieldKind::bytes;
}

static bool is_single_number(const Field &field)
{
    return field.count == 1 && !is_string(field.kind) && field.kind != FieldKind::values &&
           field.kind != FieldKind::quaternion;
}

// One Lua value for each number or boolean of the field. A string and a field of kind values are
// one Lua value.
int lua_values(const Field &field)
{
    if (is_string(field.kind) || field.kind == FieldKind::values) return 1;
    return field.kind == FieldKind::quaternion ? 4 * field.count : field.count;
}

size_t number_bytes(FieldKind kind)
{
    return kind == FieldKind::quaternion ? sizeof(float) : element_bytes(kind);
}

template <class T> static T load(const std::byte *from)
{
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

template <class T> static void store(std::byte *to, T value)
{
    std::memcpy(to, &value, sizeof value);
}

// --- To Lua ---

void push_count(lua_State *L, uint64_t count)
{
    if (count <= exact_max)
        push_whole(L, static_cast<int64_t>(count));
    else
        lua_pushnumber(L, static_cast<lua_Number>(count));
}

static void push_int64(lua_State *L, int64_t value)
{
    if (value >= -static_cast<int64_t>(exact_max) && value <= static_cast<int64_t>(exact_max))
        push_whole(L, value);
    else
        lua_pushnumber(L, static_cast<lua_Number>(value));
}

static void push_element(lua_State *L, FieldKind kind, const std::byte *from)
{
    switch (kind) {
    case FieldKind::boolean: return lua_pushboolean(L, load<uint8_t>(from) != 0);
    case FieldKind::int8: return push_whole(L, load<int8_t>(from));
    case FieldKind::int16: return push_whole(L, load<int16_t>(from));
    case FieldKind::int32: return push_whole(L, load<int32_t>(from));
    case FieldKind::int64: return push_int64(L, load<int64_t>(from));
    case FieldKind::uint8: return push_whole(L, load<uint8_t>(from));
    case FieldKind::uint16:
    case FieldKind::peer: return push_whole(L, load<uint16_t>(from));
    case FieldKind::uint32: return push_whole(L, load<uint32_t>(from));
    case FieldKind::uint64:
    case FieldKind::object: return push_count(L, load<uint64_t>(from));
    default: return lua_pushnumber(L, static_cast<lua_Number>(load<float>(from)));
    }
}

int push_field(lua_State *L, const Field &field, const void *value)
{
    const std::byte *from = static_cast<const std::byte *>(value) + field.offset_bytes;
    if (is_single_number(field)) { // The most frequent field, and the fastest.
        push_element(L, field.kind, from);
        return 1;
    }
    const auto *characters = reinterpret_cast<const char *>(from);
    if (is_string(field.kind)) {
        char copy[struct_bytes_max];
        const bool is_text = field.kind == FieldKind::text;
        const size_t size_bytes = is_text ? strnlen(characters, field.count) : field.count;
        std::memcpy(copy, characters, size_bytes);
        lua_pushlstring(L, copy, size_bytes);
        return 1;
    }
    if (field.kind == FieldKind::values) {
        push_value(L, field, value);
        return 1;
    }
    const int count = lua_values(field);
    if (count > 8) luaL_checkstack(L, count, "the values of a field"); // Lua has room for 20.
    const size_t each_bytes = number_bytes(field.kind);
    for (int i = 0; i < count; ++i, from += each_bytes)
        push_element(L, field.kind, from);
    return count;
}

// --- From Lua ---

// A Lua value that becomes a part of a field.
struct Given {
    const Arguments &a;
    int index;    // The index on the stack.
    int argument; // The number of the argument, for messages.
    const Field &field;
};

[[noreturn]] static void refuse_given(const Given &g, const char *expected)
{
    refuse_as(g.a, g.argument, g.field.name, g.index, "%s", expected);
}

struct Bounds {
    int64_t min, max;
};

// The range of an integer kind, as far as Lua's numbers are exact.
static Bounds bounds(FieldKind kind)
{
    const auto most = static_cast<int64_t>(exact_max);
    switch (kind) {
    case FieldKind::int8: return {INT8_MIN, INT8_MAX};
    case FieldKind::int16: return {INT16_MIN, INT16_MAX};
    case FieldKind::int32: return {INT32_MIN, INT32_MAX};
    case FieldKind::int64: return {-most, most};
    case FieldKind::uint8: return {0, UINT8_MAX};
    case FieldKind::uint16:
    case FieldKind::peer: return {0, UINT16_MAX};
    case FieldKind::uint32: return {0, UINT32_MAX};
    case FieldKind::object: return {0, static_cast<int64_t>(object_id_max)};
    default: return {0, most};
    }
}

static bool has_range(const Field &field)
{
    return field.min != 0 || field.max != 0;
}

static int64_t taken_whole(const Given &g)
{
    const Bounds b = bounds(g.field.kind);
    int64_t value = 0;
    const bool is_whole = to_whole(g.a.L, g.index, value);
    if (is_whole && has_range(g.field)) {
        const double clamped = std::clamp(static_cast<double>(value), g.field.min, g.field.max);
        return static_cast<int64_t>(
            std::clamp(clamped, static_cast<double>(b.min), static_cast<double>(b.max)));
    }
    if (is_whole && value >= b.min && value <= b.max) return value;
    char expected[96];
    std::snprintf(expected, sizeof expected, "a whole number from %lld to %lld",
                  static_cast<long long>(b.min), static_cast<long long>(b.max));
    refuse_given(g, has_range(g.field) ? "a whole number" : expected);
}

static float taken_float(const Given &g)
{
    const bool is_number = lua_type(g.a.L, g.index) == LUA_TNUMBER;
    const double value = is_number ? lua_tonumber(g.a.L, g.index) : 0;
    if (!is_number || !std::isfinite(value)) refuse_given(g, "a finite number");
    if (has_range(g.field)) return static_cast<float>(std::clamp(value, g.field.min, g.field.max));
    if (std::fabs(value) > static_cast<double>(FLT_MAX))
        refuse_given(g, "a number that a float32 holds");
    return static_cast<float>(value);
}

static void take_element(const Given &g, std::byte *to)
{
    switch (g.field.kind) {
    case FieldKind::boolean:
        if (!lua_isboolean(g.a.L, g.index)) refuse_given(g, "true or false");
        return store(to, static_cast<uint8_t>(lua_toboolean(g.a.L, g.index)));
    case FieldKind::int8:
    case FieldKind::uint8: return store(to, static_cast<uint8_t>(taken_whole(g)));
    case FieldKind::int16:
    case FieldKind::uint16:
    case FieldKind::peer: return store(to, static_cast<uint16_t>(taken_whole(g)));
    case FieldKind::int32:
    case FieldKind::uint32: return store(to, static_cast<uint32_t>(taken_whole(g)));
    case FieldKind::int64:
    case FieldKind::uint64:
    case FieldKind::object: return store(to, static_cast<uint64_t>(taken_whole(g)));
    default: return store(to, taken_float(g));
    }
}

static void take_string(const Given &g, std::byte *to)
{
    const bool is_text = g.field.kind == FieldKind::text;
    const size_t most = is_text ? g.field.count - size_t{1} : g.field.count;
    char expected[96];
    std::snprintf(expected, sizeof expected, "a string of at most %zu bytes%s", most,
                  is_text ? ", none of them zero" : "");
    if (lua_type(g.a.L, g.index) != LUA_TSTRING) refuse_given(g, expected);
    size_t size_bytes = 0;
    const char *string = lua_tolstring(g.a.L, g.index, &size_bytes);
    if (size_bytes > most || (is_text && std::memchr(string, 0, size_bytes)))
        refuse_given(g, expected);
    std::memset(to, 0, g.field.count);
    std::memcpy(to, string, size_bytes);
}

void take_field(const Arguments &a, int index, int argument, const Field &field, void *value)
{
    std::byte *to = static_cast<std::byte *>(value) + field.offset_bytes;
    const Given given = {a, index, argument, field};
    if (is_string(field.kind)) return take_string(given, to);
    if (field.kind == FieldKind::values) {
        if (const char *wrong = take_value(a.L, index, field, value))
            refuse_as(a, argument, field.name, index,
                      "nil, a boolean, number, string or table of these (%s)", wrong);
        return;
    }
    const int count = lua_values(field);
    for (int i = 0; i < count; ++i)
        take_element({a, index + i, argument + (argument == index ? i : 0), field},
                     to + static_cast<size_t>(i) * number_bytes(field.kind));
}

void take_fields(const Arguments &a, int first, const Type &type, void *value)
{
    set_defaults(type, value);
    int index = first;
    for (const Field &field : type.fields) {
        take_field(a, index, index, field, value);
        index += lua_values(field);
    }
    if (lua_gettop(a.L) >= index)
        fail(a, "expected %d values for the fields of type %s, got %d", index - first, type.name,
             lua_gettop(a.L) - first + 1);
}

void set_defaults(const Type &type, void *value)
{
    std::memset(value, 0, type.size_bytes);
    for (const Field &field : type.fields) {
        if (field.kind != FieldKind::quaternion) continue;
        std::byte *to = static_cast<std::byte *>(value) + field.offset_bytes;
        for (size_t i = 0; i < field.count; ++i)
            store(to + i * 4 * sizeof(float) + 3 * sizeof(float), 1.0f);
    }
}

}
