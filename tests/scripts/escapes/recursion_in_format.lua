local t = {}
setmetatable(t, {__tostring = function() return ("%s"):format(t) end})
error(("%s"):format(t))
