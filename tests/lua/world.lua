-- Sessions over a simulated network for tests: a world of peers that tick together.
local tern = require "tern"

local world = {}

world.types = {
    {name = "ship", objects_max = 32, orphan = "destroy", fields = {
        {name = "position", kind = "float32", count = 2, min = -1000, max = 1000, step = 0.01},
        {name = "health", kind = "int32", min = 0, max = 100}}},
    {name = "chat", fields = {{name = "text", kind = "text", count = 64}}},
    {name = "hit", fields = {
        {name = "target", kind = "object"}, {name = "damage", kind = "uint8"}}},
    {name = "rock", objects_max = 32, claim_cooldown_ms = 1, fields = {
        {name = "weight", kind = "float32"}, {name = "count", kind = "uint8"}}},
    {name = "note", objects_max = 4, fields = {{name = "about", kind = "values", count = 64}}},
}

-- options go to make_session(), and impairment to the network.
function world.make(count, options, impairment)
    local w = {sessions = {}, sockets = {}, now_us = 0, heard = {}}
    w.network = tern.make_sim_network(impairment or
        {seed = 7, latency_ms_min = 10, latency_ms_max = 30})
    for i = 1, count do
        local given = {types = world.types, name = "peer " .. i}
        for key, value in pairs(options or {}) do given[key] = value end
        w.sessions[i] = tern.make_session(given)
        w.sockets[i] = tern.make_sim_socket(w.network, "10.0.0." .. i .. ":1000")
        w.heard[i] = {}
    end
    w.sessions[1]:start()
    return w
end

function world.invite(w)
    return w.sessions[1]:invite("10.0.0.1:1000")
end

-- Ticks all peers. play(i, session) runs between receive and send, after the events are noted.
function world.tick(w, play)
    w.now_us = w.now_us + 16000
    w.network:advance(w.now_us)
    for i, session in ipairs(w.sessions) do
        local count = session:receive(w.sockets[i], w.now_us)
        for k = 1, count do
            local kind, peer, object, type, previous, call = session:event(k)
            table.insert(w.heard[i], {kind = kind, peer = peer, object = object, type = type,
                                      previous = previous, call = call})
        end
        if play then play(i, session, count) end
    end
    for i, session in ipairs(w.sessions) do session:send(w.sockets[i], w.now_us) end
end

function world.until_true(w, what, fact, play)
    for _ = 1, 2000 do
        if fact() then return end
        world.tick(w, play)
    end
    error("not within 2000 ticks: " .. what, 2)
end

function world.all_open(w)
    for _, session in ipairs(w.sessions) do
        if session:state() ~= "open" then return false end
    end
    return true
end

-- Joins all peers one after the other; peer i is sessions[i].
function world.open(count, options, impairment)
    local w = world.make(count, options, impairment)
    for i = 2, count do
        w.sessions[i]:join(world.invite(w))
        world.until_true(w, "session " .. i .. " is open", function()
            return w.sessions[i]:state() == "open"
        end)
    end
    world.until_true(w, "all know all", function()
        for _, session in ipairs(w.sessions) do
            local known = 0
            for _ in session:peers() do known = known + 1 end
            if known ~= count - 1 then return false end
        end
        return true
    end)
    return w
end

-- Returns the first event of a kind that peer i has received, or nil.
function world.find(w, i, kind)
    for _, event in ipairs(w.heard[i]) do
        if event.kind == kind then return event end
    end
end

function world.heard_by(w, i, kind, play)
    world.until_true(w, kind .. " at " .. i, function() return world.find(w, i, kind) end, play)
    return world.find(w, i, kind)
end

local function shown(value)
    return type(value) == "string" and string.format("%q", value) or tostring(value)
end

function world.equal(got, expected, what)
    if got ~= expected then
        error((what or "") .. ": expected " .. shown(expected) .. ", got " .. shown(got), 2)
    end
end

-- Checks that f(...) fails with a text that contains all of the words.
function world.refused(words, f, ...)
    local ok, text = pcall(f, ...)
    if ok then error("not refused; expected: " .. table.concat(words, ", "), 2) end
    for _, word in ipairs(words) do
        if not tostring(text):find(word, 1, true) then
            error("\"" .. tostring(text) .. "\" does not say \"" .. word .. "\"", 2)
        end
    end
end

return world
