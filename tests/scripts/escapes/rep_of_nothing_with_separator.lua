while true do local _ = (""):rep(1e15, "") end
