// The headers of Lua 5.4 or LuaJIT.
#pragma once
extern "C" {
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#if LUA_VERSION_NUM < 502
#include <luajit.h>
#endif
}
