return table.concat(setmetatable({}, {__index = function() return "" end}), "x", 1, 2 ^ 53)
