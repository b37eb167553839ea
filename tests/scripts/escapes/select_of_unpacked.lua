local t = {}
for i = 1, 200 do t[i] = i end
while true do select("#", (unpack or table.unpack)(t)) end
