// find, match, gmatch and gsub as in Lua 5.4, for sandboxed scripts of either Lua. Each step counts
// as an instruction, so that the limit stops a pattern that would search for years: a hook cannot
// interrupt the C functions of Lua's own library.
#include "scripts/sandbox.h"
#include <cctype>
#include <cstring>

namespace tern::scripts {

namespace {

constexpr int captures_max = 32;
constexpr int depth_max = 200; // Limits the recursion of match_here().
constexpr ptrdiff_t capture_open = -1, capture_place = -2;
constexpr char escape = '%';
constexpr uint64_t steps_unpaid_max = 1000;

// Has no destructor, because an error of Lua jumps over it.
struct Match {
    lua_State *lua;
    const char *text, *text_end;
    const char *pattern_end;
    uint64_t steps; // Steps that were not charged yet.
    int depth;
    int capture_count;
    struct {
        const char *begin;
        ptrdiff_t size;
    } captures[captures_max];
};

}

static void step(Match &match, uint64_t count = 1)
{
    match.steps += count;
    if (match.steps < steps_unpaid_max) return;
    const uint64_t steps = match.steps;
    match.steps = 0;
    charge(match.lua, steps);
}

static const char *match_here(Match &match, const char *s, const char *p);

// --- One character ---

static unsigned char byte(const char *p)
{
    return static_cast<unsigned char>(*p);
}

// The end of the class that begins at `p`.
static const char *class_end(Match &match, const char *p)
{
    if (*p++ == escape) {
        if (p == match.pattern_end) luaL_error(match.lua, "malformed pattern (ends with '%%')");
        return p + 1;
    }
    if (p[-1] != '[') return p;
    if (p < match.pattern_end && *p == '^') ++p;
    do { // A ']' at the beginning belongs to the set.
        if (p >= match.pattern_end) luaL_error(match.lua, "malformed pattern (missing ']')");
        if (*p++ == escape) {
            if (p >= match.pattern_end) luaL_error(match.lua, "malformed pattern (missing ']')");
            ++p;
        }
    } while (p >= match.pattern_end || *p != ']');
    return p + 1;
}

static bool in_class(int c, int name)
{
    bool is_in = false;
    switch (std::tolower(name)) {
    case 'a': is_in = std::isalpha(c); break;
    case 'c': is_in = std::iscntrl(c); break;
    case 'd': is_in = std::isdigit(c); break;
    case 'g': is_in = std::isgraph(c); break;
    case 'l': is_in = std::islower(c); break;
    case 'p': is_in = std::ispunct(c); break;
    case 's': is_in = std::isspace(c); break;
    case 'u': is_in = std::isupper(c); break;
    case 'w': is_in = std::isalnum(c); break;
    case 'x': is_in = std::isxdigit(c); break;
    default: return name == c;
    }
    return std::isupper(name) ? !is_in : is_in;
}

// `p` is at the '[', `last` at its ']'.
static bool in_set(int c, const char *p, const char *last)
{
    const bool negated = p[1] == '^';
    p += negated;
    while (++p < last) {
        if (*p == escape) {
            ++p;
            if (in_class(c, byte(p))) return !negated;
        } else if (p[1] == '-' && p + 2 < last) {
            p += 2;
            if (byte(p - 2) <= c && c <= byte(p)) return !negated;
        } else if (byte(p) == c) {
            return !negated;
        }
    }
    return negated;
}

static bool is_single(Match &match, const char *s, const char *p, const char *end)
{
    step(match);
    if (s >= match.text_end) return false;
    const int c = byte(s);
    switch (*p) {
    case '.': return true;
    case escape: return in_class(c, byte(p + 1));
    case '[': step(match, static_cast<uint64_t>(end - p)); return in_set(c, p, end - 1);
    default: return byte(p) == c;
    }
}

// --- Parts of a pattern. Each returns the end of the match; null: there is none ---

static const char *match_balance(Match &match, const char *s, const char *p)
{
    if (p + 1 >= match.pattern_end)
        luaL_error(match.lua, "malformed pattern (missing arguments to '%%b')");
    if (s >= match.text_end || *s != *p) return nullptr;
    int level = 1;
    while (++s < match.text_end) {
        step(match);
        if (*s == p[1]) {
            if (--level == 0) return s + 1;
        } else if (*s == *p) {
            ++level;
        }
    }
    return nullptr;
}

static const char *match_most(Match &match, const char *s, const char *p, const char *end)
{
    ptrdiff_t count = 0;
    while (is_single(match, s + count, p, end))
        ++count;
    for (; count >= 0; --count)
        if (const char *found = match_here(match, s + count, end + 1)) return found;
    return nullptr;
}

static const char *match_least(Match &match, const char *s, const char *p, const char *end)
{
    for (;;) {
        if (const char *found = match_here(match, s, end + 1)) return found;
        if (!is_single(match, s, p, end)) return nullptr;
        ++s;
    }
}

static const char *begin_capture(Match &match, const char *s, const char *p, ptrdiff_t size)
{
    if (match.capture_count >= captures_max) luaL_error(match.lua, "too many captures");
    match.captures[match.capture_count] = {s, size};
    match.capture_count += 1;
    const char *found = match_here(match, s, p);
    if (!found) match.capture_count -= 1;
    return found;
}

static const char *end_capture(Match &match, const char *s, const char *p)
{
    int open = match.capture_count - 1;
    while (open >= 0 && match.captures[open].size != capture_open)
        --open;
    if (open < 0) luaL_error(match.lua, "invalid pattern capture");
    match.captures[open].size = s - match.captures[open].begin;
    const char *found = match_here(match, s, p);
    if (!found) match.captures[open].size = capture_open;
    return found;
}

static const char *match_again(Match &match, const char *s, int digit)
{
    const int index = digit - '1';
    if (index < 0 || index >= match.capture_count || match.captures[index].size == capture_open)
        luaL_error(match.lua, "invalid capture index %%%d", index + 1);
    const ptrdiff_t size = match.captures[index].size;
    if (size < 0 || match.text_end - s < size) return nullptr; // Position captures have no text.
    step(match, static_cast<uint64_t>(size));
    const bool same = std::memcmp(match.captures[index].begin, s, static_cast<size_t>(size)) == 0;
    return same ? s + size : nullptr;
}

// The end of the frontier's set, if there is a frontier at `s`; else null. `p` is behind the "%f".
static const char *frontier_end(Match &match, const char *s, const char *p)
{
    if (p >= match.pattern_end || *p != '[')
        luaL_error(match.lua, "missing '[' after '%%f' in pattern");
    const char *end = class_end(match, p);
    const int before = s == match.text ? 0 : byte(s - 1);
    const int here = s < match.text_end ? byte(s) : 0;
    return !in_set(before, p, end - 1) && in_set(here, p, end - 1) ? end : nullptr;
}

// Matches a class with its repetition. Null: no match. If `*next` is set, the caller goes on there
// without recursion, as no alternative is left here.
static const char *match_repeated(Match &match, const char *s, const char *p, const char **next)
{
    const char *end = class_end(match, p);
    const char repeat = end < match.pattern_end ? *end : '\0';
    switch (repeat) {
    case '*': return match_most(match, s, p, end);
    case '-': return match_least(match, s, p, end);
    case '+': return is_single(match, s, p, end) ? match_most(match, s + 1, p, end) : nullptr;
    case '?':
        if (is_single(match, s, p, end))
            if (const char *found = match_here(match, s + 1, end + 1)) return found;
        *next = end + 1;
        return s;
    default:
        if (!is_single(match, s, p, end)) return nullptr;
        *next = end;
        return s + 1;
    }
}

// Matches the pattern from `p` on at `s`. Returns the end of the match; null: there is none.
static const char *match_parts(Match &match, const char *s, const char *p)
{
    while (p < match.pattern_end) {
        step(match);
        const char second = p + 1 < match.pattern_end ? p[1] : '\0';
        if (*p == '(')
            return second == ')' ? begin_capture(match, s, p + 2, capture_place)
                                 : begin_capture(match, s, p + 1, capture_open);
        if (*p == ')') return end_capture(match, s, p + 1);
        if (*p == '$' && p + 1 == match.pattern_end) return s == match.text_end ? s : nullptr;
        if (*p == escape && second == 'b') {
            s = match_balance(match, s, p + 2);
            p += 4;
        } else if (*p == escape && second == 'f') {
            const char *end = frontier_end(match, s, p + 2);
            if (!end) return nullptr;
            p = end;
        } else if (*p == escape && std::isdigit(static_cast<unsigned char>(second))) {
            s = match_again(match, s, second);
            p += 2;
        } else {
            const char *next = nullptr;
            s = match_repeated(match, s, p, &next);
            if (!next) return s;
            p = next;
        }
        if (!s) return nullptr;
    }
    return s;
}

static const char *match_here(Match &match, const char *s, const char *p)
{
    if (match.depth >= depth_max) luaL_error(match.lua, "pattern too complex");
    match.depth += 1;
    const char *found = match_parts(match, s, p);
    match.depth -= 1;
    return found;
}

// --- Captures as values ---

static void push_capture(Match &match, int index, const char *begin, const char *end)
{
    if (index >= match.capture_count) {
        if (index != 0) luaL_error(match.lua, "invalid capture index %%%d", index + 1);
        lua_pushlstring(match.lua, begin, static_cast<size_t>(end - begin)); // The whole match.
        return;
    }
    const auto &capture = match.captures[index];
    if (capture.size == capture_open) luaL_error(match.lua, "unfinished capture");
    if (capture.size == capture_place)
        lua_pushinteger(match.lua, static_cast<lua_Integer>(capture.begin - match.text + 1));
    else
        lua_pushlstring(match.lua, capture.begin, static_cast<size_t>(capture.size));
}

// Pushes all captures. If there are none: the whole match, unless begin is null.
static int push_captures(Match &match, const char *begin, const char *end)
{
    const int count = match.capture_count == 0 && begin ? 1 : match.capture_count;
    luaL_checkstack(match.lua, count, "too many captures");
    for (int i = 0; i < count; ++i)
        push_capture(match, i, begin, end);
    return count;
}

static const char *begin_match(Match &match, const char *s, const char *p)
{
    match.capture_count = 0;
    match.depth = 0;
    return match_here(match, s, p);
}

static Match made_match(lua_State *lua, const char *text, size_t size, const char *pattern_end)
{
    Match match = {};
    match.lua = lua;
    match.text = text;
    match.text_end = text + size;
    match.pattern_end = pattern_end;
    return match;
}

// --- find and match ---

// The offset of a place, which counts from 1, or from the end if it is negative. It may lie beyond
// the text.
static size_t offset_of(lua_Integer place, size_t size)
{
    if (place > 0) return static_cast<size_t>(place - 1);
    const auto from_end = static_cast<size_t>(-(place + 1)) + 1;
    return place == 0 || from_end > size ? 0 : size - from_end;
}

#ifdef _WIN32 // It has no memmem(), which needs a time that is linear. Each failed try costs steps.
static const void *find_bytes(lua_State *lua, const char *text, size_t size, const char *wanted,
                              size_t wanted_size)
{
    if (wanted_size == 0) return text;
    while (size >= wanted_size) {
        const auto *at =
            static_cast<const char *>(std::memchr(text, wanted[0], size - wanted_size + 1));
        if (!at || std::memcmp(at, wanted, wanted_size) == 0) return at;
        charge(lua, wanted_size / 16 + 1);
        size -= static_cast<size_t>(at + 1 - text);
        text = at + 1;
    }
    return nullptr;
}
#else
static const void *find_bytes(lua_State *, const char *text, size_t size, const char *wanted,
                              size_t wanted_size)
{
    return memmem(text, size, wanted, wanted_size);
}
#endif

static int push_plain(lua_State *lua, const char *text, size_t size, const char *wanted,
                      size_t wanted_size, size_t offset)
{
    charge(lua, (size - offset) / 16);
    const void *found = find_bytes(lua, text + offset, size - offset, wanted, wanted_size);
    if (!found) {
        lua_pushnil(lua);
        return 1;
    }
    const ptrdiff_t place = static_cast<const char *>(found) - text;
    lua_pushinteger(lua, static_cast<lua_Integer>(place + 1));
    lua_pushinteger(lua, static_cast<lua_Integer>(place) + static_cast<lua_Integer>(wanted_size));
    return 2;
}

static bool is_plain(const char *pattern, size_t size)
{
    for (size_t i = 0; i < size; ++i)
        if (pattern[i] != '\0' && std::strchr("^$*+?.([%-", pattern[i])) return false;
    return true;
}

static int search(lua_State *lua, bool find)
{
    size_t size = 0, pattern_size = 0;
    const char *text = luaL_checklstring(lua, 1, &size);
    const char *pattern = luaL_checklstring(lua, 2, &pattern_size);
    const size_t offset = offset_of(luaL_optinteger(lua, 3, 1), size);
    if (offset > size) {
        lua_pushnil(lua);
        return 1;
    }
    if (find && (lua_toboolean(lua, 4) || is_plain(pattern, pattern_size)))
        return push_plain(lua, text, size, pattern, pattern_size, offset);
    const bool anchored = pattern_size > 0 && *pattern == '^';
    Match match = made_match(lua, text, size, pattern + pattern_size);
    for (const char *s = text + offset; s <= match.text_end; ++s) {
        const char *end = begin_match(match, s, pattern + anchored);
        if (!end && !anchored) continue;
        if (!end) break;
        charge(lua, match.steps);
        if (!find) return push_captures(match, s, end);
        lua_pushinteger(lua, static_cast<lua_Integer>(s - text + 1));
        lua_pushinteger(lua, static_cast<lua_Integer>(end - text));
        return 2 + push_captures(match, nullptr, nullptr);
    }
    charge(lua, match.steps);
    lua_pushnil(lua);
    return 1;
}

static int find(lua_State *lua)
{
    return search(lua, true);
}

static int match_once(lua_State *lua)
{
    return search(lua, false);
}

// --- gmatch. Upvalues: the text, the pattern, the next offset, the end of the last match ---

static int next_match(lua_State *lua)
{
    size_t size = 0, pattern_size = 0;
    const char *text = lua_tolstring(lua, lua_upvalueindex(1), &size);
    const char *pattern = lua_tolstring(lua, lua_upvalueindex(2), &pattern_size);
    const auto offset = static_cast<ptrdiff_t>(lua_tonumber(lua, lua_upvalueindex(3)));
    const auto last = static_cast<ptrdiff_t>(lua_tonumber(lua, lua_upvalueindex(4)));
    Match match = made_match(lua, text, size, pattern + pattern_size);
    for (const char *s = text + offset; s <= match.text_end; ++s) {
        const char *end = begin_match(match, s, pattern);
        if (!end || end - text == last) continue;
        charge(lua, match.steps);
        lua_pushnumber(lua, static_cast<lua_Number>(end - text));
        lua_pushvalue(lua, -1);
        lua_replace(lua, lua_upvalueindex(3));
        lua_replace(lua, lua_upvalueindex(4));
        return push_captures(match, s, end);
    }
    charge(lua, match.steps);
    return 0;
}

static int gmatch(lua_State *lua)
{
    luaL_checkstring(lua, 1);
    luaL_checkstring(lua, 2);
    lua_settop(lua, 2);
    lua_pushnumber(lua, 0);
    lua_pushnumber(lua, -1);
    lua_pushcclosure(lua, next_match, 4);
    return 1;
}

// --- gsub ---

// Adds the replacement text, with %0 to %9 replaced.
static void add_text(Match &match, luaL_Buffer *out, const char *begin, const char *end)
{
    size_t size = 0;
    const char *text = lua_tolstring(match.lua, 3, &size);
    for (size_t i = 0; i < size; ++i) {
        if (text[i] != escape) {
            luaL_addchar(out, text[i]);
            continue;
        }
        const char c = ++i < size ? text[i] : '\0';
        if (c == escape) {
            luaL_addchar(out, c);
        } else if (c == '0') {
            luaL_addlstring(out, begin, static_cast<size_t>(end - begin));
        } else if (std::isdigit(static_cast<unsigned char>(c))) {
            push_capture(match, c - '1', begin, end);
            if (lua_type(match.lua, -1) == LUA_TNUMBER) lua_tostring(match.lua, -1);
            luaL_addvalue(out);
        } else {
            luaL_error(match.lua, "invalid use of '%%' in replacement string");
        }
    }
    step(match, size / 16);
}

// Adds the replacement of a match. If it is false or nil, the match stays.
static void add_value(Match &match, luaL_Buffer *out, const char *begin, const char *end, int kind)
{
    lua_State *lua = match.lua;
    if (kind == LUA_TSTRING || kind == LUA_TNUMBER) return add_text(match, out, begin, end);
    if (kind == LUA_TFUNCTION) {
        lua_pushvalue(lua, 3);
        lua_call(lua, push_captures(match, begin, end), 1);
    } else {
        push_capture(match, 0, begin, end);
        lua_gettable(lua, 3);
    }
    if (!lua_toboolean(lua, -1)) {
        lua_pop(lua, 1);
        luaL_addlstring(out, begin, static_cast<size_t>(end - begin));
        return;
    }
    if (!lua_isstring(lua, -1))
        luaL_error(lua, "invalid replacement value (a %s)", luaL_typename(lua, -1));
    luaL_addvalue(out);
}

static int gsub(lua_State *lua)
{
    size_t size = 0, pattern_size = 0;
    const char *text = luaL_checklstring(lua, 1, &size);
    const char *pattern = luaL_checklstring(lua, 2, &pattern_size);
    const int kind = lua_type(lua, 3);
    if (kind != LUA_TSTRING && kind != LUA_TNUMBER && kind != LUA_TFUNCTION && kind != LUA_TTABLE)
        return luaL_error(lua, "gsub: expected a string, function or table, got a %s",
                          luaL_typename(lua, 3));
    const lua_Number most = luaL_optnumber(lua, 4, static_cast<lua_Number>(size) + 1);
    const bool anchored = pattern_size > 0 && *pattern == '^';
    Match match = made_match(lua, text, size, pattern + pattern_size);
    luaL_Buffer out;
    luaL_buffinit(lua, &out);
    lua_Integer count = 0;
    const char *s = text, *last = nullptr;
    while (static_cast<lua_Number>(count) < most) {
        const char *end = begin_match(match, s, pattern + anchored);
        if (end && end != last) {
            count += 1;
            add_value(match, &out, s, end, kind);
            s = last = end;
        } else if (s < match.text_end) {
            luaL_addchar(&out, *s++);
        } else {
            break;
        }
        if (anchored) break;
    }
    charge(lua, match.steps);
    luaL_addlstring(&out, s, static_cast<size_t>(match.text_end - s));
    luaL_pushresult(&out);
    lua_pushinteger(lua, count);
    return 2;
}

void sandbox::add_patterns(lua_State *lua)
{
    const luaL_Reg functions[] = {{"find", find},
                                  {"match", match_once},
                                  {"gmatch", gmatch},
                                  {"gsub", gsub},
                                  {nullptr, nullptr}};
    luaL_setfuncs(lua, functions, 0);
}

}
