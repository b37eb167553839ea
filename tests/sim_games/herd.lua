-- Sheep stray, and all peers claim them from each other.
local sheep_max = 24
local game = {
    types = {
        {name = "sheep", objects_max = 64, orphan = "spread", fields = {
            {name = "position", kind = "float32", count = 2, min = -100, max = 100, step = 0.01},
            {name = "herder", kind = "peer"},
            {name = "notes", kind = "values", count = 120},
        }},
        {name = "whistle", fields = {
            {name = "number", kind = "uint32"},
            {name = "tune", kind = "values", count = 60},
        }},
    },
    peers_max = 8,
    timeout_ms = 2000,
    state = {seconds = 0, whistles = {}, heard = 0, colours = {}},
}

local state = game.state

local function stray(session, sheep, dt)
    local x, y = session:get(sheep, "position")
    x = math.max(-100, math.min(100, x + (math.random() - 0.5) * 20 * dt))
    y = math.max(-100, math.min(100, y + (math.random() - 0.5) * 20 * dt))
    session:set(sheep, "position", x, y)
end

local function mark(session, sheep)
    local notes = session:get(sheep, "notes") or {}
    local colour = "colour " .. math.random(1, 5)
    notes[colour] = (notes[colour] or 0) + 1
    -- The order of pairs() reaches other peers, and so the digest.
    local order = {}
    for key in pairs(notes) do order[#order + 1] = key:sub(-1) end
    notes.order = nil
    session:set(sheep, "notes", notes)
    session:call("everyone", "whistle", #order, {order = table.concat(order), at = os.time()})
end

function game.start(session)
    assert(state.seconds == 0)
    session:create("sheep", {position = {math.random(-100, 100), 0}, herder = session:self()})
end

function game.update(session, dt)
    state.seconds = state.seconds + dt
    for event in session:events() do
        if event.kind == "call" then
            local tune = session:argument(event.index, "tune")
            assert(#tune.order == session:argument(event.index, "number"))
            state.heard = state.heard + 1
        end
    end
    local owned, count = {}, 0
    for _, sheep in session:objects("sheep") do
        count = count + 1
        if session:owns(sheep) then owned[#owned + 1] = sheep end
    end
    for _, sheep in ipairs(owned) do stray(session, sheep, dt) end
    if math.random() < dt and count < sheep_max then
        session:create("sheep", {position = {0, math.random(-100, 100)}, herder = session:self()})
    end
    if #owned > 0 and math.random() < dt then mark(session, owned[math.random(#owned)]) end
    if math.random() < dt then
        for _, sheep in session:objects("sheep") do
            if not session:owns(sheep) and math.random() < 0.2 then session:claim(sheep) end
        end
    end
    if #owned > 3 and math.random() < dt / 2 then session:destroy(owned[1]) end
end

function game.check(session)
    local count = 0
    for _, sheep in session:objects("sheep") do
        count = count + 1
        local x, y = session:get(sheep, "position")
        assert(x >= -100 and x <= 100 and y >= -100 and y <= 100)
        assert(session:exists(sheep) and session:owner(sheep) > 0)
    end
    assert(count <= 64, "there are " .. count .. " sheep")
end

return game
