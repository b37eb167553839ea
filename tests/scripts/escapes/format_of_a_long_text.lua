local s = ("\1"):rep(2e6)
local t = ("%q"):format(s)
