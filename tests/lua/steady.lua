-- The steady loop of a game, with two peers that do everything in each tick: receive, events with
-- their arguments, get and set of each kind, all calls, iteration, statistics into a reused table,
-- send. Returns a table of functions: tick, counts (of what was done), and wasteful_tick.
local tern = require "tern"
local world = require "world"

local types = {
    {name = "all", objects_max = 16, fields = {
        {name = "flag", kind = "boolean"}, {name = "small", kind = "int8"},
        {name = "big", kind = "int64"}, {name = "count", kind = "uint32"},
        {name = "position", kind = "float32", count = 3},
        {name = "turn", kind = "quaternion"}, {name = "who", kind = "peer"},
        {name = "what", kind = "object"}, {name = "text", kind = "text", count = 16}}},
    {name = "hit", fields = {
        {name = "target", kind = "object"}, {name = "damage", kind = "uint8"},
        {name = "text", kind = "text", count = 16}}}}

local w = world.open(2, {types = types})
local a, b = w.sessions[1], w.sessions[2]
local of_a, of_b = a:create("all"), b:create("all")
world.until_true(w, "each knows the other's", function()
    return a:exists(of_b) and b:exists(of_a)
end)

local done = {ticks = 0, changed = 0, calls = 0, owner_calls = 0, events = 0, seen = 0,
              replies = 0}
local HIT = a:type_id("hit")
local kept_stats, kept_peer_stats = {}, {}
local kept_ids, xs, ys, zs = {}, {}, {}, {}
local sugared = 0
local function on_changed() sugared = sugared + 1 end
a:on("object_changed", on_changed)
b:on("object_changed", on_changed)

local function hear(session, count)
    for i = 1, count do
        local kind, peer, object, type, _, call = session:event(i)
        done.events = done.events + 1
        if kind == "object_changed" then
            if session:changed(i, "position") and session:changed(i, 1) then
                done.changed = done.changed + 1
            end
        elseif kind == "call" and type == HIT then
            local target = session:argument(i, "target")
            local damage, text = session:argument(i, 2), session:argument(i, 3)
            if target ~= of_a or damage ~= 7 or text ~= "ouch" then error "another call" end
            if object ~= 0 then done.owner_calls = done.owner_calls + 1 end
            if call ~= 0 then session:reply(peer, call, "hit", target, damage, text) end
            done.calls = done.calls + 1
        elseif kind == "reply" then
            done.replies = done.replies + 1
        end
    end
    for event in session:events() do
        if event.kind == "object_changed" and event.peer == 0 then error "nobody" end
    end
    session:dispatch()
end

local function play(session, mine, theirs)
    local tick = done.ticks
    local x, y, z = session:get(mine, "position")
    session:set(mine, "position", x + 1, y - 0.5, z + 0.25)
    session:set(mine, 1, tick % 2 == 0)
    session:set(mine, "small", tick % 100)
    session:set(mine, "big", -tick * 1000000)
    session:set(mine, "count", tick)
    session:set(mine, "turn", 0, 0, 0, 1)
    session:set(mine, "who", tern.self(session))
    session:set(mine, "what", theirs)
    session:set(mine, "text", session:get(theirs, "text"))
    for _, object in session:objects("all") do
        if session:owns(object) and session:exists(object) then done.seen = done.seen + 1 end
        if session:owner(object) == 0 or session:type(object) ~= 0 then error "nobody's" end
    end
    if session:object_ids("all", kept_ids) ~= #kept_ids then error "another count" end
    for i = 1, session:object_values("all", "position", xs, ys, zs) do
        if session:get(kept_ids[i], "position") ~= xs[i] then error "another place" end
    end
    for _, peer in session:peers() do
        session:call(peer, HIT, of_a, 7, "ouch")
        session:call_unreliable(peer, "hit", of_a, 7, "ouch")
        session:request(peer, "hit", of_a, 7, "ouch")
        session:stats(peer, kept_peer_stats)
    end
    session:call_owner(theirs, HIT, of_a, 7, "ouch")
    session:session_stats(kept_stats)
end

local function tick()
    w.now_us = w.now_us + 16000
    w.network:advance(w.now_us)
    for i = 1, 2 do
        local session, socket = w.sessions[i], w.sockets[i]
        hear(session, session:receive(socket, w.now_us))
        if session:state() ~= "open" then error "not open" end
        play(session, i == 1 and of_a or of_b, i == 1 and of_b or of_a)
        session:send(socket, w.now_us)
    end
    done.ticks = done.ticks + 1
end

local function counts()
    return done.ticks, done.changed, done.calls, done.seen, sugared, done.owner_calls, done.replies
end

-- The same loop, but it makes one new string in each tick.
local function wasteful_tick()
    a:set(of_a, "text", "tick " .. done.ticks)
    tick()
end

return {tick = tick, counts = counts, wasteful_tick = wasteful_tick}
