-- The globals hold no way back to Lua's own.
for name, value in pairs(_G) do
    if name == "debug" or name == "io" or name == "package" or name == "load" then return end
end
error("no way found")
