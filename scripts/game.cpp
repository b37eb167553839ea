#include "scripts/game.h"
#include "scripts/files.h"
#include "scripts/sandbox.h"
#include <cstdlib>
#include <filesystem>
#include <tern/lua.hpp>
#include <tern/tern.hpp>

namespace tern::scripts {

const char *text(NoteKind kind)
{
    switch (kind) {
    case NoteKind::output: return "script_output";
    case NoteKind::error: return "script_error";
    case NoteKind::reloaded: return "script_reloaded";
    case NoteKind::reload_refused: return "script_reload_refused";
    }
    return "";
}

namespace game {

static constexpr const char *make_session_key = "tern.make_session";

// --- Making ---

static void open_module(LuaState &state)
{
    lua_State *lua = state.lua;
    open_lua(lua);
    lua_getfield(lua, -1, "make_session");
    lua_setfield(lua, LUA_REGISTRYINDEX, make_session_key);
    if (state.trust == Trust::sandboxed) sandbox::reduce_module(lua);
    sandbox::add_module(state, "tern");
}

// Pushes the chunk of a file. Returns what is wrong; empty: nothing.
static std::string load_file(LuaState &state, const std::string &name, const std::string &path)
{
    const std::string error = files::read(state, name, path);
    return error.empty() ? load(state, state.text, path) : error;
}

// Runs the script, and keeps its table.
std::string read_script(Game &game, const std::string &path)
{
    LuaState &state = *game.state;
    std::error_code problem;
    state.folder = std::filesystem::absolute(path, problem).parent_path().string();
    std::string error = load_file(state, "", path);
    if (error.empty()) error = call(state, 0, 1);
    if (!error.empty()) return error;
    lua_getfield(state.lua, LUA_REGISTRYINDEX, reload::adopt_key);
    lua_insert(state.lua, -2);
    error = call(state, 1, 1);
    if (!error.empty()) return path + ": " + error;
    game.table = luaL_ref(state.lua, LUA_REGISTRYINDEX);
    return "";
}

Game *open(Trust trust, const Limits &limits)
{
    Game *game = new Game{};
    game->state = make_state(trust, limits);
    if (!game->state) {
        delete game;
        return nullptr;
    }
    open_module(*game->state);
    reload::open(*game->state);
    return game;
}

MadeGame make(const std::string &path, Trust trust, const Limits &limits)
{
    Game *game = open(trust, limits);
    if (!game) return {nullptr, "not enough memory"};
    const std::string error = read_script(*game, path);
    if (error.empty()) return {game, ""};
    destroy(game);
    return {nullptr, error};
}

void destroy(Game *game)
{
    if (!game) return;
    destroy_state(game->state);
    delete game;
}

// --- The session ---

// Pushes a copy of the game's table with the settings in it.
static void push_options(const Game &game, const std::vector<Setting> &settings)
{
    lua_State *lua = game.state->lua;
    lua_newtable(lua);
    lua_rawgeti(lua, LUA_REGISTRYINDEX, game.table);
    lua_pushnil(lua);
    while (lua_next(lua, -2)) {
        lua_pushvalue(lua, -2);
        lua_insert(lua, -2);
        lua_rawset(lua, -5);
    }
    lua_pop(lua, 1);
    for (const Setting &setting : settings) {
        if (setting.is_number)
            lua_pushnumber(lua, std::strtod(setting.text.c_str(), nullptr));
        else
            lua_pushlstring(lua, setting.text.data(), setting.text.size());
        lua_setfield(lua, -2, setting.key);
    }
}

std::string make_session(Game &game, const std::vector<Setting> &settings)
{
    lua_State *lua = game.state->lua;
    lua_getfield(lua, LUA_REGISTRYINDEX, make_session_key);
    push_options(game, settings);
    const std::string error = call(*game.state, 1, 1);
    if (!error.empty()) return error.substr(0, error.find("\nstack traceback"));
    game.session_handle = luaL_ref(lua, LUA_REGISTRYINDEX);
    collector::begin(game.collector, *game.state);
    return "";
}

bool has_option(const Game &game, const char *key)
{
    lua_State *lua = game.state->lua;
    lua_rawgeti(lua, LUA_REGISTRYINDEX, game.table);
    lua_pushstring(lua, key);
    lua_rawget(lua, -2);
    const bool is_there = !lua_isnil(lua, -1);
    lua_pop(lua, 2);
    return is_there;
}

Session *session(const Game &game)
{
    if (game.session_handle == 0) return nullptr;
    lua_rawgeti(game.state->lua, LUA_REGISTRYINDEX, game.session_handle);
    Session *session = lua_session(game.state->lua, -1);
    lua_pop(game.state->lua, 1);
    return session;
}

// --- Calls ---

static void take_output(Game &game)
{
    if (game.state->output.empty()) return;
    game.notes.push_back({NoteKind::output, game.state->output});
    game.state->output.clear();
}

static void freeze(Game &game, const std::string &error)
{
    game.is_frozen = true;
    game.errors += 1;
    game.last_error = error;
    game.notes.push_back({NoteKind::error, error});
}

// Calls a function of the game's table with the session and, unless it is negative, `dt`. True if
// it succeeds, or if the table has no such function.
static bool call_function(Game &game, const char *name, double dt)
{
    lua_State *lua = game.state->lua;
    lua_rawgeti(lua, LUA_REGISTRYINDEX, game.table);
    lua_pushstring(lua, name);
    lua_rawget(lua, -2);
    lua_remove(lua, -2);
    if (lua_isnil(lua, -1)) {
        lua_pop(lua, 1);
        return true;
    }
    lua_rawgeti(lua, LUA_REGISTRYINDEX, game.session_handle);
    if (dt >= 0) lua_pushnumber(lua, dt);
    const std::string error = call(*game.state, dt >= 0 ? 2 : 1, 0);
    take_output(game);
    if (!error.empty()) freeze(game, error);
    return error.empty();
}

static void run(Game &game, double dt)
{
    Session *present = session(game);
    if (!present || session_state(present) != tern::State::open || game.is_frozen) return;
    if (!game.has_started) game.has_started = call_function(game, "start", -1);
    if (game.has_started && session(game)) call_function(game, "update", dt);
}

void tick(Game &game, uint64_t now_us)
{
    if (now_us >= game.look_us) {
        game.look_us = now_us + look_interval_us;
        if (files::changed(*game.state)) reload(game);
    }
    const uint64_t passed_us = game.ticked_us > 0 ? now_us - game.ticked_us : 0;
    game.ticked_us = now_us;
    run(game, static_cast<double>(passed_us) / 1e6);
    collector::tick(game.collector, *game.state);
}

void stop(Game &game)
{
    if (game.has_started && !game.is_frozen && session(game)) call_function(game, "stop", -1);
}

void check(Game &game)
{
    if (game.has_started && !game.is_frozen && session(game)) call_function(game, "check", -1);
}

// --- New code ---

// Stops watching the files of modules that were deleted. Their code stays.
static void forget_deleted(LuaState &state)
{
    std::erase_if(state.files, [](const SourceFile &file) {
        std::error_code problem;
        return !file.name.empty() && !std::filesystem::exists(file.path, problem);
    });
}

// Pushes the arguments of reload() in reload.cpp: names, chunks, main. Returns what is wrong;
// empty: nothing.
static std::string push_chunks(LuaState &state)
{
    lua_State *lua = state.lua;
    lua_newtable(lua);
    lua_newtable(lua);
    const std::vector<SourceFile> present = state.files; // Reading changes the list.
    int count = 0;
    std::string main_path;
    for (const SourceFile &file : present) {
        if (file.name.empty()) main_path = file.path;
        if (file.name.empty()) continue;
        if (std::string error = load_file(state, file.name, file.path); !error.empty())
            return error;
        count += 1;
        lua_rawseti(lua, -2, count);
        lua_pushlstring(lua, file.name.data(), file.name.size());
        lua_rawseti(lua, -3, count);
    }
    return load_file(state, "", main_path);
}

void reload(Game &game)
{
    LuaState &state = *game.state;
    lua_State *lua = state.lua;
    const int top = lua_gettop(lua);
    forget_deleted(state);
    lua_getfield(lua, LUA_REGISTRYINDEX, reload::reload_key);
    std::string error = push_chunks(state);
    if (error.empty()) {
        error = call(state, 3, 0);
        if (!error.empty()) {
            lua_getfield(lua, LUA_REGISTRYINDEX, reload::undo_key);
            error += call(state, 0, 0);
        }
    }
    lua_settop(lua, top);
    take_output(game);
    if (!error.empty()) {
        game.refused_reloads += 1;
        game.notes.push_back({NoteKind::reload_refused, error});
        return;
    }
    game.reloads += 1;
    game.is_frozen = false;
    game.notes.push_back({NoteKind::reloaded, state.files[0].path});
}

}
}
