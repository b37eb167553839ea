table.move({}, 1, 2 ^ 50, 2)
while true do end
