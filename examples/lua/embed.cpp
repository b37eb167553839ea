// A program whose session a script may use: the program ticks it, the script plays.
#include <cstdio>
#include <lua.hpp>
#include <tern/lua.hpp>
#include <tern/tern.hpp>

struct Lamp {
    bool lit;
};
TERN_FIELDS(Lamp, lit);
const tern::Type types[] = {tern::make_type<Lamp>("lamp", {.objects_max = 100})};

int main()
{
    lua_State *lua = luaL_newstate();
    luaL_openlibs(lua);
    tern::open_lua(lua); // require "tern" gives it.
    lua_pop(lua, 1);
    tern::Session *session = tern::make_session({.types = types});
    tern::start(session);
    tern::push_lua_session(lua, session);
    lua_setglobal(lua, "session");
    if (luaL_dostring(lua, "lamp = session:create('lamp', {lit = true})") != 0)
        std::puts(lua_tostring(lua, -1));
    const tern::Object<Lamp> lamp = tern::object_ids<Lamp>(session)[0];
    std::puts(tern::get(session, lamp).lit ? "It is lit." : "It is dark.");
    tern::forget_lua_session(lua, session); // The script can no longer use the session.
    tern::destroy_session(session);
    lua_close(lua);
}
