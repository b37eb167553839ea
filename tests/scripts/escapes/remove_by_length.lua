local t = setmetatable({}, {__len = function() return 2 ^ 50 end})
table.remove(t, 1)
while true do end
