local tern = require "tern"
local world = require "world"
local equal, refused = world.equal, world.refused
local tests = {}

function tests.TwoJoinAndLeave()
    local w = world.open(2)
    local a, b = w.sessions[1], w.sessions[2]
    equal(tern.host(a), 1)
    equal(tern.host(b), 1)
    equal(tern.self(a), 1)
    equal(tern.self(b), 2)
    equal(tern.peer_name(a, 2), "peer 2")
    equal(tern.peer_name(b, 1), "peer 1")
    equal(tern.peer_name(b, 77), "")
    local joined = world.heard_by(w, 1, "peer_joined")
    equal(joined.peer, 2)
    world.heard_by(w, 2, "caught_up")
    b:leave()
    world.until_true(w, "b has left", function() return b:state() == "left" end)
    equal(world.heard_by(w, 1, "peer_left").peer, 2)
    equal(b:state_text(), "Left the session.")
end

function tests.StarWithAdmissionAndPayload()
    local w = world.make(3, {topology = "star", admission = "ask_game"})
    local asked = {}
    local function host_answers(i, session, count)
        for k = 1, i == 1 and count or 0 do
            local kind, peer = session:event(k)
            if kind == "join_asked" then
                table.insert(asked, session:event_name(k) .. ":" .. session:payload(k))
                if session:payload(k) == "let me in" then
                    session:admit(peer)
                else
                    session:refuse(peer, "not you")
                end
            end
        end
    end
    w.sessions[2]:join(world.invite(w), "let me in")
    w.sessions[3]:join(world.invite(w), "\0\1")
    world.until_true(w, "both are answered", function()
        return w.sessions[2]:state() == "open" and w.sessions[3]:state() == "refused_by_game"
    end, host_answers)
    table.sort(asked)
    equal(table.concat(asked, " "), "peer 2:let me in peer 3:\0\1")
    assert(w.sessions[3]:state_text():find("not you", 1, true))
    w.sessions[1]:remove(tern.self(w.sessions[2]))
    world.until_true(w, "peer 2 is out", function() return w.sessions[2]:state() == "removed" end)
    refused({"tern.create", "removed"}, tern.create, w.sessions[2], "ship")
end

function tests.JoinProgressIsTold()
    local types = {{name = "page", objects_max = 20, fields = {
        {name = "text", kind = "bytes", count = 800}}}}
    local w = world.make(2, {types = types, send_bytes_per_second_max = 8192})
    for _ = 1, 20 do assert(w.sessions[1]:create("page", {text = ("x"):rep(800)})) end
    w.sessions[2]:join(world.invite(w))
    local here, expected = 0, 0
    world.until_true(w, "b is open", function() return world.all_open(w) end, function(i, s, count)
        for k = 1, i == 2 and count or 0 do
            if s:event(k) == "join_progress" then here, expected = s:progress(k) end
        end
    end)
    equal(expected, 20)
    assert(here > 0 and here <= 20)
end

function tests.WhoIsCutOffGoesOn()
    local w = world.open(3, {timeout_ms = 500})
    for i = 1, 2 do
        w.network:set_cut("10.0.0." .. i .. ":1000", "10.0.0.3:1000", true)
        w.network:set_cut("10.0.0.3:1000", "10.0.0." .. i .. ":1000", true)
    end
    refused({"tern.go_on", "cut_off", "open"}, tern.go_on, w.sessions[3])
    world.until_true(w, "3 is cut off", function() return w.sessions[3]:state() == "cut_off" end)
    w.sessions[3]:go_on()
    equal(w.sessions[3]:state(), "open")
    world.tick(w)
    equal(tern.host(w.sessions[3]), tern.self(w.sessions[3]))
end

function tests.InvitesAreReadBack()
    local w = world.make(1)
    local text = w.sessions[1]:invite("10.0.0.1:1000", "[::1]:77")
    local invite = assert(tern.parse_invite(text))
    equal(#invite.addresses, 2)
    equal(invite.addresses[1], "10.0.0.1:1000")
    equal(invite.addresses[2], "[::1]:77")
    equal(#invite.session, 16)
    local none, problem = tern.parse_invite("tern1-abc")
    equal(none, nil)
    equal(type(problem), "string")
    refused({"tern.join", "argument 2 (invite)", "an invite", "\"nonsense\""},
            tern.join, tern.make_session {}, "nonsense")
end

function tests.StatisticsFillTables()
    local w = world.open(2)
    w.sessions[1]:create("ship", {health = 7})
    world.heard_by(w, 2, "object_created")
    local given = {}
    equal(w.sessions[2]:stats(1, given), given)
    assert(given.rtt_us > 0 and given.received_bytes > 0 and given.bridged == false)
    equal(w.sessions[2]:session_stats().objects, 1)
    equal(w.sessions[1]:session_stats().owned, 1)
    assert(w.sessions[2]:type_stats("ship").received_bits > 0)
    local bits, of_health = 0, 0
    for _, row in ipairs(w.sessions[1]:traffic()) do
        bits = bits + row.bits
        if row.kind == "CREATE" and row.type == "ship" and row.field == "health" then
            of_health = of_health + row.bits
        end
    end
    equal(bits % 8, 0)
    equal(bits / 8 >= w.sessions[1]:stats(2).sent_bytes, true)
    assert(of_health > 0)
    assert(w.network:network_stats().delivered > 0)
    assert(tern.socket_stats(w.sockets[1]).sent_datagrams > 0)
    equal(w.sessions[1]:digest(), w.sessions[2]:digest())
    equal(#w.sessions[1]:digest(), 16)
    assert(w.sessions[2]:session_clock_us(w.now_us) > 0)
end

function tests.ARecordingIsTaken()
    local s = tern.make_session {recording_bytes_max = 65536}
    s:start()
    local begin = s:recorded()
    assert(#begin > 0 and #begin < 4096)
    equal(s:recorded(), "") -- What was taken is not taken again.
    local same = tern.make_session {recording_bytes_max = 65536, name = ("n"):rep(20)}
    assert(#same:recorded() > #begin and #same:recorded() == 0)
    refused({"tern.recorded", "recording_bytes_max"}, tern.recorded, tern.make_session {})
end

function tests.WhatIsDestroyedIsRefused()
    local s = tern.make_session {}
    s:destroy_session()
    s:destroy_session()
    refused({"tern.state", "destroyed"}, tern.state, s)
    refused({"tern.start", "destroyed"}, tern.start, s)
end

function tests.TypesAreRead()
    local function types(t) return function() return tern.make_session {types = t} end end
    local s = types {{name = "a", fields = {{name = "x", kind = "bytes", count = 900}}}}()
    equal(s:type_id("a"), 0)
    equal(s:field_id("a", "x"), 1)
    refused({"types[1].name", "got nothing"}, types {{}})
    refused({"types[1].fields[2].kind", "\"flaot\""}, types {{name = "a", fields = {
        {name = "x", kind = "int8"}, {name = "y", kind = "flaot"}}}})
    refused({"types[1].fields[1].", "unknown option \"cuont\""}, types {{name = "a", fields = {
        {name = "x", kind = "int8", cuont = 2}}}})
    refused({"type a, field x", "min 3"}, types {{name = "a", fields = {
        {name = "x", kind = "int8", min = 3, max = 1}}}})
    refused({"types", "a list"}, types {ship = {name = "ship"}})
    refused({"types[1].fields[1].count", "4097"}, types {{name = "a", fields = {
        {name = "x", kind = "bytes", count = 4097}}}})
    refused({"up to here the fields take 4104 bytes"}, types {{name = "a", fields = {
        {name = "x", kind = "bytes", count = 4096}, {name = "y", kind = "object"}}}})
    refused({"objects_max is 80000"}, types {{name = "a", objects_max = 40000},
                                             {name = "b", objects_max = 40000}})
    refused({"a value takes"}, types {{name = "a", fields = {
        {name = "x", kind = "uint8", count = 901}}}})
    refused({"peers_max 65, at most 64"}, tern.make_session, {peers_max = 65})
    refused({"tern.make_session: unknown option \"peer_max\""}, tern.make_session, {peer_max = 5})
    refused({"types[1].fields[1].step: expected a finite number, got \"a\""}, types {
        {name = "a", fields = {{name = "x", kind = "quaternion", step = "a"}}}})
    refused({"type a, field x: step -1"}, types {{name = "a", fields = {
        {name = "x", kind = "quaternion", step = -1}}}})
    tern.make_session {peers_max = 65, topology = "star", start = print, state = {}}
    local many = {}
    for i = 1, 257 do many[i] = {name = "t" .. i} end
    refused({"types", "at most 256, got 257"}, types(many))
end

return tests
