// Checks a game's table, and replaces old code by new code.
#include "scripts/game.h"
#include "scripts/sandbox.h"

namespace tern::scripts {

// Keeps the game's table, its options, and the keys that the file gave to its state. It uses no
// function that a script could replace.
//
// A table of the new code is paired with the old table at the same path below the game's table or
// below a module's. The old table stays, and gets the new functions. Every reference to the new
// table in what the new code has made (variables of functions, tables) is changed to the old one.
static constexpr const char *part = R"lua(
local native = ...
local modules, rawmeta = native.modules, native.rawmeta
local getupvalue, setupvalue = native.getupvalue, native.setupvalue
local setmeta, globals = native.setmeta, native.globals
local type, next, tostring, error = type, next, tostring, error
local rawget, rawset, rawequal = rawget, rawset, rawequal
local format, sort, concat = string.format, table.sort, table.concat

local functions = {start = true, update = true, stop = true, check = true}
local game, present, state_keys, undo_log, globals_before
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

-- Its keys, and those of the tables in it.
local function keys(t, seen)
    if type(t) ~= "table" then return true end
    if seen[t] then return seen[t] end
    local out = {}
    seen[t] = out
    for key, value in next, t do out[key] = keys(value, seen) end
    return out
end

local function adopt(new)
    check(new)
    game, present = new, describe(new, "", {}, 0)
    state_keys = keys(rawget(new, "state"), {})
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

-- Of game.state only what the file has not given before is added: what the game itself has taken
-- out since then stays out. given: nil where all is the game's own.
local function keep(old, new, seen, given)
    if rawequal(old, new) or seen[new] then return end
    seen[new] = old
    if type(given) ~= "table" then given = nil end
    for key, value in next, new do
        local before = rawget(old, key)
        if type(before) == "table" and type(value) == "table" then
            keep(before, value, seen, given and given[key])
        elseif before == nil and given and given[key] == nil then
            put(old, key, value)
        end
    end
end

-- Functions are replaced, what is new is added, and all else stays as it was.
local function merge(old, new, seen)
    if rawequal(old, new) or seen[new] then return end
    seen[new] = old
    for key, value in next, new do
        local before = rawget(old, key)
        if before == nil or type(value) == "function" then
            put(old, key, value)
        elseif type(value) == "table" and type(before) == "table" then
            merge(before, value, seen)
        end
    end
    local old_meta, new_meta = rawmeta(old), rawmeta(new)
    if type(old_meta) == "table" and type(new_meta) == "table" then
        merge(old_meta, new_meta, seen)
    end
end

local relink

local function relink_function(f, seen, linked)
    for i = 1, 255 do
        local name, value = getupvalue(f, i)
        if not name then return end
        if seen[value] then setupvalue(f, i, seen[value]) else relink(value, seen, linked) end
    end
end

local function relink_table(t, seen, linked)
    local moved = {}
    for key, value in next, t do
        if seen[value] then rawset(t, key, seen[value]) else relink(value, seen, linked) end
        if seen[key] then moved[#moved + 1] = key else relink(key, seen, linked) end
    end
    for i = 1, #moved do
        local value = rawget(t, moved[i])
        rawset(t, moved[i], nil)
        rawset(t, seen[moved[i]], value)
    end
    local meta = rawmeta(t)
    if seen[meta] then setmeta(t, seen[meta]) elseif meta then relink(meta, seen, linked) end
end

-- In all that the new code has made and the value leads to.
function relink(value, seen, linked)
    local kind = type(value)
    if kind ~= "function" and kind ~= "table" or linked[value] then return end
    linked[value] = true
    if kind == "function" then
        relink_function(value, seen, linked)
    else
        relink_table(value, seen, linked)
    end
end

-- The old world is left as it is, but for what the new files have put in it while they ran.
local function relink_all(seen)
    local linked = {[globals] = true, [modules] = true}
    for _, old in next, seen do linked[old] = true end
    for _, module in next, modules do
        if type(module) == "table" then
            linked[module] = true
            for key, value in next, module do
                if seen[value] then put(module, key, seen[value]) end
            end
        end
    end
    for i = 1, #undo_log do relink(rawget(undo_log[i][1], undo_log[i][2]), seen, linked) end
    for key, value in next, globals do
        if seen[value] then
            rawset(globals, key, seen[value])
        elseif not rawequal(value, globals_before[key]) then
            relink(value, seen, linked)
        end
    end
end

-- names and chunks in the order in which they were first required; what they return.
local function reload(names, chunks, main)
    undo_log, globals_before = {}, nil
    local before = {}
    for key, value in next, globals do before[key] = value end
    globals_before = before
    local seen = {}
    for i = 1, #names do
        local name = names[i]
        local new, old = chunks[i](name), modules[name]
        if new == nil then new = true end
        if type(new) == "table" and type(old) == "table" then
            merge(old, new, seen)
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
    local new_keys = keys(rawget(new, "state"), {})
    if rawget(game, "state") and rawget(new, "state") then
        keep(game.state, new.state, seen, state_keys)
    end
    merge(game, new, seen)
    for name in next, functions do
        if rawget(new, name) == nil then put(game, name, nil) end
    end
    relink_all(seen)
    state_keys = new_keys
end

local function undo()
    for i = #undo_log, 1, -1 do rawset(undo_log[i][1], undo_log[i][2], undo_log[i][3]) end
    undo_log = {}
    if not globals_before then return end
    for key in next, globals do
        if globals_before[key] == nil then rawset(globals, key, nil) end
    end
    for key, value in next, globals_before do rawset(globals, key, value) end
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
