// tern for Lua 5.4 and LuaJIT, in a program that embeds one of them. Scripts that run in a Lua of
// their own load it by `require "tern"`. docs/use/lua.md; lua_bindings/meta/tern.lua lists it all.
#pragma once
#include "tern/tern.h"

struct lua_State;

namespace tern {

// Opens the module: leaves its table on the stack, and in package.loaded where there is one, so
// that `require "tern"` gives it. Called again, it leaves the same table. Needs 8 free places on
// the stack, as the functions below.
void open_lua(lua_State *L);

// The session of a userdata that the script has made, or that push_lua_session() has. Null for any
// other value, and for a session that has been destroyed. The script keeps owning its own.
Session *lua_session(lua_State *L, int index);

// After open_lua(). Pushes a session that C++ owns: the script can use it, and neither destroy it
// nor call receive(), send() and recorded() with it; what receive() gave last is what it sees as
// events. The same userdata each time.
void push_lua_session(lua_State *L, Session *session);

// Before C++ destroys a session that it has pushed: to the script, it is then a destroyed one.
// Nothing for a session that was not pushed.
void forget_lua_session(lua_State *L, Session *session);

// Reads the options of make_session() from the table at `index`; the functions and the state of a
// game's table may be in it. Pushes one value that holds all that the config then points to: keep
// it (luaL_ref()) as long as the config or its session lives. Raises a Lua error that says what is
// wrong.
void read_lua_config(lua_State *L, int index, Config *config);

}
