// tern for Lua 5.4 and LuaJIT, for C++ programs that embed one of them. A script in a standalone
// Lua loads tern with `require "tern"` instead. Guide: docs/use/lua.md; reference:
// lua_bindings/meta/tern.lua.
#pragma once
#include "tern/tern.hpp"

struct lua_State;

namespace tern {

// Opens the module: pushes its table and stores it in package.loaded, if there is one, so that
// `require "tern"` returns it. Further calls push the same table. This function and those below
// need 8 free places on the Lua stack.
TERN_API void open_lua(lua_State *L);

// The session of a userdata that the script or push_lua_session() has made. Null for any other
// value and for a destroyed session. The script still owns, and may destroy, a session that it
// made.
TERN_API Session *lua_session(lua_State *L, int index);

// After open_lua(): pushes a session that C++ owns. The script can use it, but cannot destroy it or
// call receive(), send() and take_recording() with it; as events the script gets the last result of
// receive(). Pushes the same userdata each time.
TERN_API void push_lua_session(lua_State *L, Session *session);

// Call it before C++ destroys a session that it has pushed. From then on the script gets the error
// of a destroyed session. Nothing happens for a session that was not pushed.
TERN_API void forget_lua_session(lua_State *L, Session *session);

// Reads the options of make_session() from the table at `index` into `config`. The table may also
// contain the functions and the state of a game. Pushes one value that owns all memory that the
// config points to: keep it (luaL_ref()) as long as the config or its session lives. Raises a Lua
// error that describes the first wrong option.
TERN_API void read_lua_config(lua_State *L, int index, Config *config);

}
