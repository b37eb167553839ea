-- Nothing, so often that it takes years.
local t = {}
while true do t[1] = (""):rep(1e15) end
