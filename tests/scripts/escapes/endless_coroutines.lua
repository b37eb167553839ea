while true do
    local thread = coroutine.create(function() while true do end end)
    coroutine.resume(thread)
end
