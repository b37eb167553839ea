-- A game whose host admits no one.
return {
    types = {{name = "nothing", fields = {{name = "n", kind = "uint8"}}}},
    admission = "ask_game",
    join_timeout_ms = 1000,
}
