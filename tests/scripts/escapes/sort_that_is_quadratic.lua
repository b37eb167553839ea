-- Sorting with a comparator that answers anything.
local t = {}
for i = 1, 100000 do t[i] = i end
table.sort(t, function(a, b) return a % 2 == 0 end)
while true do end
