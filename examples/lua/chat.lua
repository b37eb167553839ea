-- A chat with calls to everybody and with requests, which are answered. Each peer chatters by
-- itself until a person types something in its tern-peer window, for example:
--     say(session, "hello")      ask(session, 2)
local SAY, HOW_ARE_YOU, MOOD = 0, 1, 2

local game = {
    topology = "mesh",
    peers_max = 16,
    types = { -- No objects_max: these types are used for calls only.
        {name = "say", fields = {
            {name = "number", kind = "uint32"},
            {name = "text", kind = "text", count = 80},
        }},
        {name = "how_are_you", fields = {{name = "from", kind = "text", count = 32}}},
        -- A field of kind "values" holds any Lua value, here a table.
        {name = "mood", fields = {{name = "mood", kind = "values", count = 100}}},
    },
    state = {said = 0, heard = 0, wait = 0, has_person = false},
}
local moods = {"fine", "tired", "curious"}

local function my_name(session)
    local name = session:peer_name(session:self()) -- Set by tern-peer --name.
    return name ~= "" and name or "peer " .. session:self()
end

local function speak(session, text)
    local state = game.state
    state.said = state.said + 1
    session:call("everyone", SAY, state.said, text)
    print("I say (" .. state.said .. "): " .. text)
end

-- say() and ask() are global, so that a person can call them from the console.
-- luacheck: globals say ask
function say(session, text)
    game.state.has_person = true
    speak(session, text)
end

function ask(session, peer)
    local call = session:request(peer, HOW_ARE_YOU, my_name(session))
    if call then print("I ask peer " .. peer .. " (" .. call .. "): how are you?") end
end

local function hear(session, event)
    local state, i = game.state, event.index
    if event.kind == "call" and event.type == SAY then
        state.heard = state.heard + 1
        print(("peer %d says (%d): %s"):format(event.peer, session:argument(i, "number"),
            session:argument(i, "text")))
    elseif event.kind == "call" and event.type == HOW_ARE_YOU then
        -- event.call is not 0, so the caller waits for a reply, now or later.
        session:reply(event.peer, event.call, MOOD,
            {moods[math.random(#moods)], said = state.said, heard = state.heard})
        print(session:argument(i, "from") .. " asks how I am")
    elseif event.kind == "reply" then
        local mood = session:argument(i, "mood")
        print(("peer %d answers (%d): %s. I said %d and heard %d"):format(event.peer, event.call,
            mood[1], mood.said, mood.heard))
    elseif event.kind == "call_failed" then
        print("peer " .. event.peer .. " does not answer (" .. event.call .. "): " ..
            event.failure)
    elseif event.kind == "peer_joined" or event.kind == "peer_left" then
        print("peer " .. event.peer .. (event.kind == "peer_joined" and " comes" or " goes"))
    end
end

local function chatter(session)
    local others = {}
    for _, peer in session:peers() do others[#others + 1] = peer end
    if #others == 0 then return end
    if math.random() < 0.5 then
        ask(session, others[math.random(#others)])
    else
        speak(session, #others .. " of you are here")
    end
end

function game.update(session, dt)
    local state = game.state
    for event in session:events() do hear(session, event) end
    state.wait = state.wait - dt
    if state.wait > 0 or state.has_person then return end
    state.wait = 0.3 + math.random()
    chatter(session)
end

return game
