// What a script finds around it. In both worlds: print() goes to LuaState::output, and require()
// looks below the script's folder first, for "a.b" in a/b.lua, as text; what is required is loaded
// once.
//
// Sandboxed, a script has this, and nothing else of Lua:
//   assert error getmetatable ipairs next pairs pcall print rawequal rawget rawlen rawset require
//   select setmetatable tonumber tostring type unpack xpcall _G _VERSION collectgarbage("count")
//   math, utf8, bit, coroutine, string without dump, table, os.clock, os.date, os.time
// Nothing reads or writes a file, loads code that is not a file below its folder, sees another
// function's variables, or runs where no limit can stop it:
// - find, match, gmatch and gsub are tern's own (patterns.cpp): their steps count as instructions.
// - insert, remove, move, concat, sort and rep cannot be made to run long in C.
// - xpcall calls its handler after the error, without the stack of the error; so is a coroutine
//   ended by an error. While Lua handles an error itself, it does not look at limits.
// - There are no finalizers (__gc), for the same reason.
// The state is the script's alone: what it does to its own tables, it does to itself.
#pragma once
#include "scripts/state.h"

namespace tern::scripts::sandbox {

inline constexpr const char *registry_key = "tern.scripts"; // A table: modules, rawmeta.

void open_libraries(LuaState &state);
// Leaves in the module tern, at the top of the stack, what a sandboxed script may use: nothing that
// makes sessions and sockets, reaches out of the script's session, or is the business of whoever
// runs it. What is new in the module is not there before it is named in sandbox.cpp.
void reduce_module(lua_State *lua);
// Of a module that is there already, as "tern": what require() gives. Takes it off the stack.
void add_module(LuaState &state, const char *name);
// Fills the table at the top of the stack with find, match, gmatch and gsub (patterns.cpp).
void add_patterns(lua_State *lua);

}
