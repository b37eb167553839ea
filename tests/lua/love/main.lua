-- The loadable module in LÖVE, which is a LuaJIT with a loop of its own.
package.cpath = os.getenv("TERN_LUA_FOLDER") .. "/?.so;" .. package.cpath
package.path = os.getenv("LUA_PATH") .. ";" .. package.path

function love.load()
    require "two_peers"
    love.event.quit()
end
