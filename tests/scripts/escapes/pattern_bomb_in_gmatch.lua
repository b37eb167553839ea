for _ in string.gmatch(("a"):rep(5000), (".-"):rep(10) .. "b") do end
