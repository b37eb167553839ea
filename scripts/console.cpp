#include "scripts/console.h"
#include "scripts/sandbox.h"
#include <algorithm>
#include <cstdio>
#include <tern/diagnostics.hpp>
#include <tern/tern.hpp>
#include <tern/untyped.hpp>

namespace tern::scripts::console {

static constexpr int shown_depth_max = 3;
static constexpr int shown_entries_max = 20; // Entries of one table.
static constexpr size_t shown_text_max = 400;
static constexpr size_t objects_shown_max = 50;
static constexpr const char *locals = "local session, game, tern = ...; ";
static constexpr const char *help =
    "expression or statement   with session, game, tern and the script's globals\n"
    "?prefix                   what may stand there\n"
    ":peers                    who is there\n"
    ":objects [type]           what lives, and whose it is\n"
    ":owners                   who owns how many\n"
    ":stats                    of the session, the script and its memory\n"
    ":reload                   read the script's files again\n"
    ":gc                       collect all garbage now";

// --- Values as text. All reads are raw, so that no code of the script runs. ---

static void show(std::string &out, lua_State *lua, int index, int depth);

static void show_text(std::string &out, const char *bytes, size_t size)
{
    out += '"';
    for (size_t i = 0; i < std::min(size, shown_text_max); ++i) {
        const auto c = static_cast<unsigned char>(bytes[i]);
        char code[8];
        std::snprintf(code, sizeof code, "\\%03u", c);
        if (c == '"' || c == '\\')
            out += std::string("\\") + bytes[i];
        else if (c == '\n')
            out += "\\n";
        else
            out += c < ' ' || c == 127 ? std::string(code) : std::string(1, bytes[i]);
    }
    out += size > shown_text_max ? "\"..." : "\"";
}

static void show_number(std::string &out, lua_State *lua, int index)
{
    char number[40];
    const double value = lua_tonumber(lua, index);
    const bool is_whole = value >= -9e15 && value <= 9e15 &&
                          value == static_cast<double>(static_cast<int64_t>(value));
    std::snprintf(number, sizeof number, is_whole ? "%.0f" : "%.14g", value);
    out += number;
}

static bool is_name(const char *text, size_t size)
{
    for (size_t i = 0; i < size; ++i)
        if (!std::isalnum(static_cast<unsigned char>(text[i])) && text[i] != '_') return false;
    return size > 0 && !std::isdigit(static_cast<unsigned char>(text[0]));
}

static void show_key(std::string &out, lua_State *lua, int index, int depth)
{
    size_t size = 0;
    const bool is_text = lua_type(lua, index) == LUA_TSTRING;
    const char *text = is_text ? lua_tolstring(lua, index, &size) : nullptr;
    if (text && is_name(text, size)) {
        out.append(text, size);
        return;
    }
    out += '[';
    show(out, lua, index, depth);
    out += ']';
}

static void show_table(std::string &out, lua_State *lua, int index, int depth)
{
    if (depth >= shown_depth_max) {
        out += "{...}";
        return;
    }
    out += '{';
    int count = 0;
    double next_place = 1; // The keys 1, 2, 3, ... are not shown while they come in order.
    lua_pushnil(lua);
    while (lua_next(lua, index)) {
        if (count > 0) out += ", ";
        if (count >= shown_entries_max || out.size() > shown_bytes_max) {
            out += "...";
            lua_pop(lua, 2);
            break;
        }
        const int value = lua_gettop(lua);
        const bool in_order =
            lua_type(lua, value - 1) == LUA_TNUMBER && lua_tonumber(lua, value - 1) == next_place;
        if (in_order) {
            next_place += 1;
        } else {
            show_key(out, lua, value - 1, depth + 1);
            out += " = ";
        }
        show(out, lua, value, depth + 1);
        lua_pop(lua, 1);
        count += 1;
    }
    out += '}';
}

// `index` must be positive.
static void show(std::string &out, lua_State *lua, int index, int depth)
{
    luaL_checkstack(lua, 8, "too deep");
    size_t size = 0;
    switch (lua_type(lua, index)) {
    case LUA_TNIL: out += "nil"; return;
    case LUA_TBOOLEAN: out += lua_toboolean(lua, index) ? "true" : "false"; return;
    case LUA_TNUMBER: return show_number(out, lua, index);
    case LUA_TSTRING: {
        const char *bytes = lua_tolstring(lua, index, &size);
        return show_text(out, bytes, size);
    }
    case LUA_TTABLE: return show_table(out, lua, index, depth);
    default: out += std::string("(") + luaL_typename(lua, index) + ")";
    }
}

// --- Evaluation ---

static std::string load_line(LuaState &state, std::string_view line)
{
    if (!line.empty() && line[0] == '=') line.remove_prefix(1);
    const std::string text(line);
    if (load(state, locals + ("return " + text), "console").empty()) return "";
    return load(state, locals + text, "console");
}

static void push_locals(Game &game)
{
    lua_State *lua = game.state->lua;
    if (game.session_handle != 0)
        lua_rawgeti(lua, LUA_REGISTRYINDEX, game.session_handle);
    else
        lua_pushnil(lua);
    lua_rawgeti(lua, LUA_REGISTRYINDEX, game.table);
    lua_getfield(lua, LUA_REGISTRYINDEX, sandbox::registry_key);
    lua_getfield(lua, -1, "modules");
    lua_getfield(lua, -1, "tern");
    lua_replace(lua, -3);
    lua_pop(lua, 1);
}

static std::string evaluate(Game &game, std::string_view line)
{
    LuaState &state = *game.state;
    lua_State *lua = state.lua;
    const int top = lua_gettop(lua);
    std::string error = load_line(state, line);
    if (!error.empty()) return error;
    push_locals(game);
    error = call(state, 3, LUA_MULTRET);
    std::string out;
    out.swap(state.output); // The answer begins with what the line has printed.
    if (!error.empty()) return out + error;
    const int last = lua_gettop(lua);
    for (int i = top + 1; i <= last; ++i) {
        if (i > top + 1) out += ", ";
        show(out, lua, i, 0);
        if (out.size() > shown_bytes_max) break;
    }
    lua_settop(lua, top);
    if (!out.empty() && out.back() == '\n') out.pop_back();
    if (out.size() > shown_bytes_max) out = out.substr(0, shown_bytes_max) + "...";
    return out;
}

// --- Completion ---

static bool is_path(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == ':';
}

// Replaces the value on the stack by its field, without metamethods. nil: it has no such field.
static void step_into(lua_State *lua, const std::string &name)
{
    const int value = lua_gettop(lua);
    bool found = false;
    if (lua_istable(lua, value)) {
        lua_pushlstring(lua, name.data(), name.size());
        lua_rawget(lua, value);
        found = !lua_isnil(lua, -1);
    }
    if (!found) lua_pushnil(lua);
    lua_replace(lua, value);
    lua_settop(lua, value);
}

// Pops a table, and adds those of its keys to `names` that begin with `begin`.
static void take_names(lua_State *lua, const std::string &before, const std::string &begin,
                       std::vector<std::string> &names)
{
    const int table = lua_gettop(lua);
    if (lua_istable(lua, table)) {
        lua_pushnil(lua);
        while (lua_next(lua, table)) {
            lua_pop(lua, 1);
            if (lua_type(lua, -1) != LUA_TSTRING) continue;
            size_t size = 0;
            const char *bytes = lua_tolstring(lua, -1, &size);
            const std::string name(bytes, size);
            if (is_name(bytes, size) && name.starts_with(begin)) names.push_back(before + name);
        }
    }
    lua_settop(lua, table - 1);
}

static void push_globals(lua_State *lua)
{
#if LUA_VERSION_NUM >= 502
    lua_pushglobaltable(lua);
#else
    lua_pushvalue(lua, LUA_GLOBALSINDEX);
#endif
}

static std::string joined(std::vector<std::string> names)
{
    std::sort(names.begin(), names.end());
    std::string out;
    for (size_t i = 0; i < std::min(names.size(), candidates_max); ++i)
        out += (i > 0 ? "\n" : "") + names[i];
    return out;
}

static std::string complete_command(std::string_view text)
{
    std::vector<std::string> names;
    for (const char *name : {":gc", ":help", ":objects", ":owners", ":peers", ":reload", ":stats"})
        if (std::string_view(name).starts_with(text)) names.push_back(name);
    return joined(names);
}

static std::string complete(Game &game, std::string_view text)
{
    if (text.starts_with(':')) return complete_command(text);
    lua_State *lua = game.state->lua;
    const int top = lua_gettop(lua);
    size_t begin = text.size();
    while (begin > 0 && is_path(text[begin - 1]))
        --begin;
    const std::string path(text.substr(begin));
    const size_t last = path.find_last_of(".:");
    const std::string before = last == std::string::npos ? "" : path.substr(0, last + 1);
    const std::string rest = path.substr(before.size());
    std::vector<std::string> names;
    push_locals(game); // session, game, tern.
    if (before.empty()) {
        for (const char *name : {"session", "game", "tern"})
            if (std::string(name).starts_with(rest)) names.push_back(name);
        push_globals(lua);
    } else {
        size_t end = before.find_first_of(".:");
        const std::string first = before.substr(0, end);
        if (first == "game")
            lua_pushvalue(lua, top + 2);
        else if (first == "tern" || first == "session") // The module has the methods of session.
            lua_pushvalue(lua, top + 3);
        else {
            push_globals(lua);
            step_into(lua, first);
        }
        while (end + 1 < before.size()) {
            const size_t next = before.find_first_of(".:", end + 1);
            step_into(lua, before.substr(end + 1, next - end - 1));
            end = next;
        }
    }
    take_names(lua, before, rest, names);
    lua_settop(lua, top);
    return joined(names);
}

// --- Commands ---

static std::string number(uint64_t value)
{
    return std::to_string(value);
}

static std::string peers_text(const Session *session)
{
    std::string out;
    const auto line = [&](PeerId peer, const char *what) {
        const uint32_t rtt_us = peer_stats(session, peer).rtt_us;
        out += (out.empty() ? "" : "\n") + number(static_cast<uint64_t>(peer)) + " " +
               peer_name(session, peer) + what + (peer == host_peer(session) ? ", the host" : "") +
               (rtt_us > 0 ? ", round trip " + number(rtt_us / 1000) + " ms" : "");
    };
    line(local_peer(session), " (this one)");
    for (PeerId peer : other_peers(session))
        line(peer, "");
    return out;
}

static std::string objects_text(const Session *session, std::string_view wanted)
{
    const std::span<const Type> types = session_config(session).types;
    std::string out;
    size_t count = 0;
    for (size_t i = 0; i < types.size(); ++i) {
        if (types[i].objects_max == 0 || (!wanted.empty() && wanted != types[i].name)) continue;
        for (ObjectId object : object_ids(session, static_cast<TypeId>(i))) {
            if (count++ >= objects_shown_max) continue;
            out += std::string(types[i].name) + " " + number(static_cast<uint64_t>(object)) +
                   " of peer " + number(static_cast<uint64_t>(object_owner(session, object))) +
                   "\n";
        }
    }
    return out + number(count) + (count == 1 ? " object" : " objects");
}

static std::string owners_text(const Session *session)
{
    std::vector<std::pair<PeerId, size_t>> counts = {{local_peer(session), 0}};
    for (PeerId peer : other_peers(session))
        counts.push_back({peer, 0});
    for (size_t i = 0; i < session_config(session).types.size(); ++i)
        for (ObjectId object : object_ids(session, static_cast<TypeId>(i)))
            for (auto &[peer, count] : counts)
                count += peer == object_owner(session, object);
    std::string out;
    for (const auto &[peer, count] : counts)
        out += (out.empty() ? "" : "\n") + number(static_cast<uint64_t>(peer)) + " " +
               peer_name(session, peer) + ": " + number(count);
    return out;
}

static std::string stats_text(const Game &game, const Session *session)
{
    const SessionStats all = session_stats(session);
    const Collector &collector = game.collector;
    return std::string(state_text(session)) + "\nobjects " + number(all.objects) + ", owned " +
           number(all.owned) + ", owner changes " + number(all.migrations) + "\nLua holds " +
           number(game.state->memory_bytes / 1024) + " KiB, at most so far " +
           number(game.state->memory_bytes_peak / 1024) + " KiB\ncollector: last tick " +
           number(collector.last_us) + " us, cycles " + number(collector.cycles) +
           ", ticks that were too short " + number(collector.short_ticks) + "\nscript " +
           (game.is_frozen ? "frozen" : "runs") + ", errors " + number(game.errors) + ", reloads " +
           number(game.reloads) + ", refused " + number(game.refused_reloads) +
           (game.is_frozen ? "\n" + game.last_error : "");
}

static std::string collect(Game &game)
{
    const size_t before = game.state->memory_bytes;
    collector::begin(game.collector, *game.state);
    return number(before / 1024) + " KiB before, " + number(game.state->memory_bytes / 1024) +
           " KiB now";
}

static std::string reload_now(Game &game)
{
    game::reload(game);
    return game.notes.empty()
               ? ""
               : std::string(text(game.notes.back().kind)) + ": " + game.notes.back().text;
}

static std::string command(Game &game, const std::string &word, std::string_view rest)
{
    if (word == "help") return help;
    if (word == "reload") return reload_now(game);
    if (word == "gc") return collect(game);
    const Session *session = game::session(game);
    if (!session) return "there is no session";
    if (word == "peers") return peers_text(session);
    if (word == "objects") return objects_text(session, rest);
    if (word == "owners") return owners_text(session);
    if (word == "stats") return stats_text(game, session);
    return "unknown command :" + word + "\n" + help;
}

std::string answer(Game &game, std::string_view line)
{
    while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back())))
        line.remove_suffix(1);
    while (!line.empty() && std::isspace(static_cast<unsigned char>(line.front())))
        line.remove_prefix(1);
    if (line.empty()) return "";
    if (line[0] == '?') return complete(game, line.substr(1));
    if (line.starts_with("complete ")) return complete(game, line.substr(9));
    if (line[0] != ':') return evaluate(game, line);
    const size_t space = std::min(line.find(' '), line.size());
    const std::string_view rest = space < line.size() ? line.substr(space + 1) : "";
    return command(game, std::string(line.substr(1, space - 1)), rest);
}

}
