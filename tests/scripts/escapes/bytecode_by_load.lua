-- Code out of bytes.
load("\27Lua")()
