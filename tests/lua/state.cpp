#include "tests/lua/state.h"
#include <tern/lua.hpp>

namespace lua_test {

static int traceback(lua_State *L)
{
    luaL_traceback(L, L, lua_tostring(L, 1), 1);
    return 1;
}

std::string call(lua_State *L, int result_count)
{
    const int function = lua_gettop(L);
    lua_pushcfunction(L, traceback);
    lua_insert(L, function);
    if (lua_pcall(L, 0, result_count, function) == 0) {
        lua_remove(L, function);
        return "";
    }
    const char *text = lua_tostring(L, -1);
    const std::string error = text ? text : "an error without text";
    lua_settop(L, function - 1);
    return error;
}

std::string run(lua_State *L, const std::string &chunk)
{
    if (luaL_loadstring(L, chunk.c_str()) != 0) {
        const std::string error = lua_tostring(L, -1);
        lua_pop(L, 1);
        return error;
    }
    return call(L, 0);
}

std::string run_file(lua_State *L, const std::string &name)
{
    const std::string path = std::string(TERN_SOURCE_DIR "/tests/lua/") + name;
    if (luaL_loadfile(L, path.c_str()) != 0) {
        const std::string error = lua_tostring(L, -1);
        lua_pop(L, 1);
        return error;
    }
    return call(L, 1);
}

lua_State *make_state()
{
    lua_State *L = luaL_newstate();
    luaL_openlibs(L);
    tern::open_lua(L);
    lua_pop(L, 1);
    run(L, "package.path = '" TERN_SOURCE_DIR "/tests/lua/?.lua'");
    return L;
}

}
