-- Rocks that everybody picks up and throws. A player picks a rock up by claiming it and then owns
-- it. Half of the claims are optimistic: the player holds the rock at once, and lets go if the host
-- refuses. A player locks the rock that it holds, so that claims of others are refused.
--     tern-peer rocks.lua                    starts a session and prints an invite
--     tern-peer rocks.lua --join INVITE      joins it
local rocks_max = 3

local game = {
    topology = "mesh",
    peers_max = 16,
    types = {
        {name = "rock", objects_max = 16, orphan = "spread", fields = {
            {name = "number", kind = "uint8"},
            {name = "position", kind = "float32", count = 2, min = -50, max = 50, step = 0.01},
            {name = "speed", kind = "float32", count = 2, min = -20, max = 20, step = 0.01},
            {name = "holder", kind = "peer"},
            {name = "throws", kind = "uint16"},
        }},
    },
    -- held and wanted are objects; wait is the number of seconds until the next action.
    state = {wait = 1},
}

local function say(session, what, rock)
    print(("%s rock %d, throw %d"):format(what, session:get(rock, "number"),
        session:get(rock, "throws")))
end

local function make_rocks(session)
    for number = 1, rocks_max do
        session:create("rock", {number = number, position = {math.random(-50, 50), 0}})
    end
end

local function hold(session, rock)
    local state = game.state
    session:set(rock, "holder", session:self())
    session:lock(rock, true)
    state.held, state.wait = rock, 0.3 + math.random() / 2
end

local function throw(session, rock)
    session:set(rock, "throws", session:get(rock, "throws") + 1)
    session:set(rock, "speed", math.random(-20, 20), math.random(-20, 20))
    session:set(rock, "holder", 0)
    session:lock(rock, false)
    say(session, "I throw", rock)
    game.state.held, game.state.wait = nil, math.random()
end

-- Reaches for a random rock, even one that another player holds.
local function reach_for_one(session)
    local rocks = {}
    for _, rock in session:objects("rock") do rocks[#rocks + 1] = rock end
    local rock = rocks[math.random(math.max(1, #rocks))]
    if not rock then return end
    if session:owns(rock) then
        say(session, "I pick up again", rock)
        return hold(session, rock)
    end
    game.state.wanted = rock
    if math.random() < 0.5 then
        session:claim(rock)
    else
        session:claim(rock, "optimistic")
        session:set(rock, "holder", session:self()) -- Visible only here until it is granted.
    end
end

local function fly(session, rock, dt)
    -- A rock that we own but do not hold came to us because its holder left.
    if session:get(rock, "holder") ~= 0 then session:set(rock, "holder", 0) end
    local speed_x, speed_y = session:get(rock, "speed")
    if speed_x == 0 and speed_y == 0 then return end -- A rock at rest causes no updates.
    local x, y = session:get(rock, "position")
    session:set(rock, "position", x + speed_x * dt, y + speed_y * dt)
    local slower = math.abs(speed_x) + math.abs(speed_y) < 1 and 0 or 1 - dt
    session:set(rock, "speed", speed_x * slower, speed_y * slower)
end

local function hear(session, event)
    local state, rock = game.state, event.object
    if event.kind == "claim_granted" then
        state.wanted = nil
        if not session:owns(rock) then return end -- Granted again since.
        say(session, "I pick up", rock)
        hold(session, rock)
    elseif event.kind == "claim_refused" then
        state.wanted, state.wait = nil, math.random()
        print("I do not get it: " .. event.refusal)
    elseif event.kind == "object_changed" or event.kind == "owner_changed" then
        -- A value that a new owner sets at once can arrive together with the change of owner.
        if session:changed(event.index, "throws") then
            say(session, "peer " .. session:owner(rock) .. " throws", rock)
        end
    end
end

function game.update(session, dt)
    local state = game.state
    for event in session:events() do hear(session, event) end
    local count = 0
    for _, rock in session:objects("rock") do
        count = count + 1
        if session:owns(rock) and rock ~= state.held then fly(session, rock, dt) end
    end
    if count == 0 and session:host() == session:self() then make_rocks(session) end
    if state.held and not session:owns(state.held) then state.held = nil end -- The host took it.
    state.wait = state.wait - dt
    if state.wait > 0 or state.wanted then return end
    if state.held then throw(session, state.held) else reach_for_one(session) end
end

function game.check(session)
    local state = game.state
    assert(not state.held or session:owns(state.held))
end

return game
