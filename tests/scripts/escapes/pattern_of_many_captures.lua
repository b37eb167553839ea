string.find("x", ("()"):rep(100))
