-- Ships that fly round a buoy. Each peer owns and moves one ship and sees those of the others.
--     tern-peer ships.lua                    starts a session and prints an invite
--     tern-peer ships.lua --join INVITE      joins it
local width, height = 40, 20

local game = {
    topology = "mesh",
    peers_max = 16,
    types = {
        {name = "ship", objects_max = 16, orphan = "destroy", fields = {
            {name = "position", kind = "float32", count = 2, min = -20, max = 20, step = 0.01},
            {name = "rounds", kind = "uint16"},
        }},
    },
    state = {},
}

local function draw(session)
    local rows = {}
    for y = 1, height / 2 do rows[y] = ("."):rep(width) end
    for _, ship in session:objects("ship") do
        local x, y = session:get(ship, "position")
        local row = math.floor((y + height / 2) / 2) + 1
        local column = math.floor(x + width / 2)
        local letter = tostring(session:owner(ship) % 10)
        if rows[row] then
            rows[row] = rows[row]:sub(1, column) .. letter .. rows[row]:sub(column + 2)
        end
    end
    print(table.concat(rows, "\n") .. "\n")
end

local function say_who_is_there(session)
    local owners = {}
    for _, ship in session:objects("ship") do owners[#owners + 1] = session:owner(ship) end
    table.sort(owners)
    local line = "there are the ships of " .. table.concat(owners, ", ")
    if line ~= game.state.line then print(line) end
    game.state.line = line
end

-- Counts the rounds in a field of the ship, so that all peers see them.
local function fly(session, ship, dt)
    local state = game.state
    state.angle = state.angle + state.speed * dt
    if state.angle > 2 * math.pi then
        state.angle = state.angle - 2 * math.pi
        local rounds = session:get(ship, "rounds") + 1
        session:set(ship, "rounds", rounds)
        print("my ship has been round: " .. rounds)
    end
    session:set(ship, "position", state.radius * 2 * math.cos(state.angle),
        state.radius * math.sin(state.angle))
end

function game.start(session)
    local state = game.state
    state.radius = 3 + session:self() * 1.7 % 6
    state.speed = 1.5 + math.random() * 2
    state.angle = 0
    state.next_map = 0
    -- nil if objects_max ships are alive; this peer then only watches.
    state.ship = session:create("ship", {position = {state.radius * 2, 0}})
end

function game.update(session, dt)
    local state = game.state
    for event in session:events() do
        if event.kind == "object_changed" and session:changed(event.index, "rounds") then
            print("the ship of " .. event.peer .. " has been round: " ..
                session:get(event.object, "rounds"))
        elseif event.kind == "peer_left" then
            print("peer " .. event.peer .. " has left")
        end
    end
    if state.ship then fly(session, state.ship, dt) end
    say_who_is_there(session)
    state.next_map = state.next_map - dt
    if state.next_map <= 0 then
        state.next_map = 2
        draw(session)
    end
end

function game.check(session)
    for _, ship in session:objects("ship") do
        assert(session:exists(ship))
        assert(ship ~= game.state.ship or session:owns(ship), "my ship is another's")
    end
end

return game
