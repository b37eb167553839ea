local function forever() while true do end end
while true do xpcall(forever, function() xpcall(forever, forever) end) end
