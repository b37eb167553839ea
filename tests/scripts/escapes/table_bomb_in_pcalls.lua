local t = {}
while true do pcall(function() for i = 1, 1e12 do t[#t + 1] = {} end end) end
