string.match(("a"):rep(5000), ("a*"):rep(30) .. "b")
