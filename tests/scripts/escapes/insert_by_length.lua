-- A length that is not there, to be moved one by one.
local t = setmetatable({}, {__len = function() return 2 ^ 50 end})
table.insert(t, 1, 1)
while true do end
