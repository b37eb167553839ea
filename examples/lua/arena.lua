-- Fighters in an arena, as client and server: the host owns all fighters, moves them and decides
-- every hit; players only steer. If the host leaves, the next host gets all fighters and continues.
--     tern-peer arena.lua                    starts a session and prints an invite
--     tern-peer arena.lua --join INVITE      joins it (tern-host --script arena.lua can host it)
local FIGHTER, STEER, KNOCKOUT = 0, 1, 2 -- Indices into `types`, from 0.
local size, reach, speed = 20, 2, 15
local game = {
    topology = "star",
    peers_max = 16,
    types = {
        {name = "fighter", objects_max = 32, claim = "never", fields = {
            {name = "player", kind = "peer"},
            {name = "position", kind = "float32", count = 2, min = -20, max = 20, step = 0.01},
            {name = "health", kind = "uint8", min = 0, max = 100},
            {name = "wins", kind = "uint16"},
        }},
        {name = "steer", calls_per_second_max = 20, fields = {
            {name = "direction", kind = "int8", count = 2, min = -1, max = 1}}},
        {name = "knockout", callers = "host", fields = {
            {name = "winner", kind = "peer"},
            {name = "loser", kind = "peer"},
            {name = "wins", kind = "uint16"},
        }},
    },
    state = {steering = {}, wait = 0}, -- steering: on the host, the direction of each peer.
}

local function say(...) print(("peer %d knocks out peer %d; wins: %d"):format(...)) end

local function anywhere() return math.random(-size, size), math.random(-size, size) end

-- On the host: keeps one fighter for each peer that is present.
local function keep_fighters(session)
    local wanted = {[session:self()] = true}
    for _, peer in session:peers() do wanted[peer] = true end
    local extra = {} -- Fighters of players that have left.
    for _, fighter in session:objects(FIGHTER) do
        local player = session:get(fighter, "player")
        if not wanted[player] then extra[#extra + 1] = fighter end
        wanted[player] = nil
    end
    for _, fighter in ipairs(extra) do
        if session:owns(fighter) then session:destroy(fighter) end
    end
    for player in pairs(wanted) do
        session:create(FIGHTER, {player = player, position = {anywhere()}, health = 100})
    end
end

local function hit(session, by, target)
    local health = session:get(target, "health") - 20
    if health > 0 then return session:set(target, "health", health) end
    local winner, loser = session:get(by, "player"), session:get(target, "player")
    local wins = session:get(by, "wins") + 1
    session:set(by, "wins", wins)
    session:set(target, "health", 100)
    session:set(target, "position", anywhere())
    session:call("everyone", KNOCKOUT, winner, loser, wins)
    say(winner, loser, wins) -- "everyone" does not include ourselves.
end

local function judge(session, dt)
    keep_fighters(session)
    for _, fighter in session:objects(FIGHTER) do
        local steering = game.state.steering[session:get(fighter, "player")]
        if steering and session:owns(fighter) then
            local x, y = session:get(fighter, "position")
            local step = speed * dt
            session:set(fighter, "position", x + steering[1] * step, y + steering[2] * step)
        end
    end
    for _, one in session:objects(FIGHTER) do
        local x, y = session:get(one, "position")
        for _, other in session:objects(FIGHTER) do
            local other_x, other_y = session:get(other, "position")
            if one ~= other and session:owns(one) and session:owns(other) and
                (x - other_x) ^ 2 + (y - other_y) ^ 2 < reach ^ 2 and math.random() < 8 * dt then
                hit(session, one, other)
            end
        end
    end
end

-- On each player: steers towards another fighter, a few times a second.
local function steer(session)
    local x, y, other_x, other_y
    for _, fighter in session:objects(FIGHTER) do
        if session:get(fighter, "player") == session:self() then
            x, y = session:get(fighter, "position")
        else
            other_x, other_y = session:get(fighter, "position")
        end
    end
    if not x or not other_x then return end
    -- Values out of the field's range are clamped, so this sends -1, 0 or 1.
    session:call("host", STEER, math.floor(other_x - x + 0.5), math.floor(other_y - y + 0.5))
end

function game.update(session, dt)
    local state = game.state
    for event in session:events() do
        if event.kind == "call" and event.type == STEER then
            state.steering[event.peer] = {session:argument(event.index, "direction")}
        elseif event.kind == "call" and event.type == KNOCKOUT then
            local i = event.index
            say(session:argument(i, 1), session:argument(i, 2), session:argument(i, 3))
        elseif event.kind == "host_changed" then
            print("the host is now peer " .. event.peer)
        end
    end
    if session:host() == session:self() then judge(session, dt) end
    state.wait = state.wait - dt
    if state.wait <= 0 then
        steer(session)
        state.wait = 0.2
    end
end

return game
