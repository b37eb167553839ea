// Checks the arguments of the module's functions, all before a function has any effect.
#include "lua_bindings/binding.h"
#include "tern/diagnostics.hpp"
#include "tern/untyped.hpp"
#include <cfloat>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>

namespace tern::lua {

struct Got {
    char text[64];
};

static Got quoted(const char *string, size_t size_bytes)
{
    Got got;
    const size_t shown = size_bytes > 40 ? 40 : size_bytes;
    size_t count = 0;
    got.text[count++] = '"';
    for (size_t i = 0; i < shown; ++i) {
        const auto c = static_cast<unsigned char>(string[i]);
        got.text[count++] = c < ' ' || c == 127 ? '?' : string[i];
    }
    std::snprintf(got.text + count, sizeof got.text - count, shown < size_bytes ? "...\"" : "\"");
    return got;
}

// The value as text for a message.
static Got got(lua_State *L, int index)
{
    Got got = {};
    size_t size_bytes = 0;
    switch (lua_type(L, index)) {
    case LUA_TNONE: return {"nothing"};
    case LUA_TNIL: return {"nil"};
    case LUA_TBOOLEAN: return lua_toboolean(L, index) ? Got{"true"} : Got{"false"};
    case LUA_TNUMBER:
        if (std::isnan(lua_tonumber(L, index))) return {"nan"}; // printf may write "-nan".
        std::snprintf(got.text, sizeof got.text, "%.14g", lua_tonumber(L, index));
        return got;
    case LUA_TSTRING: {
        const char *string = lua_tolstring(L, index, &size_bytes);
        return quoted(string, size_bytes);
    }
    default: std::snprintf(got.text, sizeof got.text, "a %s", luaL_typename(L, index)); return got;
    }
}

struct Expected {
    char text[448];
};

static Expected expected(const char *format, std::va_list list)
{
    Expected expected;
    std::vsnprintf(expected.text, sizeof expected.text, format, list);
    return expected;
}

void refuse(const Arguments &a, int index, const char *name, const char *format, ...)
{
    std::va_list list;
    va_start(list, format);
    const Expected wanted = expected(format, list);
    va_end(list);
    refuse_as(a, index, name, index, "%s", wanted.text);
}

void refuse_as(const Arguments &a, int argument, const char *name, int index, const char *format,
               ...)
{
    std::va_list list;
    va_start(list, format);
    const Expected wanted = expected(format, list);
    va_end(list);
    luaL_error(a.L, "tern.%s: argument %d (%s): expected %s, got %s", a.function, argument, name,
               wanted.text, got(a.L, index).text);
    std::abort(); // luaL_error() does not return.
}

void fail(const Arguments &a, const char *format, ...)
{
    char text[512];
    std::va_list list;
    va_start(list, format);
    std::vsnprintf(text, sizeof text, format, list);
    va_end(list);
    luaL_error(a.L, "tern.%s: %s", a.function, text);
    std::abort();
}

// --- Plain values ---

bool is_given(const Arguments &a, int index)
{
    return !lua_isnoneornil(a.L, index);
}

bool to_whole(lua_State *L, int index, int64_t &value)
{
    if (lua_type(L, index) != LUA_TNUMBER) return false;
#if LUA_VERSION_NUM >= 503
    if (lua_isinteger(L, index)) {
        value = lua_tointeger(L, index);
        return value >= -static_cast<int64_t>(exact_max) &&
               value <= static_cast<int64_t>(exact_max);
    }
#endif
    const double number = lua_tonumber(L, index);
    if (!(std::fabs(number) <= static_cast<double>(exact_max))) return false;
    value = static_cast<int64_t>(number);
    return static_cast<double>(value) == number;
}

uint64_t whole(const Arguments &a, int index, const char *name, uint64_t min, uint64_t max)
{
    int64_t value = 0;
    if (!to_whole(a.L, index, value) || value < 0 || static_cast<uint64_t>(value) < min ||
        static_cast<uint64_t>(value) > max)
        refuse(a, index, name, "a whole number from %llu to %llu",
               static_cast<unsigned long long>(min), static_cast<unsigned long long>(max));
    return static_cast<uint64_t>(value);
}

bool boolean(const Arguments &a, int index, const char *name)
{
    if (!lua_isboolean(a.L, index)) refuse(a, index, name, "true or false");
    return lua_toboolean(a.L, index) != 0;
}

// Null: the value is not a string, or has a zero byte.
static const char *to_text(lua_State *L, int index)
{
    if (lua_type(L, index) != LUA_TSTRING) return nullptr;
    size_t size_bytes = 0;
    const char *text = lua_tolstring(L, index, &size_bytes);
    return std::strlen(text) == size_bytes ? text : nullptr;
}

const char *text(const Arguments &a, int index, const char *name)
{
    const char *text = to_text(a.L, index);
    if (!text) refuse(a, index, name, "a string without zero bytes");
    return text;
}

struct WordList {
    char text[400];
};

static WordList listed(const Words &words)
{
    WordList list = {};
    size_t used = 0;
    for (int i = 0; i < words.count && used < sizeof list.text; ++i) {
        const char *before = i == 0 ? "" : i + 1 == words.count ? " or " : ", ";
        used += static_cast<size_t>(std::snprintf(list.text + used, sizeof list.text - used,
                                                  "%s\"%s\"", before, words.names[i]));
    }
    return list;
}

static int find_word(lua_State *L, int index, const Words &words)
{
    const char *text = to_text(L, index);
    for (int i = 0; text && i < words.count; ++i)
        if (std::strcmp(words.names[i], text) == 0) return i;
    return -1;
}

int choice(const Arguments &a, int index, const char *name, const Words &words)
{
    const int found = find_word(a.L, index, words);
    if (found < 0) refuse(a, index, name, "%s", listed(words).text);
    return found;
}

uint64_t time_us(const Arguments &a, int index, uint64_t &last_us)
{
    const uint64_t now_us =
        is_given(a, index) ? whole(a, index, "now_us", 0, exact_max) : clock_us();
    if (now_us < last_us)
        refuse(a, index, "now_us", "a time not before the last one, %llu us",
               static_cast<unsigned long long>(last_us));
    last_us = now_us;
    return now_us;
}

Address address(const Arguments &a, int index, const char *name)
{
    const char *text = to_text(a.L, index);
    const ParsedAddress parsed = text ? parse_address(text) : ParsedAddress{{}, "no text"};
    if (parsed.error) refuse(a, index, name, "an address as \"1.2.3.4:7777\" or \"[::1]:7777\"");
    return parsed.address;
}

// --- Handles ---

struct HandleName {
    const char *argument, *expected;
};
static constexpr HandleName handle_names[] = {{"session", "a session"},
                                              {"socket", "a socket"},
                                              {"network", "a simulated network"},
                                              {"announcer", "an announcer"},
                                              {"finder", "a finder"}};
static_assert(std::size(handle_names) == handles_max);

void *find_handle(lua_State *L, int index, Handle kind)
{
    if (lua_type(L, index) != LUA_TUSERDATA || !lua_getmetatable(L, index)) return nullptr;
    push_anchor(L, static_cast<int>(kind));
    const bool same = lua_rawequal(L, -1, -2) != 0;
    lua_pop(L, 2);
    return same ? lua_touserdata(L, index) : nullptr;
}

void *handle(const Arguments &a, int index, Handle kind)
{
    void *found = find_handle(a.L, index, kind);
    const HandleName &name = handle_names[static_cast<int>(kind) - 1];
    if (!found)
        refuse(a, index, name.argument, "%s%s", name.expected,
               index == 1 ? ", as in tern.f(x) or x:f()" : "");
    return found;
}

// Comparing metatables takes six calls of Lua's functions; this takes two, and each function that a
// game calls for each object begins here. Only push_box() writes the mark, into a userdata of this
// size, and collect_session() removes it, so that no later userdata at the address can have it.
SessionBox &session_box(const Arguments &a)
{
    if (raw_length(a.L, 1) == sizeof(SessionBox)) {
        auto *box = static_cast<SessionBox *>(lua_touserdata(a.L, 1)); // Null for a long string.
        if (box && box->mark == &session_mark) return *box;
    }
    return *static_cast<SessionBox *>(handle(a, 1, Handle::session));
}

SessionBox &live_box(const Arguments &a)
{
    SessionBox &box = session_box(a);
    if (!box.session) fail(a, "argument 1 (session): it has been destroyed");
    return box;
}

Session *session(const Arguments &a)
{
    return live_box(a).session;
}

Session *open_session(const Arguments &a)
{
    Session *s = session(a);
    if (session_state(s) != State::open && session_state(s) != State::cut_off)
        fail(a, "argument 1 (session): expected one that is open, but its state is %s",
             states.names[static_cast<int>(session_state(s))]);
    return s;
}

Session *host_session(const Arguments &a)
{
    Session *s = open_session(a);
    if (host_peer(s) != local_peer(s))
        fail(a, "argument 1 (session): expected the host's, but the host is peer %u",
             static_cast<unsigned>(host_peer(s)));
    return s;
}

Socket *socket(const Arguments &a, int index)
{
    const auto &box = *static_cast<SocketBox *>(handle(a, index, Handle::socket));
    if (!box.socket)
        fail(a, "argument %d (socket): it has been destroyed, or is inside of another", index);
    return box.socket;
}

// --- Names and numbers of a session ---

TypeId type_id(const Arguments &a, int index, const Session *session)
{
    const std::span<const Type> types = session_config(session).types;
    int64_t number = 0;
    if (to_whole(a.L, index, number) && number >= 0 && static_cast<size_t>(number) < types.size())
        return static_cast<TypeId>(number);
    const char *name = to_text(a.L, index);
    for (size_t i = 0; name && i < types.size(); ++i)
        if (std::strcmp(types[i].name, name) == 0) return static_cast<TypeId>(i);
    if (types.empty()) refuse(a, index, "type", "a type (the session has none)");
    refuse(a, index, "type", "a type (0 to %zu, or its name)", types.size() - 1);
}

uint16_t field_index(const Arguments &a, int index, int argument, const Type &type)
{
    int64_t number = 0;
    if (to_whole(a.L, index, number) && number >= 1 &&
        static_cast<size_t>(number) <= type.fields.size())
        return static_cast<uint16_t>(number - 1);
    const char *name = to_text(a.L, index);
    for (size_t i = 0; name && i < type.fields.size(); ++i)
        if (std::strcmp(type.fields[i].name, name) == 0) return static_cast<uint16_t>(i);
    if (type.fields.empty())
        refuse_as(a, argument, "field", index, "a field of type %.64s (it has none)", type.name);
    refuse_as(a, argument, "field", index, "a field of type %.64s (1 to %zu, or its name)",
              type.name, type.fields.size());
}

// Allocates nothing: the table of names has a place for each.
static void keep_name(lua_State *L, int index, SessionBox &box, const UsedName &name, size_t place)
{
    push_attached(L, 1);
    lua_rawgeti(L, -1, kept_names);
    lua_pushvalue(L, index);
    lua_rawseti(L, -2, static_cast<int>(place + 1));
    lua_pop(L, 2);
    box.names[place] = name;
}

const Field &field(const Arguments &a, int index, SessionBox &box, TypeId type)
{
    const void *string = lua_topointer(a.L, index); // Null for a number.
    const uint64_t mixed = (reinterpret_cast<uintptr_t>(string) + type) * 0x9e3779b97f4a7c15;
    const size_t place = mixed >> 58;
    static_assert(used_names_max == 1 << (64 - 58));
    const UsedName &used = box.names[place];
    if (string && used.string == string && used.type == type) return *used.field;
    const Type &described = session_config(box.session).types[type];
    const Field &found = described.fields[field_index(a, index, index, described)];
    if (string) keep_name(a.L, index, box, {string, &found, type}, place);
    return found;
}

ObjectId any_object(const Arguments &a, int index)
{
    int64_t number = 0;
    if (!to_whole(a.L, index, number) || number < 1 ||
        static_cast<uint64_t>(number) > object_id_max)
        refuse(a, index, "object", "an object (a number, as create() and events give it)");
    return static_cast<ObjectId>(number);
}

ObjectId object(const Arguments &a, int index, const Session *session)
{
    const ObjectId id = any_object(a, index);
    if (!can_read(session, id)) refuse(a, index, "object", "an object that exists");
    return id;
}

FoundValue object_value(const Arguments &a, int index, const Session *session)
{
    const FoundValue found = find_value(session, any_object(a, index));
    if (!found.value) refuse(a, index, "object", "an object that exists");
    return found;
}

PeerId peer(const Arguments &a, int index, const char *name)
{
    int64_t number = 0;
    if (!to_whole(a.L, index, number) || number < 1 || number >= static_cast<int64_t>(PeerId::host))
        refuse(a, index, name, "a peer (a number from 1 to %u)",
               static_cast<unsigned>(PeerId::host) - 1);
    return static_cast<PeerId>(number);
}

// --- Tables of counts ---

void fill(lua_State *L, const char *key, uint64_t count)
{
    push_count(L, count);
    lua_setfield(L, -2, key);
}

int push_filled(const Arguments &a, int index, std::initializer_list<Count> counts)
{
    if (is_given(a, index) && !lua_istable(a.L, index))
        refuse(a, index, "table", "a table to fill, or nothing");
    if (is_given(a, index))
        lua_pushvalue(a.L, index);
    else
        lua_newtable(a.L);
    for (const Count &count : counts)
        fill(a.L, count.key, count.count);
    return 1;
}

// --- Options ---

Table table(const Arguments &a, int index, const char *name)
{
    if (!lua_istable(a.L, index)) refuse(a, index, name, "a table");
    return {a, index, ""};
}

Table element(const Table &t, int list_index, const char *list_name, int i)
{
    lua_State *L = t.arguments.L;
    Table result = {t.arguments, lua_gettop(L) + 1, ""};
    std::snprintf(result.where, sizeof result.where, "%.32s%s[%d].", t.where, list_name, i);
    lua_rawgeti(L, list_index, i);
    if (!lua_istable(L, -1))
        fail(t.arguments, "%s%s[%d]: expected a table, got %s", t.where, list_name, i,
             got(L, -1).text);
    return result;
}

void refuse_option(const Table &t, const char *key, int index, const char *format, ...)
{
    std::va_list list;
    va_start(list, format);
    const Expected wanted = expected(format, list);
    va_end(list);
    lua_State *L = t.arguments.L;
    luaL_error(L, "tern.%s: %s%s: expected %s, got %s", t.arguments.function, t.where, key,
               wanted.text, got(L, index).text);
    std::abort();
}

void check_keys(const Table &t, const Words &known)
{
    lua_State *L = t.arguments.L;
    lua_pushnil(L);
    while (lua_next(L, t.index)) {
        lua_pop(L, 1);
        if (find_word(L, -1, known) >= 0) continue;
        const Got key = got(L, -1);
        fail(t.arguments, "%s%sunknown option %s, expected %s", t.where, t.where[0] ? " " : "",
             key.text, listed(known).text);
    }
}

bool push_option(const Table &t, const char *key)
{
    lua_pushstring(t.arguments.L, key);
    lua_rawget(t.arguments.L, t.index);
    if (!lua_isnil(t.arguments.L, -1)) return true;
    lua_pop(t.arguments.L, 1);
    return false;
}

uint64_t whole_option(const Table &t, const char *key, uint64_t fallback, uint64_t min,
                      uint64_t max)
{
    if (!push_option(t, key)) return fallback;
    int64_t value = 0;
    if (!to_whole(t.arguments.L, -1, value) || value < 0 || static_cast<uint64_t>(value) < min ||
        static_cast<uint64_t>(value) > max)
        refuse_option(t, key, -1, "a whole number from %llu to %llu",
                      static_cast<unsigned long long>(min), static_cast<unsigned long long>(max));
    lua_pop(t.arguments.L, 1);
    return static_cast<uint64_t>(value);
}

double number_option(const Table &t, const char *key, double fallback, double min, double max)
{
    lua_State *L = t.arguments.L;
    if (!push_option(t, key)) return fallback;
    if (lua_type(L, -1) != LUA_TNUMBER || !(lua_tonumber(L, -1) >= min) ||
        !(lua_tonumber(L, -1) <= max))
        refuse_option(t, key, -1, max == DBL_MAX ? "a finite number" : "a number from %g to %g",
                      min, max);
    const double value = lua_tonumber(L, -1);
    lua_pop(L, 1);
    return value;
}

bool boolean_option(const Table &t, const char *key, bool fallback)
{
    if (!push_option(t, key)) return fallback;
    if (!lua_isboolean(t.arguments.L, -1)) refuse_option(t, key, -1, "true or false");
    const bool value = lua_toboolean(t.arguments.L, -1) != 0;
    lua_pop(t.arguments.L, 1);
    return value;
}

const char *kept_text(const Table &t, const char *key, int holder, const char *fallback)
{
    lua_State *L = t.arguments.L;
    if (!push_option(t, key)) {
        if (!fallback)
            fail(t.arguments, "%s%s: expected a string without zero bytes, got nothing", t.where,
                 key);
        return fallback;
    }
    const char *value = to_text(L, -1);
    if (!value) refuse_option(t, key, -1, "a string without zero bytes");
    lua_rawseti(L, holder, static_cast<int>(raw_length(L, holder)) + 1);
    return value;
}

int choice_option(const Table &t, const char *key, int fallback, const Words &words)
{
    if (!push_option(t, key)) return fallback;
    const int found = find_word(t.arguments.L, -1, words);
    if (found < 0) refuse_option(t, key, -1, "%s", listed(words).text);
    lua_pop(t.arguments.L, 1);
    return found;
}

}
