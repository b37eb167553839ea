// Fields of kind values: a copy of a Lua value, which may consist of data only. Functions and
// metatables are refused.
#include "lua_bindings/binding.h"
#include <cstring>
#include <tern/limits.hpp>
#include <tern/values.hpp>

namespace tern::lua {

// Places on Lua's stack. Each table that is being read takes three: the table, a key and a value.
static constexpr int stack_places = 3 * static_cast<int>(values_depth_max) + 8;

// --- To Lua ---

static void push(lua_State *L, ValueReader &r, const Value &value);

static void push_table(lua_State *L, ValueReader &r, uint16_t array_count)
{
    lua_createtable(L, array_count, 0);
    for (int i = 1; i <= array_count; ++i) {
        push(L, r, value::next(r));
        lua_rawseti(L, -2, i);
    }
    for (Value key = value::next(r); key.kind != ValueKind::end; key = value::next(r)) {
        push(L, r, key);
        push(L, r, value::next(r));
        lua_rawset(L, -3);
    }
}

static void push(lua_State *L, ValueReader &r, const Value &value)
{
    switch (value.kind) {
    case ValueKind::boolean: return lua_pushboolean(L, value.boolean);
    case ValueKind::number:
        if (value.is_integer) return push_whole(L, static_cast<int64_t>(value.number));
        return lua_pushnumber(L, value.number);
    case ValueKind::string: lua_pushlstring(L, value.string.data(), value.string.size()); return;
    case ValueKind::table: return push_table(L, r, value.array_count);
    default: return lua_pushnil(L);
    }
}

void push_value(lua_State *L, const Field &field, const void *value)
{
    luaL_checkstack(L, stack_places, "a table of a field");
    uint8_t copy[struct_bytes_max];
    std::memcpy(copy, static_cast<const std::byte *>(value) + field.offset_bytes, field.count);
    ValueReader r = value::reader({copy, field.count});
    push(L, r, value::next(r));
}

// --- From Lua ---

struct Taking {
    ValueWriter writer;
    bool foreign; // The value has a function or another kind that is no data.
};

static void put(lua_State *L, int index, Taking &t);

static bool is_wrong(const Taking &t)
{
    return t.foreign || value::error(t.writer) != ValueError::none;
}

static void put_table(lua_State *L, int index, Taking &t)
{
    const size_t length = raw_length(L, index);
    value::begin_table(t.writer, length);
    for (size_t i = 1; i <= length && !is_wrong(t); ++i) {
        lua_rawgeti(L, index, static_cast<int>(i));
        put(L, lua_gettop(L), t);
        lua_pop(L, 1);
    }
    lua_pushnil(L);
    while (lua_next(L, index)) {
        const int pair = lua_gettop(L) - 1;
        int64_t place = 0;
        const bool in_list =
            to_whole(L, pair, place) && place >= 1 && static_cast<uint64_t>(place) <= length;
        if (!in_list) put(L, pair, t);
        if (!in_list) put(L, pair + 1, t);
        lua_settop(L, pair);
        if (!is_wrong(t)) continue;
        lua_pop(L, 1);
        return;
    }
    value::end_table(t.writer);
}

static void put(lua_State *L, int index, Taking &t)
{
    if (is_wrong(t)) return;
    int64_t integer = 0;
    size_t size_bytes = 0;
    switch (lua_type(L, index)) {
    case LUA_TNIL: return value::put_nil(t.writer);
    case LUA_TBOOLEAN: return value::put_boolean(t.writer, lua_toboolean(L, index) != 0);
    case LUA_TNUMBER:
        if (is_beyond_exact(L, index, integer)) return value::put_integer(t.writer, integer);
        return value::put_number(t.writer, lua_tonumber(L, index));
    case LUA_TSTRING: {
        const char *string = lua_tolstring(L, index, &size_bytes);
        return value::put_string(t.writer, {string, size_bytes});
    }
    case LUA_TTABLE: return put_table(L, index, t);
    default: t.foreign = true; return;
    }
}

const char *take_value(lua_State *L, int index, const Field &field, void *value)
{
    luaL_checkstack(L, stack_places, "a table of a field");
    Taking t = {value::writer({static_cast<uint8_t *>(value) + field.offset_bytes, field.count}),
                false};
    put(L, index, t);
    const ValueError error = value::finish(t.writer);
    if (t.foreign) return "there is a function or the like, or nothing";
    return error == ValueError::none ? nullptr : value::to_text(error);
}

}
