local s = ("x"):rep(2e6)
local n = utf8.len(s)
