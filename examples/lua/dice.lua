-- Dice: a player sends a bet to the host as a request; the host (the dealer) rolls, keeps all
-- purses and replies. Each request is answered once or fails, so no bet disappears silently. If the
-- dealer leaves, the next host gets the board with the purses and continues.
local BOARD, BET, ROLLED = 0, 1, 2

local game = {
    topology = "mesh",
    peers_max = 16,
    types = {
        {name = "board", objects_max = 4, claim = "never", fields = {
            {name = "purses", kind = "values", count = 400}, -- {["peer 2"] = 70, ...}
        }},
        {name = "bet", calls_per_second_max = 10, fields = {
            {name = "coins", kind = "uint8", min = 1, max = 50},
            {name = "on", kind = "text", count = 8}, -- low, seven or high
        }},
        {name = "rolled", fields = {
            {name = "dice", kind = "uint8", count = 2},
            {name = "won", kind = "int16"},
            {name = "purse", kind = "int32"},
        }},
    },
    state = {asked = {}, wait = 0}, -- asked: on the dealer, requests that wait for a reply.
}
local choices = {"low", "seven", "high"}
local pays = {low = 1, seven = 4, high = 1} -- The win, as a multiple of the bet.

local function board_of(session)
    local found
    for _, board in session:objects(BOARD) do found = board end
    return found
end

-- --- The dealer ---

local function deal(session, board, bet)
    local purses = session:get(board, "purses") or {}
    local key = "peer " .. bet.peer
    local a, b = math.random(6), math.random(6)
    local result = a + b < 7 and "low" or a + b == 7 and "seven" or "high"
    local won = bet.on == result and bet.coins * pays[result] or -bet.coins
    purses[key] = (purses[key] or 100) + won
    if purses[key] <= 0 then purses[key] = 100 end -- A bankrupt player gets new coins.
    session:set(board, "purses", purses)
    session:reply(bet.peer, bet.call, ROLLED, a, b, won, purses[key])
    print(("I roll for peer %d (%d): %d and %d"):format(bet.peer, bet.call, a, b))
end

local function deal_all(session)
    local board = board_of(session)
    if not board then board = session:create(BOARD, {purses = {}}) end
    -- The board of a dealer that has left becomes ours soon; until then the bets wait.
    if not board or not session:owns(board) then return end
    for _, bet in ipairs(game.state.asked) do deal(session, board, bet) end
    game.state.asked = {}
end

-- --- The players, including the dealer ---

local function bet_once(session)
    local state = game.state
    local coins, on = math.random(1, 20), choices[math.random(3)]
    state.bet = session:request("host", BET, coins, on) -- nil: cannot be sent now.
    if state.bet then print(("I bet (%d): %d on %s"):format(state.bet, coins, on)) end
end

local function hear(session, event)
    local state, i = game.state, event.index
    if event.kind == "call" and event.type == BET and event.call ~= 0 then
        state.asked[#state.asked + 1] = {peer = event.peer, call = event.call,
            coins = session:argument(i, "coins"), on = session:argument(i, "on")}
    elseif event.kind == "reply" and event.call == state.bet then
        local a, b = session:argument(i, "dice")
        print(("peer %d rolls for me (%d): %d and %d, I win %d and have %d"):format(event.peer,
            event.call, a, b, session:argument(i, "won"), session:argument(i, "purse")))
        state.bet = nil
    elseif event.kind == "call_failed" and event.call == state.bet then
        print("nobody rolls for me (" .. event.call .. "): " .. event.failure)
        state.bet = nil
    elseif event.kind == "host_changed" then
        print("the dealer is now peer " .. event.peer)
    end
end

function game.update(session, dt)
    local state = game.state
    for event in session:events() do hear(session, event) end
    if session:host() == session:self() then deal_all(session) end
    state.wait = state.wait - dt
    if state.wait > 0 or state.bet then return end
    state.wait = 0.3 + math.random() / 2
    bet_once(session)
end

return game
