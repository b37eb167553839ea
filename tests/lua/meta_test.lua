-- The annotations for editors describe exactly the functions and fields of the module.
local tern = require "tern"
local world = require "world"
local equal = world.equal
local tests = {}

local source_dir = package.path:match("^(.*)/tests/lua/")

local function lines_of_meta()
    local lines = {}
    for line in io.lines(source_dir .. "/lua_bindings/meta/tern.lua") do
        table.insert(lines, line)
    end
    return lines
end

-- Returns by name the parameters of each function, and the @param lines above it.
local function read_functions()
    local functions, params, returns = {}, {}, 0
    for _, line in ipairs(lines_of_meta()) do
        local param = line:match("^%-%-%-@param ([%w_%.]+)")
        if param then table.insert(params, param) end
        if line:match("^%-%-%-@return ") then returns = returns + 1 end
        local name, list = line:match("^function tern%.([%w_]+)%((.-)%) end$")
        if name then
            assert(not functions[name], name .. " is there twice")
            functions[name] = {list = list, params = table.concat(params, ", "), returns = returns}
        end
        if line == "" then params, returns = {}, 0 end
    end
    return functions
end

-- Returns by group a list of its items: the items that follow the line of the group.
local function read_groups(group_pattern, item_pattern)
    local groups, group = {}, nil
    for _, line in ipairs(lines_of_meta()) do
        group = line:match(group_pattern) or group
        local item = line:match(item_pattern)
        if item then
            groups[group] = groups[group] or {}
            table.insert(groups[group], item)
        end
    end
    return groups
end

local function read_classes()
    return read_groups("^%-%-%-@class tern%.([%w_]+)", "^%-%-%-@field ([%w_]+)")
end

local function sorted(list)
    table.sort(list)
    return table.concat(list, " ")
end

local function keys(t)
    local list = {}
    for key in pairs(t) do table.insert(list, key) end
    return sorted(list)
end

-- Returns the quoted words after "expected" in the error that a wrong argument causes.
local function expected_words(f, ...)
    local _, text = pcall(f, ...)
    local words = {}
    for word in text:match("expected(.*)"):gsub(", got .*", ""):gmatch('"([%w_]+)"') do
        table.insert(words, word)
    end
    return sorted(words)
end

function tests.EachFunctionIsInItAndNoOther()
    local functions = read_functions()
    for name in pairs(tern) do assert(functions[name], "the annotations lack " .. name) end
    for name in pairs(functions) do assert(tern[name], "there is no " .. name) end
end

function tests.EachParameterIsTold()
    for name, f in pairs(read_functions()) do equal(f.params, f.list, name) end
end

-- Error messages name the first argument as the annotations do.
function tests.ArgumentsHaveTheirNames()
    local checked = 0
    for name, f in pairs(read_functions()) do
        local first = f.list:match("^[%w_]+")
        if first then
            local ok, text = pcall(tern[name], coroutine.create(print))
            assert(not ok)
            local told = text:match("argument 1 %(([%w_ ]+)%)"):gsub("simulated ", "")
            equal(told, first, name)
            checked = checked + 1
        end
    end
    assert(checked > 70)
end

function tests.OptionsAreThoseThatAreTaken()
    local classes = read_classes()
    local function check(class, f, ...)
        equal(sorted(classes[class]), expected_words(f, ...), class)
    end
    check("SessionOptions", tern.make_session, {nothing = 1})
    check("TypeOptions", tern.make_session, {types = {{nothing = 1}}})
    check("FieldOptions", tern.make_session, {types = {{name = "a", fields = {{nothing = 1}}}}})
    check("SimNetworkOptions", tern.make_sim_network, {nothing = 1})
    check("Impairment", tern.set_impairment, tern.make_sim_network(), {nothing = 1})
    check("AnnouncerOptions", tern.make_announcer, {nothing = 1})
    check("FinderOptions", tern.make_finder, {nothing = 1})
end

function tests.TablesHaveTheirFields()
    local classes = read_classes()
    local w = world.open(2)
    local a = w.sessions[1]
    local ship = a:create("ship")
    world.heard_by(w, 2, "object_created", function(i, s)
        for event in s:events() do equal(keys(event), sorted(classes.Event), i) end
    end)
    equal(keys(a:stats(2)), sorted(classes.Stats))
    equal(keys(a:session_stats()), sorted(classes.SessionStats))
    equal(keys(a:type_stats("ship")), sorted(classes.TypeStats))
    equal(keys(a:explain(ship, 2)), sorted(classes.Explanation))
    equal(keys(tern.socket_stats(w.sockets[1])), sorted(classes.SocketStats))
    equal(keys(w.network:network_stats()), sorted(classes.NetworkStats))
    equal(keys(tern.parse_invite(world.invite(w))), sorted(classes.ParsedInvite))
end

function tests.WordsAreThoseThatAreTaken()
    local words = read_groups("^%-%-%-@alias tern%.([%w_]+)", '^%-%-%-| "([%w_]+)"$')
    local s = tern.make_session {}
    equal(sorted(words.EventKind), expected_words(tern.on, s, "nothing"))
    equal(sorted(words.FieldKind), expected_words(tern.make_session, {types = {
        {name = "a", fields = {{name = "b", kind = "nothing"}}}}}))
end

return tests
