// The functions that make, start, join and leave sessions, and those for sessions that C++ pushes.
#include "lua_bindings/binding.h"
#include "tern/diagnostics.hpp"
#include "tern/invites.hpp"
#include "tern/limits.hpp"

namespace tern::lua {

static const char *const admission_names[] = {"always", "ask_game"};
static const char *const misbehaviour_names[] = {"remove", "ask_game"};
static const char *const quorum_names[] = {"majority", "survivors"};
static const char *const topology_names[] = {"mesh", "star"};
// The last keys are no options. A game's table (scripts/game.h) has them beside the options.
static const char *const session_keys[] = {"types",
                                           "peers_max",
                                           "admission",
                                           "misbehaviour",
                                           "quorum",
                                           "topology",
                                           "name",
                                           "send_bytes_per_second_max",
                                           "bridge_bytes_per_second_max",
                                           "forward_bytes_per_second_max",
                                           "timeout_ms",
                                           "join_timeout_ms",
                                           "go_on_after_ms",
                                           "recording_bytes_max",
                                           "start",
                                           "update",
                                           "stop",
                                           "check",
                                           "state"};

// Pushes a table that owns all memory to which the config points.
static Config read_config(const Table &t)
{
    Config config = {};
    lua_newtable(t.arguments.L);
    const int holder = lua_gettop(t.arguments.L);
    check_keys(t, words(session_keys));
    const auto bytes = [&](const char *key, uint32_t fallback, uint64_t min) {
        return static_cast<uint32_t>(whole_option(t, key, fallback, min, UINT32_MAX));
    };
    config.peers_max =
        static_cast<uint16_t>(whole_option(t, "peers_max", config.peers_max, 2, star_peers_max));
    config.admission =
        static_cast<Admission>(choice_option(t, "admission", 0, words(admission_names)));
    config.misbehaviour =
        static_cast<Misbehaviour>(choice_option(t, "misbehaviour", 0, words(misbehaviour_names)));
    config.quorum = static_cast<Quorum>(choice_option(t, "quorum", 0, words(quorum_names)));
    config.topology = static_cast<Topology>(choice_option(t, "topology", 0, words(topology_names)));
    config.name = kept_text(t, "name", holder, "");
    config.send_bytes_per_second_max =
        bytes("send_bytes_per_second_max", config.send_bytes_per_second_max, 4096);
    config.bridge_bytes_per_second_max =
        bytes("bridge_bytes_per_second_max", config.bridge_bytes_per_second_max, 4096);
    config.forward_bytes_per_second_max =
        bytes("forward_bytes_per_second_max", config.forward_bytes_per_second_max, 4096);
    config.timeout_ms =
        static_cast<uint32_t>(whole_option(t, "timeout_ms", config.timeout_ms, 100, 600'000));
    config.join_timeout_ms = static_cast<uint32_t>(
        whole_option(t, "join_timeout_ms", config.join_timeout_ms, 100, 600'000));
    config.go_on_after_ms =
        static_cast<uint32_t>(whole_option(t, "go_on_after_ms", 0, 0, 86'400'000));
    config.recording_bytes_max =
        static_cast<uint32_t>(whole_option(t, "recording_bytes_max", 0, 0, recording_bytes_limit));
    config.types = read_types(t, holder);
    const ConfigProblem problem = config_problem(config);
    if (problem.text[0] != 0) fail(t.arguments, "%s", problem.text);
    return config;
}

// Pushes an empty box with an attached table.
static SessionBox &push_box(lua_State *L)
{
    auto *box = static_cast<SessionBox *>(push_userdata(L, sizeof(SessionBox)));
    *box = {};
    box->mark = &session_mark;
    box->request_timeout_ms = 5000;
    lua_createtable(L, 4, 0);
    lua_createtable(L, static_cast<int>(used_names_max), 0); // Adding a name allocates nothing.
    lua_rawseti(L, -2, kept_names);
    attach(L, -2);
    return *box;
}

static int make_session(lua_State *L)
{
    const Arguments a = {L, "make_session"};
    const Table t = table(a, 1, "options");
    lua_settop(L, 1);
    const Config config = read_config(t);
    SessionBox &box = push_box(L);
    push_anchor(L, static_cast<int>(Handle::session));
    lua_setmetatable(L, -2);
    push_attached(L, -1);
    lua_pushvalue(L, 2);
    lua_rawseti(L, -2, kept_types);
    lua_pop(L, 1);
    box.session = tern::make_session(config);
    if (!box.session)
        fail(a, "the system does not give the %zu bytes of this session", session_bytes(config));
    return 1;
}

static int destroy_session(lua_State *L)
{
    const Arguments a = {L, "destroy_session"};
    SessionBox &box = session_box(a);
    if (box.is_pushed && box.session)
        fail(a, "argument 1 (session): it belongs to the program that runs this script");
    tern::destroy_session(box.session);
    box.session = nullptr;
    return 0;
}

int collect_session(lua_State *L)
{
    auto *box = static_cast<SessionBox *>(find_handle(L, 1, Handle::session));
    if (!box) return 0;
    box->mark = nullptr; // The memory may become another userdata.
    if (box->is_pushed) return 0;
    tern::destroy_session(box->session);
    box->session = nullptr;
    return 0;
}

// --- Entering and leaving ---

static Session *idle_session(const Arguments &a)
{
    Session *s = session(a);
    if (tern::session_state(s) != State::idle)
        fail(a, "argument 1 (session): expected one that is new, but its state is %s",
             states.names[static_cast<int>(tern::session_state(s))]);
    return s;
}

static int start(lua_State *L)
{
    tern::start(idle_session({L, "start"}));
    return 0;
}

static int join(lua_State *L)
{
    const Arguments a = {L, "join"};
    Session *s = idle_session(a);
    const ParsedInvite parsed = tern::parse_invite(text(a, 2, "invite"));
    if (parsed.error) refuse(a, 2, "invite", "an invite (%s)", parsed.error);
    size_t size_bytes = 0;
    const char *payload = nullptr;
    if (is_given(a, 3)) {
        if (lua_type(L, 3) != LUA_TSTRING) refuse(a, 3, "payload", "a string");
        payload = lua_tolstring(L, 3, &size_bytes);
        if (size_bytes > payload_bytes_max)
            refuse(a, 3, "payload", "at most %zu bytes", payload_bytes_max);
    }
    tern::join(s, parsed.invite, std::as_bytes(std::span(payload, size_bytes)));
    return 0;
}

static int leave(lua_State *L)
{
    const Arguments a = {L, "leave"};
    Session *s = session(a);
    const State now = tern::session_state(s);
    if (now != State::open && now != State::cut_off && now != State::joining)
        fail(a,
             "argument 1 (session): expected one that is open, cut off or joining, but its state "
             "is %s",
             states.names[static_cast<int>(tern::session_state(s))]);
    tern::leave(s);
    return 0;
}

static int go_on(lua_State *L)
{
    const Arguments a = {L, "go_on"};
    Session *s = session(a);
    if (tern::session_state(s) != State::cut_off)
        fail(a, "argument 1 (session): expected the state cut_off, but it is %s",
             states.names[static_cast<int>(tern::session_state(s))]);
    tern::go_on(s);
    return 0;
}

static int state(lua_State *L)
{
    push_word(L, anchor_states, tern::session_state(session({L, "state"})));
    return 1;
}

static int state_text(lua_State *L)
{
    push_text(L, tern::state_text(session({L, "state_text"})));
    return 1;
}

const luaL_Reg session_functions[] = {{"make_session", make_session},
                                      {"destroy_session", destroy_session},
                                      {"start", start},
                                      {"join", join},
                                      {"leave", leave},
                                      {"go_on", go_on},
                                      {"state", state},
                                      {"state_text", state_text},
                                      {nullptr, nullptr}};

}

// --- For C++ ---

using namespace tern;

static lua::SessionBox *find_box(lua_State *L, int index)
{
    const int place = index < 0 && index > LUA_REGISTRYINDEX ? lua_gettop(L) + index + 1 : index;
    if (lua_type(L, place) != LUA_TUSERDATA || !lua_getmetatable(L, place)) return nullptr;
    lua::push_anchors(L);
    bool same = lua_istable(L, -1);
    if (same) {
        lua_rawgeti(L, -1, static_cast<int>(lua::Handle::session));
        same = lua_rawequal(L, -1, -3) != 0;
        lua_pop(L, 1);
    }
    lua_pop(L, 2);
    return same ? static_cast<lua::SessionBox *>(lua_touserdata(L, place)) : nullptr;
}

Session *tern::lua_session(lua_State *L, int index)
{
    const lua::SessionBox *box = find_box(L, index);
    return box ? box->session : nullptr;
}

void tern::read_lua_config(lua_State *L, int index, Config *config)
{
    const int place = index < 0 && index > LUA_REGISTRYINDEX ? lua_gettop(L) + index + 1 : index;
    luaL_checkstack(L, 20, "the options of a session");
    *config = lua::read_config(lua::table({L, "make_session"}, place, "options"));
}

// Pushes the table of the sessions that C++ has pushed.
static void push_sessions(lua_State *L)
{
    lua::push_anchors(L);
    lua_rawgeti(L, -1, lua::anchor_sessions);
    lua_remove(L, -2);
}

void tern::push_lua_session(lua_State *L, Session *session)
{
    push_sessions(L);
    lua_pushlightuserdata(L, session);
    lua_rawget(L, -2);
    if (lua_isnil(L, -1)) {
        lua_pop(L, 1);
        lua::SessionBox &box = lua::push_box(L);
        box.session = session;
        box.is_pushed = true;
        lua::push_anchors(L);
        lua_rawgeti(L, -1, static_cast<int>(lua::Handle::session));
        lua_setmetatable(L, -3);
        lua_pop(L, 1);
        lua_pushlightuserdata(L, session);
        lua_pushvalue(L, -2);
        lua_rawset(L, -4);
    }
    lua_remove(L, -2);
}

// Must allocate nothing, because the script may have used up its memory.
void tern::forget_lua_session(lua_State *L, Session *session)
{
    const int top = lua_gettop(L);
    lua::push_anchors(L);
    if (lua_istable(L, -1)) { // Else the module was never opened.
        lua_rawgeti(L, -1, lua::anchor_sessions);
        lua_pushlightuserdata(L, session);
        lua_rawget(L, -2);
        if (lua::SessionBox *box = find_box(L, -1)) {
            box->session = nullptr;
            lua_pushlightuserdata(L, session);
            lua_pushnil(L);
            lua_rawset(L, -4);
        }
    }
    lua_settop(L, top);
}
