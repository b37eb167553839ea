// Lua's headers, of Lua 5.4, LuaJIT or Lua 5.1, and the little that differs among them.
#pragma once
#include <cstdint>
extern "C" {
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
}

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

// Zero bytes, and one value that belongs to them: see push_attached().
inline void *push_userdata(lua_State *L, size_t size_bytes)
{
    return lua_newuserdatauv(L, size_bytes, 1);
}

inline void push_attached(lua_State *L, int index)
{
    lua_getiuservalue(L, index, 1);
}

// Pops a table.
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
