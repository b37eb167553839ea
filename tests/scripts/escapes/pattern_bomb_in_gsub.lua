string.gsub(("a"):rep(5000), (".-"):rep(10) .. "b", "")
