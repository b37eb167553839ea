local text, wanted = ("a"):rep(1000000), ("a"):rep(500000) .. "b"
while true do string.find(text, wanted, 1, true) end
