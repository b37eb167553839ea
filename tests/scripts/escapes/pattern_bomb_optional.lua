string.find(("a"):rep(190), ("a?"):rep(190) .. ("a"):rep(190) .. "b")
