// Replaces all parts of Lua that differ from one run to the next: the clock, random numbers, the
// order of a table's keys, addresses in texts, and the order of equal elements after a sort.
#include "game.h"
#include "scripts/state.h"
#include <tern/lua.hpp>
#include <tern/prediction.hpp>

namespace sim {

static constexpr const char *prelude = R"lua(
local native, tern = ...
local type, error, rawget, rawequal, select = type, error, rawget, rawequal, select
local raw_next, raw_tostring, raw_print, raw_pairs = next, tostring, print, pairs
local getmetatable, setmetatable = getmetatable, setmetatable
local unpack, floor = table.unpack or unpack, math.floor
local raw_sort, raw_format, raw_time, raw_date = table.sort, string.format, os.time, os.date

-- Keys in the order of their values: booleans, numbers, strings, then one that is none of these.
local ranks = {boolean = 1, number = 2, string = 3}
local function is_before(a, b)
    if rawequal(a, b) then return false end
    local rank_a, rank_b = ranks[type(a)] or 4, ranks[type(b)] or 4
    if rank_a ~= rank_b then return rank_a < rank_b end
    if rank_a == 1 then return b end
    if rank_a == 4 then
        error("the simulator cannot tell which of two keys comes first, as they are tables, " ..
            "functions or the like: use strings or numbers as keys of what is iterated", 0)
    end
    return a < b
end

local has_pairs = raw_pairs(setmetatable({}, {__pairs = function() return 1 end})) == 1
function pairs(t)
    local meta = has_pairs and getmetatable(t)
    if type(meta) == "table" and rawget(meta, "__pairs") ~= nil then return raw_pairs(t) end
    local keys, count, at = {}, 0, 0
    for key in raw_pairs(t) do
        count = count + 1
        keys[count] = key
    end
    raw_sort(keys, is_before)
    return function()
        while at < count do
            at = at + 1
            local value = rawget(t, keys[at])
            if value ~= nil then return keys[at], value end
        end
    end, t, nil
end

function next(t, key)
    local found, best
    for other in raw_next, t do
        if (key == nil or is_before(key, other)) and (not found or is_before(other, best)) then
            found, best = true, other
        end
    end
    if found then return best, rawget(t, best) end
end

local function merge(from, to, first, middle, last, less)
    local a, b = first, middle + 1
    for i = first, last do
        if a <= middle and (b > last or not less(from[b], from[a])) then
            to[i], a = from[a], a + 1
        else
            to[i], b = from[b], b + 1
        end
    end
end
function table.sort(t, less)
    if less == nil then less = function(a, b) return a < b end end
    local count, width = #t, 1
    local from, to = {}, {}
    for i = 1, count do from[i] = t[i] end
    while width < count do
        for first = 1, count, 2 * width do
            local middle, last = first + width - 1, first + 2 * width - 1
            merge(from, to, first, middle < count and middle or count,
                last < count and last or count, less)
        end
        from, to, width = to, from, 2 * width
    end
    for i = 1, count do t[i] = from[i] end
end

local numbers, numbered = setmetatable({}, {__mode = "k"}), 0
local has_address = {table = true, ["function"] = true, userdata = true, thread = true}
function tostring(value)
    if not has_address[type(value)] then return raw_tostring(value) end
    local meta = getmetatable(value)
    if type(meta) == "table" and rawget(meta, "__tostring") ~= nil then
        return raw_tostring(value)
    end
    if not numbers[value] then
        numbered = numbered + 1
        numbers[value] = numbered
    end
    return type(value) .. ": " .. numbers[value]
end
local function texts(...)
    local list = {...}
    for i = 1, select("#", ...) do
        if has_address[type(list[i])] then list[i] = tostring(list[i]) end
    end
    return unpack(list, 1, select("#", ...))
end
function print(...) raw_print(texts(...)) end
function string.format(form, ...) return raw_format(form, texts(...)) end

local function whole(name, value)
    if type(value) ~= "number" or floor(value) ~= value then
        error("math." .. name .. ": expected a whole number, got " .. tostring(value), 3)
    end
    return value
end
function math.random(low, high)
    local share = native.random()
    if low == nil then return share end
    if high == nil then low, high = 1, low end
    whole("random", low)
    whole("random", high)
    if low > high then error("math.random: from " .. low .. " to " .. high .. " is nothing", 2) end
    return floor(low + floor(share * (high - low + 1)))
end
function math.randomseed(seed) native.seed(seed == nil and 0 or seed) end

local epoch = 1767225600 -- 2026-01-01
function os.clock() return native.clock_us() / 1e6 end
function os.time(date)
    if date ~= nil then return raw_time(date) end
    return epoch + floor(native.clock_us() / 1e6)
end
function os.date(form, time) return raw_date(form or "%c", time or os.time()) end

tern.clock_us = native.clock_us
tern.random_seed = native.random_seed
local session_clock_us = tern.session_clock_us
function tern.session_clock_us(session, now_us)
    return session_clock_us(session, now_us or native.clock_us())
end
)lua";

static Player &player(lua_State *lua)
{
    return *static_cast<Player *>(lua_touserdata(lua, lua_upvalueindex(1)));
}

static int clock_us(lua_State *lua)
{
    tern::lua::push_whole(lua, static_cast<int64_t>(player(lua).now_us));
    return 1;
}

static int random(lua_State *lua)
{
    const uint64_t draw = tern::dice::next(player(lua).chance);
    lua_pushnumber(lua, static_cast<lua_Number>(draw >> 11) * 0x1p-53);
    return 1;
}

static int random_seed(lua_State *lua)
{
    tern::lua::push_whole(lua, static_cast<int64_t>(tern::dice::next(player(lua).seeds) >> 11));
    return 1;
}

static int seed(lua_State *lua)
{
    const auto bits = std::bit_cast<uint64_t>(static_cast<double>(luaL_checknumber(lua, 1)));
    player(lua).chance = tern::dice::make(bits, tern::Stream::workload);
    return 0;
}

std::string prepare_lua(Player &player)
{
    tern::scripts::LuaState &state = *player.game->state;
    lua_State *lua = state.lua;
    const std::string error = tern::scripts::load(state, prelude, "simulator");
    if (!error.empty()) return error;
    lua_newtable(lua);
    const luaL_Reg natives[] = {
        {"clock_us", clock_us}, {"random", random}, {"random_seed", random_seed}, {"seed", seed}};
    for (const luaL_Reg &native : natives) {
        lua_pushlightuserdata(lua, &player);
        lua_pushcclosure(lua, native.func, 1);
        lua_setfield(lua, -2, native.name);
    }
    tern::open_lua(lua);
    return tern::scripts::call(state, 2, 0);
}

}
