-- Reads the positions of 1,000 bodies into three tables, as read.c reads them into an array. Prints
-- the time of a tick in ns.
local tern = require "tern"

local bodies, ticks = 1000, 2000
local session = tern.make_session {types = {{name = "body", objects_max = bodies, fields = {
    {name = "position", kind = "float32", count = 3},
    {name = "rotation", kind = "float32", count = 4},
    {name = "health", kind = "int32"}}}}}
session:start()
for i = 0, bodies - 1 do session:create("body", {position = {i, 0, 0}, health = i}) end
local xs, ys, zs = {}, {}, {}
local clock = love and love.timer and love.timer.getTime or os.clock
local begun = clock()
for _ = 1, ticks do session:object_values("body", "position", xs, ys, zs) end
local time = clock() - begun
assert(xs[8] == 7)
print(("all %.0f"):format(time * 1e9 / ticks))
os.exit(0)
