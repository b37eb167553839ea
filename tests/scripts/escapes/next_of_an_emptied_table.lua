local t = {}
for i = 1, 100000 do t["k" .. i] = i end
for k in pairs(t) do t[k] = nil end
while true do next(t) end
