// Lua states with the module, for tests.
#pragma once
#include "lua_bindings/lua_headers.h"
#include <string>

namespace lua_test {

// Makes a state with Lua's libraries and tern, in which `require` finds the test scripts. It uses
// Lua's default allocator, because LuaJIT accepts no other everywhere.
lua_State *make_state();

// Runs a file of tests/lua/ and leaves one result on the stack. Returns "" or the error, with a
// traceback.
std::string run_file(lua_State *L, const std::string &name);
std::string run(lua_State *L, const std::string &chunk); // Leaves no results.
// Calls the function on the top of the stack without arguments.
std::string call(lua_State *L, int result_count);

}
