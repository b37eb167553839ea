local function f(n)
    while true do pcall(n > 100 and function() while true do end end or f, n + 1) end
end
f(1)
