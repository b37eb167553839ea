-- Everything that could differ between two runs, in the output of a peer and in what it sends.
local tern = require "tern"

local game = {
    types = {{name = "word", fields = {{name = "text", kind = "text", count = 200}}}},
    peers_max = 4,
}

local function keys(t)
    local list = {}
    for key in pairs(t) do list[#list + 1] = tostring(key) end
    return table.concat(list, " ")
end

local function first_keys(t)
    local list = {}
    local key = next(t)
    while key ~= nil do
        list[#list + 1] = tostring(key)
        key = next(t, key)
    end
    return table.concat(list, " ")
end

local function say(session, name, text)
    print(name .. ": " .. text)
    session:call("everyone", "word", text)
end

local ticks = 0
function game.update(session)
    ticks = ticks + 1
    if ticks ~= 200 then return end
    local words = {}
    for word in ("the quick brown fox jumps over a lazy dog"):gmatch("%a+") do
        words[word] = #word
    end
    words[12], words[0.5], words[true], words[false] = 1, 1, 1, 1
    say(session, "pairs", keys(words))
    say(session, "next", first_keys(words))
    local removed = {}
    for word in pairs(words) do
        words[word] = nil
        removed[#removed + 1] = tostring(word)
    end
    say(session, "cleared", table.concat(removed, " ") .. " " .. tostring(next(words)))
    local list = {}
    for i = 1, 150 do list[i] = {number = i, half = i % 7} end
    table.sort(list, function(a, b) return a.half < b.half end)
    local order = {}
    for i = 1, 30 do order[i] = list[i].number end
    say(session, "sorted", table.concat(order, " "))
    say(session, "texts", tostring(list[1]) .. " " .. tostring(print) .. " " ..
        ("%s %d"):format(list[2], 7) .. " " .. tostring(list[1]))
    say(session, "random", math.random(1, 1000000) .. " " .. math.random(6) .. " " ..
        ("%.9f"):format(math.random()))
    math.randomseed(42)
    local a = math.random(1000000)
    math.randomseed(42)
    assert(a == math.random(1000000))
    say(session, "time", ("%d %s %.3f %.3f"):format(os.time(), os.date("%Y-%m-%d %H:%M:%S"),
        os.clock(), tern.clock_us() / 1e6))
    say(session, "seed", ("%.0f"):format(tern.random_seed()))
    assert(tern.session_clock_us(session) == session:session_clock_us(tern.clock_us()))
    local ok, error = pcall(keys, {[{}] = 1, [print] = 2})
    say(session, "no order", tostring(ok) .. " " .. tostring(error))
end

return game
