-- Two peers over the simulated network, in any Lua that finds the module. An object is replicated
-- and changes owner, and both worlds are equal. Prints ok.
local tern = require "tern"

local types = {{name = "ship", objects_max = 4, fields = {
    {name = "position", kind = "float32", count = 2, min = -100, max = 100, step = 0.01}}}}
local network = tern.make_sim_network {seed = 5, loss = 0.1}
local sockets = {network:make_sim_socket("10.0.0.1:1"), network:make_sim_socket("10.0.0.2:1")}
local a, b = tern.make_session {types = types}, tern.make_session {types = types}
a:start()
b:join(a:invite("10.0.0.1:1"))
local ship = a:create("ship", {position = {3, 4}})

local asked = false
for tick = 1, 2000 do
    local now_us = tick * 16000
    network:advance(now_us)
    a:receive(sockets[1], now_us)
    b:receive(sockets[2], now_us)
    if b:state() == "open" and b:exists(ship) and not asked then
        b:claim(ship)
        asked = true
    end
    if b:owns(ship) then b:set(ship, "position", 7, 8) end
    a:send(sockets[1], now_us)
    b:send(sockets[2], now_us)
    if asked and b:owns(ship) and a:owner(ship) == 2 and a:get(ship, "position") == 7 and
        a:digest() == b:digest() then
        print("ok")
        return
    end
end
error "they do not come to the same world"
