-- What a game does all day must work in the sandbox as it does outside.
local unpack = unpack or table.unpack
print("printed", 1, nil)
assert(require("geometry").double(4) == 8 and require("geometry") == require("geometry"))
local wheel = require("parts.wheel")
assert(wheel.name == "parts.wheel" and wheel.geometry == require("geometry"))
assert(_G.require == require and _G._G == _G)

local t = {1, 2, 3}
table.insert(t, 4)
table.insert(t, 1, 0)
assert(table.concat(t, ",") == "0,1,2,3,4" and table.concat(t, ",", 2, 3) == "1,2")
assert(table.remove(t) == 4 and table.remove(t, 1) == 0 and #t == 3)
assert(table.remove({}) == nil)
assert(not pcall(table.insert, t, 9, 1) and not pcall(table.insert, nil, 1))
table.sort(t, function(a, b) return a > b end)
assert(table.concat(t, " ") == "3 2 1")
table.sort(t)
assert(t[1] == 1 and select("#", unpack(t)) == 3)
local moved = table.move({1, 2, 3}, 1, 3, 2)
assert(moved[1] == 1 and moved[2] == 1 and moved[4] == 3)
local proxy = setmetatable({}, {__index = function(_, i) return "p" .. i end})
assert(table.concat(proxy, ",", 1, 3) == "p1,p2,p3")

assert(("ab"):rep(2) == "abab" and ("a"):rep(3, "-") == "a-a-a" and ("a"):rep(0) == "")
assert(("a=1, b=2"):gsub("(%w+)=(%w+)", "%2=%1") == "1=a, 2=b")
assert(("%d %s"):format(1, "x") == "1 x" and ("abc"):upper() == "ABC" and #"abc" == 3)
local words = {}
for word in ("one two  three"):gmatch("%a+") do words[#words + 1] = word end
assert(table.concat(words, "|") == "one|two|three")
assert(("key = some value "):match("^(%w+)%s*=%s*(.-)%s*$") == "key")

local ok, text = pcall(error, "x", 0)
assert(not ok and text == "x")
ok, text = pcall(error, {code = 5})
assert(not ok and text.code == 5)
ok, text = xpcall(function() error("inner", 0) end, function(m) return m .. "!" end)
assert(not ok and text == "inner!")
assert(select(2, xpcall(function(...) return ... end, print, 7)) == 7)

local thread = coroutine.create(function(a)
    local b = coroutine.yield(a + 1)
    local inner, message = pcall(function() error(coroutine.yield(b + 1), 0) end)
    return inner, message
end)
assert(select(2, coroutine.resume(thread, 1)) == 2 and select(2, coroutine.resume(thread, 5)) == 6)
local _, inner, message = coroutine.resume(thread, "thrown")
assert(inner == false and message == "thrown" and coroutine.status(thread) == "dead")
local wrapped = coroutine.wrap(function() error("in it", 0) end)
ok, text = pcall(wrapped)
assert(not ok and text == "in it")

local class = setmetatable({}, {__call = function(_, x) return x end})
assert(class(3) == 3 and getmetatable(class).__call)
assert(type(os.time()) == "number" and type(os.clock()) == "number" and os.date("%Y"))
assert(collectgarbage("count") > 0 and math.floor(2.5) == 2 and tonumber("0x10") == 16)
local weak = setmetatable({}, {__mode = "v"})
weak[1] = {}
assert(rawequal(weak, weak) and next({}) == nil and rawlen == nil or rawlen(t) == 3)
