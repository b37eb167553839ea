function love.conf(t)
    t.window.title = "tern"
    t.window.width, t.window.height = 640, 480
    t.modules.audio, t.modules.joystick, t.modules.physics = false, false, false
end
