local tern = require "tern"
local world = require "world"
local equal, refused = world.equal, world.refused
local tests = {}

function tests.CallsComeInOrderWithTheirArguments()
    local w = world.open(3)
    local a, b = w.sessions[1], w.sessions[2]
    local ship = a:create("ship")
    assert(a:call(2, "chat", "hello"))
    assert(a:call("everyone", "hit", ship, 200))
    assert(a:call_unreliable(2, "chat", "quick"))
    assert(b:call(1, "chat", "to the host"))
    local heard = {{}, {}, {}}
    local function listen(i, s, count)
        for k = 1, count do
            local kind, peer, _, type = s:event(k)
            if kind == "call" and type == s:type_id("chat") then
                table.insert(heard[i], peer .. s:argument(k, "text"))
            elseif kind == "call" then
                equal(s:argument(k, "target"), ship)
                table.insert(heard[i], peer .. "hit" .. s:argument(k, 2))
                refused({"tern.argument", "a field of type hit (1 to 2"}, tern.argument, s, k, 3)
            end
        end
    end
    world.until_true(w, "all is heard", function()
        return #heard[1] == 1 and #heard[2] == 3 and #heard[3] == 1
    end, listen)
    equal(heard[1][1], "2to the host")
    equal(heard[3][1], "1hit200")
    table.sort(heard[2])
    equal(table.concat(heard[2], " "), "1hello 1hit200 1quick")
    equal(a:call(99, "chat", "nobody"), false)
end

function tests.CallsToTheHostAndToOwnersAreAnswered()
    local w = world.open(3)
    local a, b, c = w.sessions[1], w.sessions[2], w.sessions[3]
    local rock = c:create("rock")
    world.until_true(w, "all know the rock", function()
        return a:exists(rock) and b:exists(rock)
    end)
    equal(b:call("host", "chat", "to the host"), true)
    local asked = assert(b:request_owner(rock, "hit", rock, 3))
    local host_asked = assert(b:request("host", "chat", "who?"))
    assert(b:call_owner(rock, "chat", "to the owner"))
    local lost = assert(b:request_owner(123456789, "chat", "nobody's"))
    local heard, answers, failure = {}, {}, nil
    world.until_true(w, "all is answered", function()
        return heard["1to the host"] and heard["3to the owner"] and answers[asked] and
            answers[host_asked] and failure
    end, function(i, s, count)
        for k = 1, count do
            local kind, peer, object, type, _, call = s:event(k)
            if kind == "call" and type == s:type_id("chat") then
                heard[i .. s:argument(k, 1)] = true
            end
            if kind == "call" and call ~= 0 then
                assert(s:reply(peer, call, "chat", "from " .. i .. " " .. object))
            elseif kind == "reply" then
                answers[call] = s:argument(k, "text")
            elseif kind == "call_failed" and call == lost then
                failure = s:failure(k)
            end
        end
    end)
    equal(answers[asked], string.format("from 3 %d", rock))
    equal(answers[host_asked], "from 1 0")
    equal(failure, "unknown")
end

function tests.WrongCallsAreRefused()
    local w = world.open(2)
    local a = w.sessions[1]
    refused({"tern.call: argument 4 (text)", "got nothing"}, tern.call, a, 2, "chat")
    refused({"tern.call: expected 1 values for the fields of type chat, got 2"}, tern.call, a, 2,
            "chat", "a", "b")
    refused({"tern.call: argument 5 (damage)", "from 0 to 255, got 256"}, tern.call, a, 2, "hit",
            0, 256)
    refused({"tern.call: argument 2 (to)", "another peer"}, tern.call, a, 1, "chat", "me")
    refused({"tern.call: argument 2 (to)", "\"everyone\" or \"host\", got \"all\""}, tern.call, a,
            "all", "chat", "me")
    refused({"tern.call: argument 3 (type)", "\"chatt\""}, tern.call, a, 2, "chatt", "me")
    refused({"tern.call_unreliable: argument 2 (to): expected a peer (a number) or \"everyone\","},
            tern.call_unreliable, a, "host", "chat", "x")
    refused({"tern.request: argument 2 (to): expected a peer (a number) or \"host\", got \"every"},
            tern.request, a, "everyone", "chat", "x")
    refused({"tern.request", "another peer"}, tern.request, a, 1, "chat", "x")
    refused({"tern.request_timeout_ms", "from 1 to 600000"}, tern.request_timeout_ms, a, 0)
    refused({"tern.reply", "argument 3 (call)"}, tern.reply, a, 2, 0, "chat", "x")
    a:request_timeout_ms(100)
    local idle = tern.make_session {types = world.types}
    refused({"tern.call", "its state is idle"}, tern.call, idle, 2, "chat", "x")
end

function tests.EventsInOneTable()
    local w = world.open(2)
    w.sessions[1]:create("ship")
    w.sessions[1]:call(2, "chat", "hello")
    local kinds, tables = {}, {}
    world.until_true(w, "both are heard", function()
        return kinds.object_created and kinds.call
    end, function(i, s)
        if i == 1 then return end
        for event in s:events() do
            kinds[event.kind] = event.type
            tables[event] = true
            if event.kind == "call" then equal(s:argument(event.index, 1), "hello") end
            equal(event.peer, 1)
            equal(event.refusal, "none")
        end
    end)
    equal(kinds.object_created, 0)
    equal(kinds.call, 1)
    local first = next(tables)
    equal(next(tables, first), nil)
end

function tests.WhatAKindDoesNotHaveIsZeroOrEmpty()
    local w = world.make(2)
    local seen = {}
    local function check(_, s, count)
        for k = 1, count do
            local kind, peer, _, type, previous, call = s:event(k)
            local is_call = kind == "call" or kind == "reply" or kind == "call_failed"
            local is_peers = kind == "peer_joined" or kind == "caught_up"
            local here, expected = s:progress(k)
            seen[kind] = true
            equal(s:refusal(k), kind == "claim_refused" and "unknown" or "none")
            equal(s:failure(k), kind == "call_failed" and "unknown" or "none")
            equal(s:breach(k), "none")
            equal(s:payload(k), "")
            equal(s:event_name(k), kind == "peer_joined" and s:peer_name(peer) or "")
            equal(s:lost_ticks(k), 0)
            equal(here > 0, kind == "join_progress")
            equal(expected > 0, kind == "join_progress")
            equal(call ~= 0, is_call)
            equal(previous ~= 0, kind == "owner_changed")
            if is_peers or kind == "claim_refused" then equal(type, 0) end
        end
    end
    local a, b = w.sessions[1], w.sessions[2]
    local rock = a:create("rock")
    b:join(world.invite(w))
    world.until_true(w, "the second is in", function()
        return seen.caught_up and seen.peer_joined
    end, check)
    b:claim(rock)
    b:claim(9 * 2 ^ 32 + 1)
    b:request(1, "chat", "hello")
    b:request_owner(9 * 2 ^ 32 + 1, "chat", "hello")
    world.until_true(w, "all is answered", function()
        return seen.claim_granted and seen.claim_refused and seen.call_failed and seen.call
    end, check)
    assert(seen.owner_changed)
end

function tests.EventsByFunction()
    local w = world.open(2)
    local heard = {}
    w.sessions[2]:on("object_created", function(event) table.insert(heard, event.object) end)
    w.sessions[2]:on("call", function() error "replaced" end)
    w.sessions[2]:on("call", function(event)
        table.insert(heard, w.sessions[2]:argument(event.index, 1))
    end)
    local ship = w.sessions[1]:create("ship")
    world.until_true(w, "it is created", function() return heard[1] end, function(_, s)
        s:dispatch()
    end)
    equal(heard[1], ship)
    w.sessions[1]:call(2, "chat", "hello")
    world.until_true(w, "it is called", function() return heard[2] end, function(_, s)
        s:dispatch()
    end)
    equal(heard[2], "hello")
    w.sessions[2]:on("call", nil)
    w.sessions[2]:on("peer_left", function(event)
        equal(event.peer, 1)
        w.sessions[2]:destroy_session()
    end)
    w.sessions[1]:leave()
    pcall(world.until_true, w, "never", function() return false end, function(i, s)
        if i == 2 then s:dispatch() end
    end)
    refused({"destroyed"}, tern.dispatch, w.sessions[2])
    refused({"tern.on", "argument 2 (kind)", "\"object_craeted\""}, tern.on, w.sessions[1],
            "object_craeted", print)
end

function tests.AnErrorInAFunctionIsTold()
    local w = world.open(2)
    w.sessions[2]:on("call", function() error("the game's own") end)
    w.sessions[1]:call(2, "chat", "hello")
    local ok, text
    world.heard_by(w, 2, "call", function(i, s)
        if i == 2 and ok ~= false then ok, text = pcall(s.dispatch, s) end
    end)
    equal(ok, false)
    assert(text:find("the game's own", 1, true))
end

-- A session is destroyed while a script iterates over its contents.
function tests.ASessionIsDestroyedWhileItIsIterated()
    local loops = {
        events = function(s) for _ in s:events() do s:destroy_session() end end,
        objects = function(s) for _ in s:objects("ship") do s:destroy_session() end end,
        peers = function(s) for _ in s:peers() do s:destroy_session() end end,
    }
    for name, loop in pairs(loops) do
        local w = world.open(2)
        w.sessions[1]:create("ship")
        w.sessions[1]:create("ship")
        local ran
        pcall(world.until_true, w, "it is destroyed", function() return ran end, function(i, s, n)
            if i == 2 and n > 0 and s:objects("ship")(s, 0) then
                ran = true
                refused({"tern." .. name .. ": argument 1 (session): it has been destroyed"}, loop,
                        s)
            end
        end)
        assert(ran, name)
    end
end

-- Sessions and sockets hold no references to each other.
function tests.ASocketIsDestroyedWhileItsSessionGoesOn()
    local w = world.open(2)
    w.sockets[2]:destroy_socket()
    refused({"tern.receive", "argument 2 (socket)", "destroyed"}, tern.receive, w.sessions[2],
            w.sockets[2], w.now_us + 1)
    -- Another address; the connection follows it.
    w.sockets[2] = w.network:make_sim_socket("10.0.0.2:1001")
    w.network:destroy_sim_network()
    collectgarbage()
    collectgarbage()
    equal(w.sessions[2]:receive(w.sockets[2], w.now_us + 1), 0)
    w.sessions[2]:send(w.sockets[2], w.now_us + 1)
    equal(w.sessions[2]:state(), "open")
    equal(w.sockets[1]:local_address(), "10.0.0.1:1000")
end

function tests.EventsHaveBounds()
    local s = tern.make_session {}
    refused({"tern.event", "argument 2 (event)", "1 to 0"}, tern.event, s, 1)
    refused({"tern.event", "got nothing"}, tern.event, s)
    equal(s:event_count(), 0)
    for _ in s:events() do error "none" end
end

return tests
