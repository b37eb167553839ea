while true do coroutine.wrap(function() for i = 1, 90 do end end)() end
