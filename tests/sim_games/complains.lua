-- A game whose check() reports an error.
return {
    types = {{name = "thing", objects_max = 8, fields = {{name = "n", kind = "uint8"}}}},
    start = function(session) session:create("thing", {n = session:self()}) end,
    check = function(session)
        local count = 0
        for _ in session:objects("thing") do count = count + 1 end
        error("there are " .. count .. " things")
    end,
}
