// The only exported symbol of the loadable module, which `require "tern"` calls.
#include "lua_bindings/lua_headers.h"
#include <tern/lua.hpp>

extern "C" int luaopen_tern(lua_State *L)
{
    tern::open_lua(L);
    return 1;
}
