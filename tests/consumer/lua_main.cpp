// A program with a Lua of its own, that opens the module in it.
#include <cstdio>
extern "C" {
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
}
#include <tern/lua.hpp>

int main()
{
    lua_State *L = luaL_newstate();
    luaL_openlibs(L);
    tern::open_lua(L);
    lua_setglobal(L, "tern");
    const bool wrong = luaL_loadstring(L, "local session = tern.make_session {}\n"
                                          "session:start()\n"
                                          "assert(require 'tern' == tern)\n"
                                          "assert(session:state() == 'open')") != 0 ||
                       lua_pcall(L, 0, 0, 0) != 0;
    if (wrong) std::fprintf(stderr, "%s\n", lua_tostring(L, -1));
    lua_close(L);
    return wrong ? 1 : 0;
}
