// What a game's table may be, and how new code takes the place of the old one.
#include "scripts/game.h"
#include "scripts/sandbox.h"

namespace tern::scripts {

// Keeps the game's table, and what its options were. It uses nothing that a script could replace.
static constexpr const char *part = R"lua(
local native = ...
local modules, rawmeta = native.modules, native.rawmeta
local getupvalue, setupvalue = native.getupvalue, native.setupvalue
local type, next, tostring, error = type, next, tostring, error
local rawget, rawset, rawequal = rawget, rawset, rawequal
local format, sort, concat = string.format, table.sort, table.concat

local functions = {start = true, update = true, stop = true, check = true}
local game, present, undo_log
local differences_max, depth_max = 8, 8

local function shown(value)
    if type(value) == "string" then return format("%q", value) end
    if type(value) == "number" then return format("%.14g", value) end
    return tostring(value)
end

local function describe(value, path, out, depth)
    if type(value) ~= "table" then
        out[path] = shown(value)
        return out
    end
    if depth > depth_max then error("the game's table: " .. path .. " is nested too deeply", 0) end
    out[path] = "a table"
    for key, inner in next, value do
        local name = type(key) == "number" and format("[%d]", key) or "." .. tostring(key)
        if path == "" then name = tostring(key) end
        if path ~= "" or not functions[key] and key ~= "state" then
            describe(inner, path .. name, out, depth + 1)
        end
    end
    return out
end

local function check(new)
    if type(new) ~= "table" then
        error("the script returned a " .. type(new) ..
            ", expected a table: return {types = {...}, update = function(session, dt) ... end}", 0)
    end
    for name in next, functions do
        local kind = type(rawget(new, name))
        if kind ~= "function" and kind ~= "nil" then
            error("the game's table: " .. name .. " is a " .. kind .. ", expected a function", 0)
        end
    end
    local state = rawget(new, "state")
    if state ~= nil and type(state) ~= "table" then
        error("the game's table: state is a " .. type(state) .. ", expected a table", 0)
    end
end

local function adopt(new)
    check(new)
    game, present = new, describe(new, "", {}, 0)
    return game
end

local function differences(new)
    local lines = {}
    for path, value in next, new do
        local before = present[path]
        if before == nil then
            lines[#lines + 1] = path .. " is new: " .. value
        elseif before ~= value then
            lines[#lines + 1] = path .. " was " .. before .. ", and is now " .. value
        end
    end
    for path, value in next, present do
        if new[path] == nil then lines[#lines + 1] = path .. " was " .. value .. ", and is gone" end
    end
    sort(lines)
    local count = #lines
    for i = differences_max + 1, count do lines[i] = nil end
    if count > differences_max then lines[#lines + 1] = "and more" end
    return count > 0 and concat(lines, "; ") or nil
end

local function put(t, key, value)
    undo_log[#undo_log + 1] = {t, key, rawget(t, key)}
    rawset(t, key, value)
end

-- Functions are replaced, what is new is added, and all else stays as it was.
local function merge(old, new, seen, is_game)
    if rawequal(old, new) or seen[new] then return end
    seen[new] = old
    for key, value in next, new do
        local before = rawget(old, key)
        if before == nil or type(value) == "function" then
            put(old, key, value)
        elseif type(value) == "table" and type(before) == "table" and
            not (is_game and key == "state") then
            merge(before, value, seen, false)
        end
    end
    local old_meta, new_meta = rawmeta(old), rawmeta(new)
    if type(old_meta) == "table" and type(new_meta) == "table" then
        merge(old_meta, new_meta, seen, false)
    end
end

-- New functions know the new table as their local; from now on it is the old one, with its state.
local function relink(f, seen, linked)
    if linked[f] then return end
    linked[f] = true
    for i = 1, 255 do
        local name, value = getupvalue(f, i)
        if not name then return end
        if type(value) == "table" and seen[value] then
            setupvalue(f, i, seen[value])
        elseif type(value) == "function" then
            relink(value, seen, linked)
        end
    end
end

-- names and chunks in the order in which they were first required; what they return.
local function reload(names, chunks, main)
    undo_log = {}
    local seen = {}
    for i = 1, #names do
        local name = names[i]
        local new, old = chunks[i](name), modules[name]
        if new == nil then new = true end
        if type(new) == "table" and type(old) == "table" then
            merge(old, new, seen, false)
        else
            put(modules, name, new)
        end
    end
    local new = main()
    check(new)
    local changed = differences(describe(new, "", {}, 0))
    if changed then
        error("the options of a session cannot change while it runs: " .. changed, 0)
    end
    merge(game, new, seen, true)
    for name in next, functions do
        if rawget(new, name) == nil then put(game, name, nil) end
    end
    local linked = {}
    for i = 1, #undo_log do
        local value = rawget(undo_log[i][1], undo_log[i][2])
        if type(value) == "function" then relink(value, seen, linked) end
    end
end

local function undo()
    for i = #undo_log, 1, -1 do rawset(undo_log[i][1], undo_log[i][2], undo_log[i][3]) end
    undo_log = {}
end

return adopt, reload, undo
)lua";

void reload::open(LuaState &state)
{
    lua_State *lua = state.lua;
    load(state, part, "reload");
    lua_getfield(lua, LUA_REGISTRYINDEX, sandbox::registry_key);
    lua_call(lua, 1, 3);
    lua_setfield(lua, LUA_REGISTRYINDEX, undo_key);
    lua_setfield(lua, LUA_REGISTRYINDEX, reload_key);
    lua_setfield(lua, LUA_REGISTRYINDEX, adopt_key);
}

}
