local s = "%s"
while true do s = s:rep(100):format(s) end
