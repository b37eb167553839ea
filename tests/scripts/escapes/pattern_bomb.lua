string.find(("a"):rep(1000), (".-"):rep(30) .. "b")
