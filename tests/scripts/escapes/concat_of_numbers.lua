local t = {}
for i = 1, 2e5 do t[i] = 1e308 end
table.concat(t)
