local t = {}
for i = 1, 100000 do t[i] = i % 7 end
while true do table.sort(t, rawequal) end
