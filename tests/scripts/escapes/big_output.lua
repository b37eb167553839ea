while true do print(("x"):rep(1000000)) end
