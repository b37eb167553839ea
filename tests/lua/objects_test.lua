local tern = require "tern"
local world = require "world"
local equal, refused = world.equal, world.refused
local tests = {}

local every_kind = {{name = "all", objects_max = 4, fields = {
    {name = "flag", kind = "boolean"},
    {name = "i8", kind = "int8"}, {name = "i16", kind = "int16"},
    {name = "i32", kind = "int32"}, {name = "i64", kind = "int64"},
    {name = "u8", kind = "uint8"}, {name = "u16", kind = "uint16"},
    {name = "u32", kind = "uint32"}, {name = "u64", kind = "uint64"},
    {name = "ranged", kind = "int16", min = -5, max = 5},
    {name = "real", kind = "float32"},
    {name = "stepped", kind = "float32", count = 3, min = -1, max = 1, step = 0.5},
    {name = "turn", kind = "quaternion"},
    {name = "who", kind = "peer"}, {name = "what", kind = "object"},
    {name = "text", kind = "text", count = 8}, {name = "bytes", kind = "bytes", count = 4},
    {name = "list", kind = "uint8", count = 3}}}}

local function one()
    local s = tern.make_session {types = every_kind}
    s:start()
    return s, s:create("all")
end

local function got(s, object, field) return table.concat({s:get(object, field)}, " ") end

function tests.EachKindComesBack()
    local s, o = one()
    local function check(field, expected, ...)
        s:set(o, field, ...)
        equal(got(s, o, field), expected, field)
        s:set(o, s:field_id("all", field), ...)
        equal(got(s, o, s:field_id("all", field)), expected, field)
    end
    equal(s:get(o, "flag"), false)
    s:set(o, "flag", true)
    equal(s:get(o, "flag"), true)
    check("i8", "-128", -128)
    check("i16", "32767", 32767)
    check("i32", "-2147483648", -2147483648)
    check("u8", "255", 255.0)
    check("u16", "65535", 65535)
    check("u32", "4294967295", 4294967295)
    for _, field in ipairs {"i64", "u64"} do
        s:set(o, field, 2 ^ 53)
        assert(s:get(o, field) == 2 ^ 53)
    end
    s:set(o, "i64", -2 ^ 53)
    assert(s:get(o, "i64") == -2 ^ 53)
    check("ranged", "5", 100)
    check("ranged", "-5", -1e9)
    s:set(o, "real", 0.5)
    assert(s:get(o, "real") == 0.5)
    local x, y, z = s:get(o, "stepped")
    assert(x == 0 and y == 0 and z == 0)
    s:set(o, "stepped", 0.4, -7, 1e300)
    x, y, z = s:get(o, "stepped")
    assert(x == 0.5 and y == -1 and z == 1)
    local qx, qy, qz, qw = s:get(o, "turn")
    assert(qx == 0 and qy == 0 and qz == 0 and qw == 1)
    s:set(o, "turn", 1, 0, 0, 0)
    assert(s:get(o, "turn") == 1 and select("#", s:get(o, "turn")) == 4)
    check("who", "7", 7)
    check("what", string.format("%d", o), o)
    check("text", "seven77", "seven77")
    check("bytes", "a\0b\0", "a\0b")
    check("list", "1 2 3", 1, 2, 3)
end

function tests.WhatAFieldDoesNotHoldIsRefused()
    local s, o = one()
    local function bad(expected, field, ...)
        refused({"tern.set", expected}, tern.set, s, o, field, ...)
    end
    bad("argument 4 (flag): expected true or false, got 1", "flag", 1)
    bad("a whole number from -128 to 127, got 128", "i8", 128)
    bad("a whole number from 0 to 255, got -1", "u8", -1)
    bad("got 1.5", "u8", 1.5)
    bad("a whole number from 0 to 9007199254740992", "u64", 2 ^ 54)
    bad("a whole number", "i64", 2 ^ 60)
    bad("got \"5\"", "u8", "5")
    bad("a whole number", "ranged", 0 / 0)
    bad("a finite number", "real", 0 / 0)
    bad("a finite number", "real", 1 / 0)
    bad("that a float32 holds", "real", 1e39)
    bad("argument 6 (stepped): expected a finite number, got nothing", "stepped", 1, 2)
    bad("expected 3 values for the field stepped, got 4", "stepped", 1, 2, 3, 4)
    bad("got nothing", "turn", 1, 0, 0)
    bad("from 0 to 65535", "who", -1)
    bad("from 0 to 281474976710655", "what", 2 ^ 48)
    bad("at most 7 bytes", "text", "12345678")
    bad("none of them zero", "text", "a\0b")
    bad("at most 4 bytes", "bytes", "12345")
    bad("got nil", "text", nil)
    bad("a field of type all (1 to 18, or its name), got \"posiiton\"", "posiiton")
    bad("(1 to 18, or its name), got 19", 19, 1)
    bad("(1 to 18, or its name), got 0", 0, 1)
end

-- Values are clamped even to a range that lies beyond Lua's integers.
function tests.WhatIsSetIsClampedToItsRange()
    local s = tern.make_session {types = {{name = "far", objects_max = 1, fields = {
        {name = "u64", kind = "uint64", min = 2 ^ 63, max = 2 ^ 63 + 2 ^ 62},
        {name = "i64", kind = "int64", min = -2 ^ 63, max = -2 ^ 62},
        {name = "u8", kind = "uint8", min = 10, max = 20}}}, {name = "none"}}}
    s:start()
    local o = s:create("far")
    for _, value in ipairs {0, 1, 2 ^ 53} do
        s:set(o, "u64", value)
        assert(s:get(o, "u64") == 2 ^ 63)
        s:set(o, "i64", value)
        assert(s:get(o, "i64") == -2 ^ 62)
    end
    s:set(o, "u8", 200)
    equal(s:get(o, "u8"), 20)
    refused({"tern.field_id", "a field of type none (it has none), got 1"}, tern.field_id, s,
            "none", 1)
end

function tests.InitialValues()
    local s = one()
    local o = s:create("all", {flag = true, stepped = {1, 0, -1}, text = "hi", [2] = -3,
                               list = {7, 8, 9}})
    equal(s:get(o, "flag"), true)
    equal(s:get(o, "i8"), -3)
    equal(s:get(o, "text"), "hi")
    equal(got(s, o, "list"), "7 8 9")
    refused({"argument 3 (list): expected a list of 3 values, got a table"}, tern.create, s, "all",
            {list = {1, 2}})
    refused({"argument 3 (field)", "\"colour\""}, tern.create, s, "all", {colour = 1})
    refused({"argument 3 (i8)", "got 200"}, tern.create, s, "all", {i8 = 200})
    s:create("all")
    s:create("all")
    equal(s:create("all"), nil) -- objects_max objects are alive.
end

-- Deep equality by Lua's own rules.
local function same(a, b)
    if type(a) ~= "table" or type(b) ~= "table" then return a == b end
    for key, value in pairs(a) do
        if not same(value, b[key]) then return false end
    end
    for key in pairs(b) do
        if a[key] == nil then return false end
    end
    return true
end

function tests.ValuesTravelAsTheyAre()
    local types = {{name = "note", objects_max = 2, fields = {
        {name = "about", kind = "values", count = 256}}}}
    local w = world.open(2, {types = types})
    local a, b = w.sessions[1], w.sessions[2]
    local value = {1, "two", {3, deep = {true, false}}, [-5] = 0.5, [true] = "yes", name = "\0\255",
                   empty = {}, ["1"] = "a string"}
    local note = a:create("note", {about = value})
    world.heard_by(w, 2, "object_created")
    assert(same(b:get(note, "about"), value))
    for _, each in ipairs {0, -1, 2 ^ 53, 1e300, 0.1, -1 / 0, "", "text", true, false, {}} do
        a:set(note, "about", each)
        assert(same(a:get(note, "about"), each), tostring(each))
    end
    a:set(note, "about", nil)
    equal(a:get(note, "about"), nil)
    equal(select("#", a:get(note, "about")), 1)
    a:set(note, "about", "kept")
    local function bad(word, ...) refused({"tern.set: argument 4 (about)", word}, tern.set, a, note,
                                          "about", ...) end
    local loop = {}
    loop.loop = loop
    local wide = {}
    for i = 1, 600 do wide[i] = true end
    bad("a function", print)
    bad("a function", {deep = {print}})
    bad("a function", io.stdout)
    bad("nothing")
    bad("table", loop)
    bad("table", {[0.5 / 0] = 1, [print] = 2})
    bad("table", wide)
    bad("", ("x"):rep(300))
    if math.type then bad("", math.maxinteger) end
    equal(a:get(note, "about"), "kept")
end

function tests.ObjectsTravelAndDie()
    local w = world.open(2)
    local a, b = w.sessions[1], w.sessions[2]
    local ship = a:create("ship", {position = {3, 4}, health = 50})
    equal(world.heard_by(w, 2, "object_created").object, ship)
    equal(got(b, ship, "position"), got(a, ship, "position"))
    equal(b:owner(ship), 1)
    equal(b:type(ship), b:type_id("ship"))
    assert(a:owns(ship) and not b:owns(ship) and a:may_set(ship) and not b:may_set(ship))
    a:set(ship, "health", 20)
    world.heard_by(w, 2, "object_changed")
    equal(b:get(ship, "health"), 20)
    refused({"tern.set", "argument 2 (object)", "owns"}, tern.set, b, ship, "health", 1)
    refused({"tern.destroy", "its owner is peer 1"}, tern.destroy, b, ship)
    refused({"tern.lock", "its owner is peer 1"}, tern.lock, b, ship, true)
    refused({"tern.release", "its owner is peer 1"}, tern.release, b, ship)
    a:destroy(ship)
    assert(not a:exists(ship))
    local read
    world.heard_by(w, 2, "object_destroyed", function(i, s, count)
        for k = 1, i == 2 and count or 0 do
            local kind, _, object = s:event(k)
            if kind == "object_destroyed" then read = s:get(object, "health") end
        end
    end)
    equal(read, 20)
    world.tick(w)
    refused({"tern.get", "an object that exists"}, tern.get, b, ship, "health")
    refused({"tern.claim"}, tern.claim, b, 0)
end

function tests.ChangedFieldsAreNamed()
    local w = world.open(2)
    local a = w.sessions[1]
    local ship = a:create("ship")
    world.heard_by(w, 2, "object_created")
    a:set(ship, "health", 20)
    local position, health
    world.heard_by(w, 2, "object_changed", function(i, s, count)
        for k = 1, i == 2 and count or 0 do
            if s:event(k) == "object_changed" then
                position, health = s:changed(k, "position"), s:changed(k, 2)
                refused({"tern.argument", "object_changed"}, tern.argument, s, k, 1)
            end
        end
    end)
    equal(position, false)
    equal(health, true)
end

function tests.ClaimsLocksAndGrants()
    local w = world.open(2)
    local a, b = w.sessions[1], w.sessions[2]
    local rock = a:create("rock", {weight = 2})
    world.heard_by(w, 2, "object_created")
    equal(a:claim(rock), true) -- It is this peer's own already: nothing happens.
    a:lock(rock, true)
    for _ = 1, 10 do world.tick(w) end
    b:claim(rock)
    equal(world.heard_by(w, 2, "claim_refused").object, rock)
    equal(b:explain(rock, 2).why, "claim_refused")
    equal(b:explain(rock, 2).refusal, "locked")
    equal(b:explain(rock, 2).owner, 1)
    a:lock(rock, false)
    for _ = 1, 10 do world.tick(w) end
    b:claim(rock, "optimistic")
    assert(b:may_set(rock) and not b:owns(rock))
    b:set(rock, "weight", 9)
    equal(b:get(rock, "weight"), 9.0)
    local stamp = a:stamp(rock)
    equal(world.heard_by(w, 2, "claim_granted").object, rock)
    equal(world.heard_by(w, 1, "owner_changed").previous, 1)
    assert(b:owns(rock) and a:owner(rock) == 2 and a:stamp(rock) > stamp)
    world.until_true(w, "a has the weight", function() return a:get(rock, "weight") == 9 end)
    b:release(rock)
    world.until_true(w, "a has the rock", function() return a:owns(rock) and b:owner(rock) == 1 end)
    equal(a:migrate(rock, 2), true)
    world.until_true(w, "b has the rock", function() return b:owns(rock) end)
    refused({"tern.migrate", "the host is peer 1"}, tern.migrate, b, rock, 1)
    refused({"tern.balance", "the host is peer 1"}, tern.balance, b, "rock")
    for _ = 1, 5 do a:create("rock") end
    a:balance("rock")
    world.until_true(w, "each has three", function()
        return a:session_stats().owned == 3 and b:session_stats().owned == 3
    end)
    refused({"tern.claim", "argument 3 (mode): expected \"wait\" or \"optimistic\""},
            tern.claim, a, 12345, "now")
end

function tests.ClaimsOfUnknownObjectsHaveABound()
    local w = world.open(2)
    for i, s in ipairs(w.sessions) do
        local taken, unknown = 0, 9 * 2 ^ 32 + 1
        while s:claim(unknown + taken) do taken = taken + 1 end
        assert(taken >= 64)
        local refusals = 0
        world.until_true(w, "all are answered", function() return refusals >= taken end,
            function(k, session, count)
                for n = 1, k == i and count or 0 do
                    if session:event(n) == "claim_refused" then
                        equal(session:refusal(n), "unknown")
                        refusals = refusals + 1
                    end
                end
            end)
        equal(refusals, taken)
        equal(s:claim(unknown), true)
        equal(s:claim(5), false) -- No object has this number.
    end
end

function tests.ClaimsAreForTheGame()
    local types = {{name = "flag", objects_max = 2, claim = "ask_game", orphan = "ask_game"}}
    local w = world.open(2, {types = types})
    local flag = w.sessions[1]:create("flag")
    world.heard_by(w, 2, "object_created")
    w.sessions[2]:claim(flag)
    local refusal
    world.heard_by(w, 2, "claim_refused", function(i, s, count)
        for k = 1, count do
            local kind, peer, object = s:event(k)
            if kind == "claim_asked" then s:refuse_claim(object, peer) end
            if kind == "claim_refused" and i == 2 then refusal = s:refusal(k) end
        end
    end)
    equal(refusal, "by_game")
end

function tests.IterationSeesEachOnce()
    local s = tern.make_session {types = world.types}
    s:start()
    local seen, count = {}, 0
    for _ = 1, 5 do seen[s:create("ship")] = 0 end
    s:create("rock")
    for _, ship in s:objects("ship") do seen[ship] = seen[ship] + 1 end
    for _, ship in tern.objects(s, 0) do seen[ship] = seen[ship] + 1 end
    for _, times in pairs(seen) do
        equal(times, 2)
        count = count + 1
    end
    equal(count, 5)
    for _, ship in s:objects("ship") do s:destroy(ship) end
    for _ in s:objects("ship") do error("it is destroyed") end
    local next_object, state, control = s:objects("rock")
    assert(next_object(state, control))
    refused({"tern.objects", "argument 2 (control)"}, next_object, state, -1)
    refused({"tern.objects", "what objects() gave"}, next_object, state, 2 ^ 40)
    refused({"tern.objects", "argument 1 (session)"}, next_object, 5, control)
end

function tests.AFieldOfAllObjectsFillsTables()
    local s = tern.make_session {types = world.types}
    s:start()
    local ids, xs, ys, healths = {}, {1, 2, 3}, {}, {}
    equal(s:object_values("ship", "position", xs, ys), 0)
    equal(#xs, 0)
    local ships = {}
    for i = 1, 20 do
        ships[i] = s:create("ship", {position = {i, -i}, health = i})
        if not ships[i] then break end
    end
    s:create("rock")
    s:destroy(ships[2]) -- It can be read until the next receive(), but is not alive.
    equal(s:object_ids("ship", ids), #ships - 1)
    equal(s:object_values("ship", "position", xs, ys), #ships - 1)
    equal(s:object_values(0, 2, healths), #ships - 1)
    for i = 1, #ships - 1 do
        local x, y = s:get(ids[i], "position")
        assert(ids[i] ~= ships[2])
        equal(xs[i], x)
        equal(ys[i], y)
        equal(healths[i], s:get(ids[i], "health"))
    end
    for i = 1, #ships do if i % 2 == 1 then s:destroy(ships[i]) end end
    local left = s:object_ids("ship", ids)
    equal(#ids, left)
    equal(s:object_values("ship", "health", healths), left)
    equal(#healths, left)
    refused({"argument 5 (table)", "position"}, s.object_values, s, 0, "position", xs)
    refused({"tern.object_values", "2 tables", "got 3"}, s.object_values, s, 0, "position", xs,
            ys, xs)
end

function tests.TextsAndTablesOfAllObjectsToo()
    local s = tern.make_session {types = {{name = "note", objects_max = 64, fields = {
        {name = "text", kind = "text", count = 300}, {name = "tags", kind = "values", count = 90},
        {name = "bits", kind = "uint8", count = 17}}}}}
    s:start()
    local made, texts, tags = 0, {}, {}
    while s:create("note", {text = "note " .. made + 1, tags = {made + 1}}) do made = made + 1 end
    assert(made > 5) -- More than are copied at a time.
    equal(s:object_values("note", "text", texts), made)
    equal(s:object_values("note", "tags", tags), made)
    for i = 1, made do equal(texts[i], "note " .. tags[i][1]) end
    refused({"at most 16 values (bits has 17)"}, s.object_values, s, "note", "bits", {})
end

function tests.AFinalizerMayEndASessionWhoseObjectsAreRead()
    if not (newproxy or _VERSION == "Lua 5.4") then return end
    local function on_collect(f)
        if newproxy then getmetatable(newproxy(true)).__gc = f return end
        setmetatable({}, {__gc = f})
    end
    for _ = 1, 20 do
        local s = tern.make_session {types = every_kind}
        s:start()
        while s:create("all", {text = "abc"}) do end
        local ended
        on_collect(function() ended = true s:destroy_session() end)
        while not ended do
            local ok, count = pcall(s.object_values, s, "all", "text", {})
            assert(not ok or count <= 4)
        end
    end
end

function tests.NamesOfFieldsAreToldApart()
    -- More names than the module remembers, made anew each time, and of two types.
    local fields, others = {}, {}
    for i = 1, 60 do
        fields[i] = {name = "f" .. i, kind = "uint8"}
        others[61 - i] = fields[i]
    end
    local s = tern.make_session {types = {{name = "a", objects_max = 1, fields = fields},
                                          {name = "b", objects_max = 1, fields = others}}}
    s:start()
    local a, b = s:create("a"), s:create("b")
    for round = 1, 3 do
        for i = 1, 60 do
            s:set(a, "f" .. i, i + round)
            s:set(b, "f" .. i, 200 - i)
        end
        collectgarbage()
        for i = 1, 60 do
            equal(s:get(a, "f" .. i), i + round)
            equal(s:get(a, i), i + round)
            equal(s:get(b, "f" .. i), 200 - i)
            equal(s:get(b, 61 - i), 200 - i)
        end
    end
    refused({"tern.get", "argument 3 (field)"}, s.get, s, a, "f1\0")
    refused({"tern.get", "argument 3 (field)"}, s.get, s, a, "f61")
end

function tests.EachRotationOfAFieldBeginsAsNone()
    local s = tern.make_session {types = {{name = "arm", objects_max = 2, fields = {
        {name = "length", kind = "uint32"},
        {name = "joints", kind = "quaternion", count = 3}}}}}
    s:start()
    local joints = got(s, s:create("arm"), "joints"):gsub("%.0", "") -- Lua 5.4 writes 0.0 for 0.
    equal(joints, ("0 0 0 1 "):rep(3):sub(1, -2))
end

function tests.APeerIsANumberWithinItsLimits()
    local s, o = one()
    for _, wrong in ipairs {0, 65534, 1.5} do
        refused({"tern.set_priority", "a peer (a number from 1 to 65533)"},
            tern.set_priority, s, o, wrong, 1)
    end
    equal(tern.set_priority(s, o, 65533, 1), false) -- There is no such peer.
end

return tests
