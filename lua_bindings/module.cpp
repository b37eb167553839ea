// Makes the module's table, and the data that it keeps in a Lua state.
#include "lua_bindings/binding.h"
#include "tern/tern.h"
#include <array>
#include <initializer_list>

namespace tern::lua {

static const auto event_kind_names = [] {
    std::array<const char *, TERN_EVENT_CALL_FAILED + 1> names;
    for (size_t i = 0; i < names.size(); ++i)
        names[i] = tern_event_kind_text(static_cast<tern_event_kind>(i));
    return names;
}();
static const auto state_names = [] {
    std::array<const char *, TERN_STATE_OVERFLOW + 1> names;
    for (size_t i = 0; i < names.size(); ++i)
        names[i] = tern_state_name(static_cast<tern_state>(i));
    return names;
}();
static const char *const claim_refusal_names[] = {
    "none", "dead", "unknown", "policy", "by_game", "overtaken", "locked", "cooldown", "quota"};
static const char *const call_failure_names[] = {"none",        "dead", "unknown",
                                                 "not_allowed", "lost", "no_reply"};
static const char *const breach_names[] = {"none", "malformed", "forged", "over_quota",
                                           "equivocated"};

const Words event_kinds = {event_kind_names.data(), static_cast<int>(event_kind_names.size())};
const Words states = {state_names.data(), static_cast<int>(state_names.size())};
const Words claim_refusals = words(claim_refusal_names);
const Words call_failures = words(call_failure_names);
const Words breaches = words(breach_names);

static const char registry_anchors = 0, registry_module = 0; // Their addresses are the keys.

static void push_registered(lua_State *L, const char &key)
{
    lua_pushlightuserdata(L, const_cast<char *>(&key));
    lua_rawget(L, LUA_REGISTRYINDEX);
}

// Pops the value and registers it.
static void register_as(lua_State *L, const char &key)
{
    lua_pushlightuserdata(L, const_cast<char *>(&key));
    lua_insert(L, -2);
    lua_rawset(L, LUA_REGISTRYINDEX);
}

void push_anchors(lua_State *L)
{
    push_registered(L, registry_anchors);
}

void push_anchor(lua_State *L, int anchor)
{
    lua_rawgeti(L, lua_upvalueindex(1), anchor);
}

// This function and the next ones expect the table of anchors on the top of the stack.
static void anchor_words(lua_State *L, int first, const Words &words)
{
    for (int i = 0; i < words.count; ++i) {
        lua_pushstring(L, words.names[i]);
        lua_rawseti(L, -2, first + i);
    }
}

static void anchor_metatable(lua_State *L, Handle handle, lua_CFunction collect, int methods)
{
    lua_createtable(L, 0, 3);
    lua_pushvalue(L, -2);
    lua_pushcclosure(L, collect, 1);
    lua_setfield(L, -2, "__gc");
    lua_pushvalue(L, methods);
    lua_setfield(L, -2, "__index");
    lua_pushliteral(L, "tern"); // Hides the metatable from scripts.
    lua_setfield(L, -2, "__metatable");
    lua_rawseti(L, -2, static_cast<int>(handle));
}

static void anchor_function(lua_State *L, int anchor, lua_CFunction function)
{
    lua_pushvalue(L, -1);
    lua_pushcclosure(L, function, 1);
    lua_rawseti(L, -2, anchor);
}

static void anchor_sessions_table(lua_State *L)
{
    lua_newtable(L);
    lua_rawseti(L, -2, anchor_sessions);
}

static void add_functions(lua_State *L, int module, const luaL_Reg *functions)
{
    for (const luaL_Reg *f = functions; f->name; ++f) {
        lua_pushvalue(L, -1);
        lua_pushcclosure(L, f->func, 1);
        lua_setfield(L, module, f->name);
    }
}

static void make_module(lua_State *L)
{
    lua_newtable(L);
    const int module = lua_gettop(L);
    lua_newtable(L);
    anchor_words(L, anchor_event_kinds, event_kinds);
    anchor_words(L, anchor_states, states);
    anchor_words(L, anchor_claim_refusals, claim_refusals);
    anchor_words(L, anchor_call_failures, call_failures);
    anchor_words(L, anchor_breaches, breaches);
    anchor_metatable(L, Handle::session, collect_session, module);
    anchor_metatable(L, Handle::socket, collect_socket, module);
    anchor_metatable(L, Handle::network, collect_network, module);
    anchor_metatable(L, Handle::announcer, collect_announcer, module);
    anchor_metatable(L, Handle::finder, collect_finder, module);
    anchor_sessions_table(L);
    anchor_function(L, anchor_objects_next, objects_next);
    anchor_function(L, anchor_peers_next, peers_next);
    anchor_function(L, anchor_events_next, events_next);
    for (const luaL_Reg *functions :
         {session_functions, tick_functions, peer_functions, event_functions, object_functions,
          call_functions, socket_functions, network_functions, discovery_functions})
        add_functions(L, module, functions);
    register_as(L, registry_anchors);
}

static void put_into_loaded(lua_State *L)
{
    lua_getfield(L, LUA_REGISTRYINDEX, "_LOADED");
    if (lua_istable(L, -1)) {
        lua_pushvalue(L, -2);
        lua_setfield(L, -2, "tern");
    }
    lua_pop(L, 1);
}

}

void tern::open_lua(lua_State *L)
{
    lua::push_registered(L, lua::registry_module);
    if (!lua_istable(L, -1)) {
        lua_pop(L, 1);
        lua::make_module(L);
        lua_pushvalue(L, -1);
        lua::register_as(L, lua::registry_module);
    }
    lua::put_into_loaded(L);
}
