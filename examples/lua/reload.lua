-- A lighthouse whose keeper is edited while it shines. Change `step` or the text in this file while
-- tern-peer runs it: the new code works from the next tick on, the turns go on counting, and nobody
-- has to join again. A file with a mistake is refused with its reason, and the old code goes on.
--     tern-peer reload.lua                    starts a session and prints an invite
--     tern-peer reload.lua --join INVITE      joins it, and follows the light
local step = 4 -- Degrees in each tick.

local game = {
    topology = "mesh",
    peers_max = 16,
    types = {
        {name = "light", objects_max = 1, fields = {
            {name = "angle", kind = "uint16", max = 359},
            {name = "turns", kind = "uint32"},
        }},
    },
    -- Kept when the file is loaded again, as are the session and its objects. All other locals
    -- start again. A key that is new here is added to the state that is there.
    state = {seen = 0},
}
local state = game.state

local function say(turns)
    print(("the light has turned %d times, by %d degrees a tick"):format(turns, step))
end

function game.start(session)
    if session:self() == session:host() then session:create("light") end
end

local function keep(session, light)
    local angle, turns = session:get(light, "angle") + step, session:get(light, "turns")
    if angle >= 360 then
        angle, turns = angle - 360, turns + 1
        say(turns)
    end
    session:set(light, "angle", angle)
    session:set(light, "turns", turns)
end

function game.update(session)
    for _, light in session:objects("light") do
        local turns = session:get(light, "turns")
        if session:owns(light) then
            keep(session, light)
        elseif turns > state.seen then
            print("peer " .. session:self() .. " sees turn " .. turns)
        end
        state.seen = turns
    end
end

-- tern-sim calls it at the end: tern-sim run --script reload.lua --seed 1
function game.check(session)
    for _, light in session:objects("light") do
        assert(session:get(light, "angle") < 360, "the light is out of its circle")
    end
end

return game
