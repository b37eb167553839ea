// The environment of a script. For trusted and sandboxed scripts, print() writes to
// LuaState::output, and require("a.b") first looks for the file a/b.lua below the script's folder.
// Each module is loaded once.
//
// A sandboxed script has the following, and nothing else of Lua:
//   assert error getmetatable ipairs next pairs pcall print rawequal rawget rawlen rawset require
//   select setmetatable tonumber tostring type unpack xpcall _G _VERSION collectgarbage("count")
//   math, utf8, bit, coroutine, string without dump, table, os.clock, os.date, os.time
// With these it cannot read or write files, load code from outside its folder, read the variables
// of other functions, or run code that no limit can stop:
// - find, match, gmatch and gsub are tern's own (patterns.cpp): their steps count as instructions.
// - insert, remove, move, concat, sort and rep are replaced by versions that do not run long in C.
// - xpcall calls its handler after the error, without the stack of the error, because Lua checks no
//   limits while it handles an error. For the same reason the function of a coroutine runs in a
//   pcall, and there are no finalizers (__gc).
// Each script has a Lua state of its own, so what it does to shared tables harms only itself.
#pragma once
#include "scripts/state.h"

namespace tern::scripts::sandbox {

// The key of a table in Lua's registry, with `modules`, `rawmeta` and the natives of sandbox.cpp.
inline constexpr const char *registry_key = "tern.scripts";

void open_libraries(LuaState &state);
// Removes from the module tern, at the top of the stack, all functions that a sandboxed script may
// not use: those that make sessions and sockets, act outside the script's session, or are left to
// the program that runs the script. A new function is removed until sandbox.cpp names it.
void reduce_module(lua_State *lua);
// Pops a module. require(name) returns it from now on.
void add_module(LuaState &state, const char *name);
// Fills the table at the top of the stack with find, match, gmatch and gsub (patterns.cpp).
void add_patterns(lua_State *lua);

}
