string.find(("a"):rep(1000), ("(a"):rep(500))
