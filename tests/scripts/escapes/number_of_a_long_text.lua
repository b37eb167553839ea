local s = (" "):rep(2e6)
local n = tonumber(s)
