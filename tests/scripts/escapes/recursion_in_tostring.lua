local t = {}
setmetatable(t, {__tostring = function() return tostring(t) end})
tostring(t)
