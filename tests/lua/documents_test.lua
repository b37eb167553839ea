-- The blocks of docs/use/lua.md that are not game scripts form one program. It must print the texts
-- that follow the arrows in the document.
local tests = {}
local folder = package.path:match("^(.*)/tests/lua/%?%.lua")

local function content(path)
    local file = assert(io.open(folder .. "/" .. path))
    local text = file:read("*a")
    file:close()
    return text
end

local function program_of(document)
    local blocks, wanted = {}, {}
    for block in content(document):gmatch("\n```lua\n(.-)```\n") do
        if not block:match("^%-%- %w+%.lua\n") then
            blocks[#blocks + 1] = block
            for line in block:gmatch("[^\n]+") do
                wanted[#wanted + 1] = line:match("%-%->%s(.*)$")
            end
        end
    end
    return table.concat(blocks), wanted
end

function tests.TheProgramOfTheLuaPagePrintsWhatItShows()
    local program, wanted = program_of("docs/use/lua.md")
    assert(#wanted > 8, "nothing is shown any more")
    local printed, shown_by = {}, print
    print = function(...) -- luacheck: ignore 121
        local parts = {}
        for i = 1, select("#", ...) do parts[i] = tostring((select(i, ...))) end
        -- A whole number in a float32 field prints as "3.0" in Lua 5.4 and as "3" in LuaJIT.
        printed[#printed + 1] = (table.concat(parts, "\t"):gsub("(%d)%.0%f[%D]", "%1"))
    end
    local chunk, problem = (loadstring or load)(program, "@docs/use/lua.md")
    local ok, trouble = false, problem
    if chunk then ok, trouble = xpcall(chunk, debug.traceback) end
    print = shown_by -- luacheck: ignore 121
    assert(ok, trouble)
    for i = 1, math.max(#wanted, #printed) do
        local one = (wanted[i] or "nothing"):gsub("(%d)%.0%f[%D]", "%1")
        local line = tostring(printed[i])
        assert(line == one, ("line %d is %q, shown is %q"):format(i, line, one))
    end
end

return tests
