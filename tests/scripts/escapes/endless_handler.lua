-- While Lua calls a handler of its own, it looks at no limit.
xpcall(function() while true do end end, function() while true do end end)
