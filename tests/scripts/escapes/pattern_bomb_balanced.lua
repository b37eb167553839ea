while true do string.find(("("):rep(100000), "%b()") end
