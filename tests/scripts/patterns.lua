-- Random patterns and texts: find, match, gmatch and gsub of `ours` and of Lua give the same.
local seed = 1
local function random(n)
    seed = (seed * 16807) % 2147483647
    return seed % n + 1
end
local parts = {"a", "b", ".", "%a", "%d", "%s", "%W", "[ab]", "[^a]", "[%d_]", "[a-c]", "%%", "%.",
    "]", "-", "%bab", "%f[%w]", "%x", "%l", "%U"}
local repeats = {"", "", "", "*", "+", "-", "?"}
local function pattern()
    local text = random(8) == 1 and "^" or ""
    local open = 0
    for _ = 1, random(5) do
        local kind = random(12)
        if kind == 1 then
            text, open = text .. "(", open + 1
        elseif kind == 2 and open > 0 then
            text, open = text .. ")", open - 1
        elseif kind == 3 then
            text = text .. "()"
        elseif kind == 4 then
            text = text .. "%" .. random(2)
        else
            local part = parts[random(#parts)]
            local again = repeats[random(#repeats)]
            if part:sub(1, 2) == "%b" or part:sub(1, 2) == "%f" then again = "" end
            text = text .. part .. again
        end
    end
    if random(10) > 1 then text = text .. (")"):rep(open) end
    if random(8) == 1 then text = text .. "$" end
    return text
end
local letters = {"a", "b", "c", "1", " ", "_", "-", "%", ".", "]", "A"}
local function text()
    local t = {}
    for i = 1, random(14) - 1 do t[i] = letters[random(#letters)] end
    return table.concat(t)
end
local function outcome(...)
    local results = {...}
    -- Errors are worded otherwise by the two Luas.
    if results[1] == false then return "error" end
    for i = 1, select("#", ...) do results[i] = tostring(results[i]) end
    return table.concat(results, "|")
end
local function all(matcher, s, p)
    local results = {}
    for a, b in matcher(s, p) do
        results[#results + 1] = tostring(a) .. ";" .. tostring(b)
        if #results > 40 then break end
    end
    return table.concat(results, "|")
end
local matched = 0
for _ = 1, 30000 do
    local s, p = text(), pattern()
    local start = random(6) - 3
    if _VERSION == "Lua 5.1" and start > #s + 1 then start = 1 end -- It goes back to the end.
    local function same(what, a, b)
        if a ~= b then
            error(("%s(%q, %q, %d): %s, and of Lua itself %s"):format(what, s, p, start, a, b), 0)
        end
        if a ~= "error" and a ~= "true|nil" then matched = matched + 1 end
    end
    same("find", outcome(pcall(ours.find, s, p, start)), outcome(pcall(string.find, s, p, start)))
    same("match", outcome(pcall(ours.match, s, p, start)),
        outcome(pcall(string.match, s, p, start)))
    same("plain", outcome(pcall(ours.find, s, p, start, true)),
        outcome(pcall(string.find, s, p, start, true)))
    if _VERSION ~= "Lua 5.1" then -- Which goes on otherwise behind a match of nothing.
        same("gsub", outcome(pcall(ours.gsub, s, p, "<%0>")),
            outcome(pcall(string.gsub, s, p, "<%0>")))
        same("gsub of 2", outcome(pcall(ours.gsub, s, p, "%1", 2)),
            outcome(pcall(string.gsub, s, p, "%1", 2)))
        if p:sub(1, 1) ~= "^" then
            same("gmatch", outcome(pcall(all, ours.gmatch, s, p)),
                outcome(pcall(all, string.gmatch, s, p)))
        end
    end
end
assert(matched > 10000, "too few matches")
