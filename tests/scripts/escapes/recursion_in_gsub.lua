local function f() ("x"):gsub("x", f) end
f()
