-- No script reaches an assert: each function of the module is called with every kind of wrong
-- argument, and with random ones. The tests find new functions by themselves.
local tern = require "tern"
local world = require "world"
local tests = {}

-- Returns the objects for right_arguments(), which lists valid arguments of each function; a
-- function that is missing there fails the test. Optional last arguments are not listed. Functions
-- that destroy their argument get one that no other function uses.
local function make_scene()
    local w = world.open(2)
    local scene = {w = w, s = w.sessions[1], other = w.sessions[2]}
    scene.ship = scene.s:create("ship")
    scene.theirs = scene.other:create("rock")
    scene.idle = tern.make_session {types = world.types}
    world.until_true(w, "both are known", function()
        return scene.s:exists(scene.theirs) and scene.other:exists(scene.ship)
    end)
    scene.socket = assert(tern.make_udp_socket(0))
    scene.announcer = tern.make_announcer {address = "127.0.0.1:5"}
    scene.finder = tern.make_finder {}
    scene.gone = tern.make_session {}
    scene.gone:destroy_session()
    -- Tick until an event with arguments and an event with changes have arrived.
    world.until_true(w, "both are events", function()
        local heard = {}
        for i = 1, scene.other:event_count() do heard[scene.other:event(i)] = i end
        scene.called, scene.changed = heard.call, heard.object_changed
        return scene.called and scene.changed
    end, function()
        scene.s:call(2, "chat", "hello")
        scene.s:set(scene.ship, "health", w.now_us / 16000 % 100)
    end)
    return scene
end

local function right_arguments(e)
    local s, other, net = e.s, e.other, e.w.network
    return {
        make_session = {{}}, destroy_session = {tern.make_session {}}, start = {e.idle},
        join = {tern.make_session {}, s:invite("1.2.3.4:5")}, leave = {other},
        go_on = {e.cut_off}, state = {s}, state_text = {s},
        receive = {s, e.socket, 1e15}, send = {s, e.socket, 1e15}, session_clock_us = {s, 1},
        clock_us = {}, sleep_us = {0}, recorded = {tern.make_session {recording_bytes_max = 65536}},
        self = {s}, host = {s}, peers = {s}, peer_name = {s, 2}, stats = {s, 2, {}},
        session_stats = {s, {}}, type_stats = {s, "ship", {}}, traffic = {s}, digest = {s},
        explain = {s, e.ship, 2, {}}, admit = {s, 9}, refuse = {s, 9, "no"}, remove = {s, 9},
        invite = {s, "1.2.3.4:5"}, parse_invite = {"tern1-"},
        event_count = {other}, event = {other, 1}, argument = {other, e.called, 1},
        refusal = {other, 1}, breach = {other, 1},
        failure = {other, 1}, changed = {other, e.changed, 1}, progress = {other, 1},
        event_name = {other, 1}, payload = {other, 1}, lost_ticks = {other, 1}, events = {s},
        on = {s, "call", print}, dispatch = {s},
        create = {s, "ship", {}}, destroy = {s, s:create("ship")}, exists = {s, 5},
        type = {s, e.ship}, owner = {s, e.ship}, owns = {s, 5}, may_set = {s, 5},
        stamp = {s, e.ship}, get = {s, e.ship, 1}, set = {other, e.theirs, "count", 5},
        objects = {s, 0}, object_ids = {s, 0, {}},
        object_values = {s, "ship", "position", {}, {}}, creations_left = {s, "ship"},
        type_id = {s, "ship"}, field_id = {s, "ship", "health"},
        claim = {other, e.ship, "wait"}, release = {other, e.theirs}, lock = {s, e.ship, true},
        sample = {s, e.ship, "position", 1e15}, is_hidden = {s, e.ship},
        set_priority = {s, e.ship, 2, 0.5},
        set_interest = {s, "ship", "position", 2, 10, 20, 0, 0},
        migrate = {s, e.ship, 9}, refuse_claim = {s, e.ship, 2}, balance = {s, "rock"},
        call = {s, 2, "chat", "x"}, call_unreliable = {s, 2, "chat", "x"},
        call_owner = {s, e.theirs, "chat", "x"}, request = {s, 2, "chat", "x"},
        request_owner = {s, e.theirs, "chat", "x"}, request_timeout_ms = {s, 100},
        reply = {s, 2, 1, "chat", "x"},
        make_udp_socket = {0, "v4"}, make_enet_socket = {0, 4}, make_discovery_socket = {0},
        destroy_socket = {(tern.make_udp_socket(0))}, local_address = {e.socket},
        socket_stats = {e.socket, {}},
        impaired_socket = {(tern.make_udp_socket(0)), {}, 1}, parse_address = {"1.2.3.4:5"},
        random_seed = {},
        make_sim_network = {{}}, destroy_sim_network = {tern.make_sim_network {}},
        make_sim_socket = {net, "9.9.9.9:9"}, advance = {net, 1e15}, set_impairment = {net, {}},
        set_cut = {net, "1.1.1.1:1", "2.2.2.2:2", true}, network_stats = {net, {}},
        next_delivery_us = {net},
        make_announcer = {{address = "1.2.3.4:5"}},
        destroy_announcer = {tern.make_announcer {address = "1.2.3.4:5"}},
        announce = {e.announcer, s, e.socket, 1e15}, make_finder = {{}},
        destroy_finder = {tern.make_finder {}}, find = {e.finder, e.socket, 1e15},
        found = {e.finder}, bad_datagrams = {e.finder},
    }
end

-- Arguments that may be nil or missing: [function][index].
local optional = {
    receive = {[3] = true}, send = {[3] = true}, session_clock_us = {[2] = true},
    stats = {[3] = true}, session_stats = {[2] = true}, type_stats = {[3] = true},
    explain = {[4] = true}, on = {[3] = true}, create = {[3] = true}, claim = {[3] = true},
    make_udp_socket = {[2] = true}, socket_stats = {[2] = true}, impaired_socket = {[3] = true},
    make_sim_network = {[1] = true}, network_stats = {[2] = true}, announce = {[4] = true},
    find = {[3] = true}, sample = {[4] = true},
}

-- Numbers that need not be integers.
local reals = {
    set_priority = {[4] = true},
    set_interest = {[5] = true, [6] = true, [7] = true, [8] = true},
}

local function sorted_names()
    local names = {}
    for name, f in pairs(tern) do
        assert(type(f) == "function", name)
        table.insert(names, name)
    end
    table.sort(names)
    return names
end

local function copy(list, count)
    local result = {}
    for i = 1, count do result[i] = list[i] end
    return result
end

local unpack = table.unpack or unpack

-- The call must fail, and the error must name the function and the argument.
local function must_refuse(name, index, arguments, count)
    local ok, text = pcall(tern[name], unpack(arguments, 1, count))
    if ok then
        error(("tern.%s took %s as argument %d"):format(name, tostring(arguments[index]), index))
    end
    local says = type(text) == "string" and text:find("tern." .. name .. ": ", 1, true) and
        text:find("argument " .. index .. " (", 1, true) and text:find("expected", 1, true)
    if not says then error("tern." .. name .. " says of argument " .. index .. ": " .. text) end
end

function tests.EachWrongArgumentIsNamed()
    local scene = make_scene()
    local right = right_arguments(scene)
    local checked = 0
    for _, name in ipairs(sorted_names()) do
        local given = assert(right[name], name .. " is not in right_arguments()")
        for index = 1, #given do
            if name == "go_on" then break end -- go_on() is for a peer that is cut off.
            local wrong = {coroutine.create(print), io.stdout, newproxy and newproxy() or io.stderr}
            if not (optional[name] and optional[name][index]) then
                -- The argument is missing.
                must_refuse(name, index, copy(given, index - 1), index - 1)
                must_refuse(name, index, copy(given, index - 1), index)     -- The argument is nil.
            end
            for _, value in ipairs(wrong) do
                local arguments = copy(given, #given)
                arguments[index] = value
                must_refuse(name, index, arguments, #given)
                checked = checked + 1
            end
            local kind = type(given[index])
            local is_real = reals[name] and reals[name][index]
            for _, value in ipairs(is_real and {0 / 0, 1 / 0} or {0 / 0, 1 / 0, -1, 2 ^ 60, 1.5}) do
                local arguments = copy(given, #given)
                arguments[index] = value
                if kind == "number" then must_refuse(name, index, arguments, #given) end
            end
        end
    end
    assert(checked > 300)
end

function tests.ADestroyedSessionIsRefusedByAll()
    local scene = make_scene()
    local right = right_arguments(scene)
    for name, given in pairs(right) do
        local takes_session = given[1] == scene.s or given[1] == scene.other or
            given[1] == scene.idle
        if takes_session then
            local arguments = copy(given, #given)
            arguments[1] = scene.gone
            world.refused({"tern." .. name .. ": argument 1 (session): it has been destroyed"},
                          tern[name], unpack(arguments, 1, #given))
        end
    end
end

function tests.BeforeItIsOpenNothingIsDone()
    local scene = make_scene()
    local right = right_arguments(scene)
    for _, name in ipairs {"create", "destroy", "set", "claim", "release", "lock", "migrate",
                           "set_priority", "set_interest",
                           "refuse_claim", "balance", "call", "call_unreliable", "call_owner",
                           "request", "request_owner", "reply", "invite", "admit", "refuse",
                           "remove"} do
        local arguments = copy(right[name], #right[name])
        arguments[1] = scene.idle
        world.refused({"tern." .. name .. ": argument 1 (session): expected one that is open, " ..
                       "but its state is idle"}, tern[name], unpack(arguments))
    end
end

-- --- Random arguments ---

local function random_numbers(seed)
    local state = seed
    return function(count) -- Returns a number from 1 to count.
        state = (state * 1103515245 + 12345) % 2147483648
        return math.floor(state / 65536) % count + 1
    end
end

-- Skips sleep_us(), which would really sleep, and functions that take ports of the machine.
local skipped = {sleep_us = true, make_udp_socket = true, make_enet_socket = true,
                 make_discovery_socket = true}

local function make_pool(scene)
    local loop, deep = {}, {}
    loop.loop, loop[1] = loop, loop
    for _ = 1, 30 do deep = {deep} end
    local pool = {
        "note", "about", loop, deep, {about = {1, {x = 2}}}, {about = loop}, {[1] = deep},
        0, 1, 2, 3, 4, 9, -1, 1.5, 0 / 0, 1 / 0, -1 / 0, 255, 256, 65534, 65535, 2 ^ 31, 2 ^ 32,
        2 ^ 48, 2 ^ 53, 2 ^ 53 + 2, 2 ^ 63, -2 ^ 63, 1e300, true, false, "", "ship", "rock", "chat",
        "hit", "text", "health", "position", "everyone", "host", "call", "wait", "optimistic",
        "1.2.3.4:5", "[::1]:9", "tern1-abc", ("x"):rep(70000), "\0", "a\0b", "%s%n", print, {},
        {1, 2, 3}, {health = 5}, {position = {1, 2}}, {position = {1}}, {health = {}},
        {types = {{name = "a", objects_max = 3}}}, {types = {1}}, {loss = 0.5}, {index = 1},
        {index = -1}, setmetatable({}, {__index = error, __newindex = error}),
        coroutine.create(print), io.stdout, scene.ship, scene.theirs, scene.ship, scene.theirs,
        scene.s, scene.other, scene.s, scene.other, scene.s, scene.other, scene.idle, scene.gone,
        scene.w.network, scene.w.sockets[1], scene.w.sockets[2], scene.socket, scene.announcer,
        scene.finder, function() error "a function" end, scene.s:invite("10.0.0.1:1000"),
    }
    return pool
end

local function calls_of(seed, count)
    local random = random_numbers(seed)
    local names = sorted_names()
    local scene = make_scene()
    local pool = make_pool(scene)
    local right = right_arguments(scene)
    local done = 0
    for _ = 1, count do
        local name = names[random(#names)]
        local given = right[name]
        local arguments, length = {}, random(6) - 1
        for i = 1, length do
            -- Half of the arguments are valid, so that many calls get past the first checks.
            arguments[i] = random(2) == 1 and given[i] or pool[random(#pool)]
        end
        if not skipped[name] then
            local ok, text = pcall(tern[name], unpack(arguments, 1, length))
            if ok then done = done + 1 end
            if not ok and type(text) ~= "string" then error("tern." .. name) end
        end
        if random(50) == 1 then pcall(world.tick, scene.w) end
        if random(50) == 1 then pcall(tern.dispatch, scene.s) end
    end
    for _, session in ipairs {scene.s, scene.other, scene.idle} do session:destroy_session() end
    collectgarbage()
    collectgarbage()
    return done
end

function tests.ATypeOfObjectsIsNotForCalls()
    local s = make_scene().s
    world.refused({"tern.call: argument 3 (type)", "note is for objects"}, s.call, s, 2, "note", 1)
    world.refused({"tern.reply: argument 4 (type)"}, s.reply, s, 2, 1, "note", 1)
    world.refused({"tern.invite: argument 3 (address)", "others reach"}, s.invite, s,
                  "127.0.0.1:5", "0.0.0.0:5")
end

function tests.NoRandomCallEndsTheProgram()
    local done, scenes, calls = 0, 200, 150
    for seed = 1, scenes do -- Scenes are short, because random calls soon destroy their sessions.
        done = done + calls_of(seed, calls)
    end
    assert(done > scenes * calls / 10, "only " .. done .. " calls were taken")
end

-- Calls each function as often as a game might between two ticks, also with ever new numbers.
function tests.NoCountOfCallsEndsTheProgram()
    for _, name in ipairs(sorted_names()) do
        local makes = name:find("^make_") or name:find("^destroy_") or name == "impaired_socket"
        local scene = not (makes or skipped[name]) and make_scene()
        local given = scene and right_arguments(scene)[name]
        for i = 1, scene and 1500 or 0 do
            local arguments = copy(given, #given)
            for k = 2, i % 2 == 0 and #given or 0 do
                if type(given[k]) == "number" then arguments[k] = i end
            end
            local ok, text = pcall(tern[name], unpack(arguments, 1, #given))
            if i == 1 and not ok and name ~= "go_on" then error(text) end
        end
        for _ = 1, scene and 3 or 0 do pcall(world.tick, scene.w) end
    end
end

-- Returns an object with this finalizer.
local function finalized(finalizer)
    if not newproxy then return setmetatable({}, {__gc = finalizer}) end
    local proxy = newproxy(true)
    getmetatable(proxy).__gc = finalizer
    return proxy
end

-- Finalizers use objects that the collector, in an order of its own, may have freed before.
function tests.FinalizersUseWhatHasGone()
    local ran = 0
    local function leave_behind()
        local scene = make_scene()
        local all = {scene.s, scene.other, scene.w.network, scene.w.sockets[1], scene.socket,
                     scene.announcer, scene.finder}
        scene.holder = finalized(function()
            for _, name in ipairs(sorted_names()) do
                for _, handle in ipairs(all) do
                    if not skipped[name] then pcall(tern[name], handle, all[4], 1) end
                end
            end
            ran = ran + 1
        end)
        return scene
    end
    -- Scripts cannot replace the metatable's __gc.
    world.equal(getmetatable(leave_behind().s), "tern")
    for _ = 1, 4 do collectgarbage() end
    world.equal(ran, 1)
    _G.kept_to_the_end = leave_behind() -- Finalized when the state is closed.
end

-- A finalizer runs in the middle of a function that allocates, and destroys all objects.
function tests.FinalizersDestroyWhatIsInUse()
    local ran = 0
    local function with_bomb(scene, f, arguments)
        local function finalizer()
            ran = ran + 1
            for _, session in ipairs {scene.s, scene.other, scene.idle} do
                session:destroy_session()
            end
            scene.w.network:destroy_sim_network()
            for _, socket in ipairs {scene.socket, scene.w.sockets[1], scene.w.sockets[2]} do
                socket:destroy_socket()
            end
            scene.announcer:destroy_announcer()
            scene.finder:destroy_finder()
        end
        collectgarbage()
        collectgarbage("stop")
        finalized(finalizer)
        collectgarbage("restart")
        collectgarbage("setpause", 0)
        collectgarbage("setstepmul", 100000)
        pcall(f, unpack(arguments))
        collectgarbage("setpause", 200)
        collectgarbage("setstepmul", 100)
    end
    local options = {types = world.types, name = "a name", session = nil}
    for _, name in ipairs(sorted_names()) do
        for _ = 1, skipped[name] and 0 or 1 do
            local scene = make_scene()
            local arguments = right_arguments(scene)[name]
            if name == "make_session" then arguments = {options} end
            if name == "make_finder" then arguments = {{session = scene.s, game = "a"}} end
            with_bomb(scene, tern[name], arguments)
        end
    end
    for _ = 1, 5 do -- The functions that allocate most.
        local scene = make_scene()
        with_bomb(scene, function()
            for _ = 1, 3 do
                for event in scene.other:events() do event.more = {} end
                scene.other:on("call", function() scene.other:event_name(1) end)
                scene.other:dispatch()
            end
        end, {})
    end
    assert(ran > 50, ran .. " finalizers")
end

return tests
