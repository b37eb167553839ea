pcall(function() local n = 0 repeat n = n + 1 until n < 0 end)
while true do end
