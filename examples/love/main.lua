-- A ball that whoever takes it owns, in LÖVE. The first player prints an invite; the others pass it
-- on the command line. The module must be on package.cpath:
--     LUA_CPATH='build/lua/?.so;;' love examples/love [INVITE]
-- Hold the mouse on the ball to take it and drag it. With --meet before the invite this plays by
-- itself as a guest of examples/meet.cpp, and leaves a picture.
local tern = require "tern"

local types = {
    {name = "ball", objects_max = 10, fields = {
        {name = "x", kind = "float32", min = -100, max = 100, step = 0.01},
        {name = "y", kind = "float32", min = -100, max = 100, step = 0.01},
        {name = "touches", kind = "uint16"}}},
    {name = "cheer", fields = {{name = "words", kind = "text", count = 32}}},
    {name = "thanks", fields = {{name = "touches", kind = "int32"}}},
}
local colors = {{0.9, 0.4, 0.3}, {0.3, 0.6, 0.9}, {0.5, 0.8, 0.4}, {0.9, 0.8, 0.3}}
local radius, scale = 30, 3 -- Of a ball in pixels, and pixels of a unit.
local session, socket, news

local function to_screen(x, y) return 320 + scale * x, 240 + scale * y end
local function from_screen(x, y) return (x - 320) / scale, (y - 240) / scale end

-- --- A guest of examples/meet.cpp ---

local function throw(ball)
    session:set(ball, "x", 3)
    session:set(ball, "y", 4)
    session:set(ball, "touches", session:get(ball, "touches") + 1)
    session:request(session:host(), "cheer", "hurray")
end

local function meet()
    session:on("caught_up", function()
        for _, ball in session:objects("ball") do session:claim(ball) end
    end)
    session:on("claim_granted", function(event) throw(event.object) end)
    session:on("reply", function(event)
        news = "thanks for touch " .. session:argument(event.index, "touches")
        print(news)
        love.graphics.captureScreenshot("meet.png")
        session:leave()
    end)
    for _, kind in ipairs {"claim_refused", "call_failed"} do
        session:on(kind, function() error(kind) end)
    end
end

-- --- A player ---

local function ball_at(x, y)
    for _, ball in session:objects("ball") do
        local ball_x, ball_y = to_screen(session:get(ball, "x"), session:get(ball, "y"))
        if (ball_x - x) ^ 2 + (ball_y - y) ^ 2 <= radius ^ 2 then return ball end
    end
end

function love.mousepressed(x, y)
    if session:state() ~= "open" then return end
    local ball = ball_at(x, y)
    if ball and not session:owns(ball) then session:claim(ball) end
end

function love.mousemoved(x, y)
    if session:state() ~= "open" or not love.mouse.isDown(1) then return end
    local ball = ball_at(x, y)
    if not ball or not session:may_set(ball) then return end
    local at_x, at_y = from_screen(x, y)
    session:set(ball, "x", at_x)
    session:set(ball, "y", at_y)
end

-- --- The three functions of LÖVE ---

function love.load(arguments)
    local meets = arguments[1] == "--meet"
    local invite = arguments[meets and 2 or 1]
    local problem
    socket, problem = tern.make_udp_socket(0)
    if not socket then error(problem) end
    session = tern.make_session {types = types, name = "love"}
    if invite then
        session:join(invite)
    else
        session:start()
        session:create("ball", {x = 0, y = 0})
        print("invite: " .. session:invite("127.0.0.1:" .. socket:local_address():match("%d+$")))
        io.stdout:flush()
    end
    if meets then meet() end
end

function love.update()
    session:receive(socket, tern.clock_us())
    session:dispatch()
    session:send(socket, tern.clock_us())
    local state = session:state()
    if state == "left" then love.event.quit(0) end
    if state ~= "left" and state ~= "open" and state ~= "joining" and state ~= "leaving" then
        news = session:state_text()
    end
end

function love.draw()
    local open = session:state() == "open" or session:state() == "leaving"
    love.graphics.setColor(1, 1, 1)
    local title = open and "peer " .. session:self() or session:state_text()
    love.graphics.print(news or title, 10, 10)
    if not open then return end
    for _, ball in session:objects("ball") do
        local owner = session:owner(ball)
        love.graphics.setColor(colors[owner % #colors + 1])
        local x, y = to_screen(session:get(ball, "x"), session:get(ball, "y"))
        love.graphics.circle("fill", x, y, radius)
        love.graphics.setColor(1, 1, 1)
        love.graphics.printf("peer " .. owner, x - 50, y + radius, 100, "center")
    end
end
