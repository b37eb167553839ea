return {
    types = {{name = "nothing", fields = {{name = "n", kind = "uint8"}}}},
    update = function() while true do end end,
}
