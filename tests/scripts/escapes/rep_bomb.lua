return ("x"):rep(1e10)
