// The headers of Lua 5.4, LuaJIT or Lua 5.1, and functions that hide the differences between them.
#pragma once
#include <cstdint>
extern "C" {
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
}

#if LUA_VERSION_NUM == 502 || LUA_VERSION_NUM == 503
#error "tern is for Lua 5.4, LuaJIT and Lua 5.1"
#endif

namespace tern::lua {

#if LUA_VERSION_NUM >= 504

inline size_t raw_length(lua_State *L, int index)
{
    return lua_rawlen(L, index);
}

inline void push_whole(lua_State *L, int64_t number)
{
    lua_pushinteger(L, number);
}

// Whether the value is an integer that a double may not hold exactly. Such integers are refused,
// and `integer` is the value for the message.
inline bool is_beyond_exact(lua_State *L, int index, int64_t &integer)
{
    constexpr int64_t most = int64_t{1} << 53;
    if (!lua_isinteger(L, index)) return false;
    integer = lua_tointeger(L, index);
    return integer < -most || integer > most;
}

// Pushes a userdata of this size, to which one value can be attached: see push_attached().
inline void *push_userdata(lua_State *L, size_t size_bytes)
{
    return lua_newuserdatauv(L, size_bytes, 1);
}

inline void push_attached(lua_State *L, int index)
{
    lua_getiuservalue(L, index, 1);
}

// Pops a table and attaches it to the userdata at `index`.
inline void attach(lua_State *L, int index)
{
    lua_setiuservalue(L, index, 1);
}

#else

inline size_t raw_length(lua_State *L, int index)
{
    return lua_objlen(L, index);
}

inline void push_whole(lua_State *L, int64_t number)
{
    lua_pushnumber(L, static_cast<lua_Number>(number));
}

inline bool is_beyond_exact(lua_State *, int, int64_t &)
{
    return false;
}

inline void *push_userdata(lua_State *L, size_t size_bytes)
{
    return lua_newuserdata(L, size_bytes);
}

inline void push_attached(lua_State *L, int index)
{
    lua_getfenv(L, index);
}

inline void attach(lua_State *L, int index)
{
    lua_setfenv(L, index);
}

#endif

}
