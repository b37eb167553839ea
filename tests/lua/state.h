// A Lua with the module in it, for tests.
#pragma once
#include "lua_bindings/lua_headers.h"
#include <string>

namespace lua_test {

// A new state with Lua's libraries and tern, in which `require` finds the test scripts. Not by an
// allocator of its own: LuaJIT has its own.
lua_State *make_state();

// Runs the file of tests/lua/; leaves one result. "" or what went wrong, with a traceback.
std::string run_file(lua_State *L, const std::string &name);
std::string run(lua_State *L, const std::string &chunk); // No results.
// Calls the function on the top of the stack without arguments.
std::string call(lua_State *L, int result_count);

}
