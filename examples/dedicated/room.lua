-- The room of a treasure hunt: it hides a treasure, answers each dig with the distance, and counts
-- who finds what. The room decides all; players only dig, so nobody can cheat. client.cpp plays.
--     tern-host --config examples/dedicated/host.toml
local DIG, ANSWER = 1, 2 -- Indices into `types`, from 0.
local size = 100

local game = {
    topology = "star",
    peers_max = 64,
    types = { -- client.cpp has the same table.
        {name = "board", objects_max = 1, claim = "never", fields = {
            {name = "found", kind = "uint16"},
            {name = "finder", kind = "peer"}, -- The last one.
        }},
        {name = "dig", calls_per_second_max = 20, fields = {
            {name = "x", kind = "uint8", max = 99},
            {name = "y", kind = "uint8", max = 99},
        }},
        {name = "answer", fields = {
            {name = "steps", kind = "uint16"}, -- To the treasure, east or west and north or south.
        }},
    },
    state = {x = 0, y = 0}, -- The treasure. Nobody else gets to know it.
}
local state = game.state

local function hide()
    state.x, state.y = math.random(0, size - 1), math.random(0, size - 1)
end

function game.start(session)
    hide()
    session:create("board")
end

local function find_board(session)
    for _, board in session:objects("board") do return board end
end

local function answer(session, event)
    local x, y = session:argument(event.index, "x"), session:argument(event.index, "y")
    local steps = math.abs(x - state.x) + math.abs(y - state.y)
    session:reply(event.peer, event.call, ANSWER, steps)
    local board = find_board(session)
    if steps > 0 or not board then return end
    session:set(board, "found", session:get(board, "found") + 1)
    session:set(board, "finder", event.peer)
    print("peer " .. event.peer .. " has found treasure " .. session:get(board, "found"))
    hide()
end

function game.update(session)
    for event in session:events() do
        if event.kind == "call" and event.type == DIG and event.call ~= 0 then
            answer(session, event)
        end
    end
end

return game
