local thread = coroutine.wrap(function() while true do coroutine.yield() end end)
while true do thread() end
