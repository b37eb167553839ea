#include "scripts/sandbox.h"
#include "scripts/files.h"
#include <algorithm>

namespace tern::scripts::sandbox {

// Runs before the script and makes its globals. It gets natives that the script cannot reach.
static constexpr const char *prelude = R"lua(
local native, sandboxed = ...
local assert, error, pcall, type, select = assert, error, pcall, type, select
local next, rawget, rawequal, tostring, concat = next, rawget, rawequal, tostring, table.concat
local rawmeta, require_other, math_floor = debug.getmetatable, require, math.floor

local modules = {}
local loading = {}
native.modules, native.rawmeta = modules, rawmeta
native.getupvalue, native.setupvalue = debug.getupvalue, debug.setupvalue
native.setmeta, native.globals = debug.setmetatable, _G

function print(...)
    local texts = {}
    for i = 1, select("#", ...) do texts[i] = tostring((select(i, ...))) end
    native.write(concat(texts, "\t"))
end

function require(name)
    if type(name) ~= "string" then
        error("require: expected the name of a module, got a " .. type(name), 2)
    end
    local module = modules[name]
    if rawequal(module, loading) then error("require: " .. name .. " requires itself", 2) end
    if module ~= nil then return module end
    local chunk = native.load_module(name)
    if not chunk then
        if not sandboxed then return require_other(name) end
        error("require: there is no module " .. name .. " below the script's folder", 2)
    end
    modules[name] = loading
    local ok, result = pcall(chunk, name)
    if not ok then
        modules[name] = nil
        error(result, 0)
    end
    if result == nil then result = true end
    modules[name] = result
    return result
end

if not sandboxed then return end

local create, resume, running = coroutine.create, coroutine.resume, coroutine.running
local status = coroutine.status
local rep, sort, table_concat, unpack = string.rep, table.sort, table.concat, table.unpack or unpack
local getmeta, setmeta = getmetatable, setmetatable
local charge = native.charge

local function copy(from, names)
    local to = {}
    for name in names:gmatch("%w+") do to[name] = from[name] end
    return to
end

local G = copy(_G, "assert error ipairs next pairs rawequal rawget rawlen rawset select " ..
    "tonumber tostring type getmetatable print require unpack VERSION")
local S = copy(string, "byte char format len lower reverse sub upper pack packsize unpack")
local T = copy(table, "pack unpack")
local C = copy(coroutine, "resume status yield running isyieldable close")
G._G, G._VERSION, G.string, G.table, G.coroutine = G, _VERSION, S, T, C
G.math, G.bit = math, bit
G.os = copy(os, "clock date time")

-- At the very end of its stack LuaJIT has no room for a hook, and many a pcall can live there.
local function protected(f, ...)
    charge(20)
    return pcall(f, ...)
end
G.pcall = protected

-- An error inside a handler, or in a coroutine that died by a limit, would find no limits.
function G.xpcall(f, handler, ...)
    local function finish(ok, ...)
        if ok then return ok, ... end
        local _, result = protected(handler, (...))
        return false, result
    end
    return finish(protected(f, ...))
end

local function results(ok, ...)
    if ok then return ... end
    error((...), 0)
end
function C.create(f)
    if type(f) ~= "function" then
        error("coroutine.create: expected a function, got a " .. type(f), 2)
    end
    charge(100)
    return create(function(...) return results(pcall(f, ...)) end)
end
function C.wrap(f)
    local thread = C.create(f)
    return function(...) return results(resume(thread, ...)) end
end

function G.setmetatable(t, meta)
    if type(meta) == "table" and rawget(meta, "__gc") ~= nil then
        error("setmetatable: a sandboxed script has no finalizers (__gc)", 2)
    end
    return setmeta(t, meta)
end
function G.collectgarbage(what)
    if what ~= "count" then error('collectgarbage: a sandboxed script may only "count"', 2) end
    return native.memory_kib()
end

function S.rep(text, count, separator)
    local longer = separator ~= nil and separator ~= ""
    if text == "" and not longer then return "" end
    if type(count) == "number" and count > 0 then charge(count) end
    return rep(text, count, separator)
end
-- Functions of C that take long for each byte: one call of them must not hold a tick.
local byte_charge = 10
local function charged(f)
    return function(text, ...)
        if type(text) == "string" then charge(#text * byte_charge) end
        return f(text, ...)
    end
end
G.tonumber = charged(tonumber)
if utf8 then
    G.utf8 = copy(utf8, "char charpattern codes")
    for _, name in next, {"codepoint", "len", "offset"} do G.utf8[name] = charged(utf8[name]) end
end
local format, plain_find = string.format, string.find
function S.format(pattern, ...)
    if type(pattern) == "string" and plain_find(pattern, "%q", 1, true) then
        for i = 1, select("#", ...) do
            local value = select(i, ...)
            if type(value) == "string" then charge(#value * byte_charge) end
        end
    end
    return format(pattern, ...)
end
S.find, S.match, S.gmatch, S.gsub = native.find, native.match, native.gmatch, native.gsub

local function check_table(name, t)
    if type(t) ~= "table" then
        error("table." .. name .. ": expected a table, got a " .. type(t), 3)
    end
end
local function check_index(name, value)
    if type(value) ~= "number" or math_floor(value) ~= value then
        error("table." .. name .. ": expected a whole number, got " .. tostring(value), 3)
    end
    return value
end
function T.insert(t, ...)
    check_table("insert", t)
    local size, count = #t, select("#", ...)
    if count == 1 then
        t[size + 1] = (...)
        return
    end
    if count ~= 2 then error("table.insert: expected 2 or 3 arguments", 2) end
    local place, value = ...
    check_index("insert", place)
    if place < 1 or place > size + 1 then error("table.insert: position out of bounds", 2) end
    for i = size, place, -1 do t[i + 1] = t[i] end
    t[place] = value
end
function T.remove(t, place)
    check_table("remove", t)
    local size = #t
    if place == nil then place = size else check_index("remove", place) end
    if place ~= size and (place < 1 or place > size + 1) then
        error("table.remove: position out of bounds", 2)
    end
    local value = t[place]
    for i = place, size - 1 do t[i] = t[i + 1] end
    t[place > size and place or size] = nil
    return value
end
function T.move(from, first, last, place, to)
    check_table("move", from)
    if to == nil then to = from else check_table("move", to) end
    check_index("move", first) check_index("move", last) check_index("move", place)
    if place > last or place <= first or not rawequal(from, to) then
        for i = 0, last - first do to[place + i] = from[first + i] end
    else
        for i = last - first, 0, -1 do to[place + i] = from[first + i] end
    end
    return to
end
-- A metatable could give a text of no length for every index.
function T.concat(t, separator, first, last)
    check_table("concat", t)
    if rawmeta(t) then
        local plain = {}
        for i = first or 1, last or #t do plain[i] = t[i] end
        last = last or #t
        t = plain
    end
    first, last = first or 1, last or #t
    -- Numbers take long. What is no number table.concat() refuses itself.
    if type(first) == "number" and type(last) == "number" and last > first then
        charge((last - first) * 100)
    end
    return table_concat(t, separator or "", first, last)
end
local function is_less(a, b) return a < b end
function T.sort(t, less)
    check_table("sort", t)
    if less ~= nil and type(less) ~= "function" then
        error("table.sort: expected a function, got a " .. type(less), 2)
    end
    sort(t, less and function(a, b) return less(a, b) end or is_less)
end
if G.unpack then G.unpack = unpack end
T.unpack = unpack

local texts = rawmeta("")
texts.__index, texts.__metatable = S, false
native.globals = G
return G
)lua";

// --- Natives. No object with a destructor may be alive where Lua may raise an error. ---

static int write(lua_State *lua)
{
    LuaState &state = *state_of(lua);
    size_t size = 0;
    const char *bytes = luaL_checklstring(lua, 1, &size);
    static constexpr std::string_view left_out = "...\n";
    if (state.output.size() >= output_bytes_max) return 0;
    const size_t room = output_bytes_max - state.output.size();
    state.output.append(bytes, size < room ? size : room);
    state.output += size < room ? "\n" : left_out;
    return 0;
}

static int charge_native(lua_State *lua)
{
    const lua_Number count = luaL_checknumber(lua, 1);
    charge(lua, count < 1e18 ? static_cast<uint64_t>(count) : uint64_t{1} << 60);
    return 0;
}

static int memory_kib(lua_State *lua)
{
    lua_pushnumber(lua, static_cast<lua_Number>(state_of(lua)->memory_bytes) / 1024);
    return 1;
}

// Pushes the chunk. False: LuaState::text has the error. A function of its own, so that its string
// is destroyed before the caller raises the error.
static bool push_module(LuaState &state)
{
    const std::string error = load(state, state.text, state.text_path);
    if (error.empty()) return true;
    state.text = error;
    return false;
}

static int load_module(lua_State *lua)
{
    LuaState &state = *state_of(lua);
    size_t size = 0;
    const char *name = luaL_checklstring(lua, 1, &size);
    const files::Found found = files::find_module(state, {name, size});
    if (found == files::Found::no) return 0;
    if (found == files::Found::yes && push_module(state)) return 1;
    lua_pushlstring(lua, state.text.data(), state.text.size());
    return lua_error(lua);
}

// --- Making ---

void open_libraries(LuaState &state)
{
    lua_State *lua = state.lua;
    luaL_openlibs(lua); // The prelude hides what is not allowed.
    const bool sandboxed = state.trust == Trust::sandboxed;
    load(state, prelude, "prelude");
    lua_newtable(lua);
    const luaL_Reg natives[] = {{"write", write},
                                {"charge", charge_native},
                                {"memory_kib", memory_kib},
                                {"load_module", load_module},
                                {nullptr, nullptr}};
    luaL_setfuncs(lua, natives, 0);
    add_patterns(lua);
    lua_pushvalue(lua, -1);
    lua_setfield(lua, LUA_REGISTRYINDEX, registry_key);
    lua_pushboolean(lua, sandboxed);
    lua_call(lua, 2, 1);
    if (!sandboxed) {
        lua_pop(lua, 1);
        return;
    }
#if LUA_VERSION_NUM >= 502
    lua_rawseti(lua, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
#else
    lua_replace(lua, LUA_GLOBALSINDEX);
#endif
}

static constexpr std::string_view module_names =
    "admit argument bad_datagrams balance breach call call_owner call_unreliable changed "
    "claim clock_us create creations_left destroy digest dispatch event event_count "
    "event_name events exists explain failure field_id get go_on host invite is_hidden join "
    "leave local_address lock lost_ticks may_set migrate object_ids object_values objects "
    "on owner owns parse_address parse_invite payload peer_name peers progress random_seed "
    "refusal refuse refuse_claim release remove reply request request_owner "
    "request_timeout_ms sample self session_clock_us session_stats set set_interest "
    "set_priority socket_stats stamp start state state_text stats traffic type type_id "
    "type_stats";

// Functions that give something of each object. Each value counts as an instruction.
static constexpr const char *charged_names[] = {"object_ids", "object_values"};

static int call_and_charge(lua_State *lua)
{
    const int given = lua_gettop(lua);
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_insert(lua, 1);
    lua_call(lua, given, 1);
    charge(lua, static_cast<uint64_t>(lua_tonumber(lua, -1)) * static_cast<uint64_t>(given));
    return 1;
}

static bool is_in_the_sandbox(std::string_view name)
{
    for (size_t begin = 0; begin < module_names.size();) {
        const size_t end = std::min(module_names.find(' ', begin), module_names.size());
        if (module_names.substr(begin, end - begin) == name) return true;
        begin = end + 1;
    }
    return false;
}

void reduce_module(lua_State *lua)
{
    lua_pushnil(lua);
    while (lua_next(lua, -2)) {
        lua_pop(lua, 1);
        size_t size = 0;
        const bool is_text = lua_type(lua, -1) == LUA_TSTRING;
        const char *name = is_text ? lua_tolstring(lua, -1, &size) : "";
        if (is_in_the_sandbox({name, size})) continue;
        lua_pushvalue(lua, -1);
        lua_pushnil(lua);
        lua_rawset(lua, -4); // lua_next() permits clearing the present key.
    }
    for (const char *name : charged_names) {
        lua_getfield(lua, -1, name);
        lua_pushcclosure(lua, call_and_charge, 1);
        lua_setfield(lua, -2, name);
    }
}

void add_module(LuaState &state, const char *name)
{
    lua_State *lua = state.lua;
    lua_getfield(lua, LUA_REGISTRYINDEX, registry_key);
    lua_getfield(lua, -1, "modules");
    lua_pushvalue(lua, -3);
    lua_setfield(lua, -2, name);
    lua_pop(lua, 3);
}

}
