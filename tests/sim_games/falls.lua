-- A game that fails after a while, deep in nested calls.
local ticks = 0

local function deep(n)
    if n == 0 then error("it fell over") end
    deep(n - 1)
    return 1
end

return {
    types = {{name = "nothing", fields = {{name = "n", kind = "uint8"}}}},
    update = function(session)
        ticks = ticks + 1
        if ticks == 100 and session:self() ~= session:host() then deep(3) end
    end,
}
