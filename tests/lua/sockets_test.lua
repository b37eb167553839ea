local tern = require "tern"
local world = require "world"
local equal, refused = world.equal, world.refused
local tests = {}

-- Connects two sessions over real sockets of this machine.
local function converge(first, second)
    local port = tern.local_address(first):match("%d+$")
    local a, b = tern.make_session {types = world.types}, tern.make_session {types = world.types}
    a:start()
    b:join(a:invite("127.0.0.1:" .. port))
    local ship = a:create("ship", {health = 42})
    local begun_us = tern.clock_us()
    while not (b:state() == "open" and b:exists(ship)) do
        a:receive(first)
        b:receive(second)
        a:send(first)
        b:send(second)
        tern.sleep_us(1000)
        assert(tern.clock_us() - begun_us < 60e6, "it does not come")
    end
    equal(b:get(ship, "health"), 42)
end

function tests.OverUdp()
    converge(assert(tern.make_udp_socket(0)), assert(tern.make_udp_socket(0)))
end

function tests.OverUdpMadeWorse()
    local inner = assert(tern.make_udp_socket(0))
    local impairment = {latency_ms_min = 1, latency_ms_max = 5, loss = 0.1}
    local worse = tern.impaired_socket(inner, impairment, 3)
    refused({"tern.local_address", "inside of another"}, tern.local_address, inner)
    converge(worse, assert(tern.make_udp_socket(0)))
    assert(tern.socket_stats(worse).sent_datagrams > 0)
end

function tests.OverEnet()
    local first, problem = tern.make_enet_socket(0, 4)
    if not first then return equal(problem, "this build is without ENet") end
    converge(first, assert(tern.make_enet_socket(0, 4)))
end

function tests.APortIsGivenBack()
    local first = assert(tern.make_udp_socket(0))
    local port = tonumber(tern.local_address(first):match("%d+$"))
    local none, problem = tern.make_udp_socket(port)
    equal(none, nil)
    equal(problem, "the port is in use")
    first:destroy_socket()
    first:destroy_socket()
    assert(tern.make_udp_socket(port))
    refused({"tern.receive", "argument 2 (socket)", "destroyed"}, tern.receive,
            tern.make_session {}, first)
end

function tests.TheSimulatedNetworkOutlivesItsName()
    local socket
    do
        local network = tern.make_sim_network {}
        socket = network:make_sim_socket("1.2.3.4:5")
        refused({"tern.make_sim_socket", "no other socket"}, tern.make_sim_socket, network,
                "1.2.3.4:5")
        refused({"tern.impaired_socket", "real network"}, tern.impaired_socket, socket, {})
        network:destroy_sim_network()
        refused({"tern.advance", "destroyed"}, tern.advance, network, 1)
    end
    collectgarbage()
    collectgarbage()
    equal(tern.local_address(socket), "1.2.3.4:5")
    local session = tern.make_session {}
    session:start()
    session:receive(socket, 1)
    session:send(socket, 1)
end

function tests.TheSimulatedNetworkIsRuled()
    local network = tern.make_sim_network {seed = 3, loss = 1}
    equal(network:next_delivery_us(), nil)
    network:advance(5)
    refused({"tern.advance", "not before the last one, 5 us"}, tern.advance, network, 4)
    network:set_impairment {latency_ms_min = 1, latency_ms_max = 1}
    refused({"loss: expected a number from 0 to 1, got 2"}, tern.set_impairment, network,
            {loss = 2})
    refused({"tern.set_impairment: unknown option \"lost\""}, tern.set_impairment, network,
            {lost = 1})
    refused({"latency_ms_min: expected at most latency_ms_max (80), got 90"}, tern.set_impairment,
            network, {latency_ms_min = 90})
    refused({"an address as", "\"nowhere\""}, tern.set_cut, network, "nowhere", "1.1.1.1:1", true)
end

function tests.TimeDoesNotGoBack()
    local w = world.open(1)
    world.tick(w)
    refused({"tern.receive", "argument 3 (now_us)", "not before"}, tern.receive, w.sessions[1],
            w.sockets[1], 0)
    refused({"tern.send", "argument 3 (now_us)", "not before"}, tern.send, w.sessions[1],
            w.sockets[1], 0)
    for _, nan in ipairs {0 / 0, -(0 / 0)} do
        refused({"tern.receive", "a whole number", "got nan"}, tern.receive, w.sessions[1],
                w.sockets[1], nan)
    end
end

function tests.SessionsAreFound()
    local session = tern.make_session {types = world.types, name = "me"}
    local game = assert(tern.make_udp_socket(0))
    session:start()
    local announcer = tern.make_announcer {game = "test", name = "room",
                                           address = tern.local_address(game), open = true}
    local teller = assert(tern.make_discovery_socket(0))
    local port = tonumber(tern.local_address(teller):match("%d+$"))
    local finder = tern.make_finder {game = "test", port = port, session = session}
    local looker = assert(tern.make_discovery_socket(0))
    finder:find(looker)
    announcer:announce(session, teller)
    local asked = tern.socket_stats(looker)
    -- The machine may have no network to send to.
    assert(asked.sent_datagrams + asked.send_failures > 0)
    equal(finder:bad_datagrams(), 0)
    equal(announcer:bad_datagrams(), 0)
    finder:destroy_finder()
    refused({"tern.found", "destroyed"}, tern.found, finder)
    announcer:destroy_announcer()
    refused({"tern.announce", "destroyed"}, tern.announce, announcer, session, teller)
    refused({"tern.destroy_announcer", "expected an announcer, as in"}, tern.destroy_announcer, 5)
    refused({"tern.make_announcer: address", "got \"here\""}, tern.make_announcer,
            {address = "here"})
    refused({"tern.make_finder: session", "that would join"}, tern.make_finder, {session = 5})
end

function tests.FoundOverTheSimulatedNetwork()
    local w = world.open(1, {name = "me"})
    local announcer = tern.make_announcer {game = "test", name = "room", address = "10.0.0.1:1000",
                                           open = true}
    local teller = w.network:make_sim_socket("255.255.255.255:28376")
    local looker = w.network:make_sim_socket("10.0.0.9:1")
    local finder = tern.make_finder {game = "test", session = w.sessions[1]}
    for _ = 1, 100 do
        finder:find(looker, w.now_us)
        announcer:announce(w.sessions[1], teller, w.now_us)
        world.tick(w)
    end
    local found = finder:found()
    equal(#found, 1)
    equal(found[1].name, "room")
    equal(found[1].players, 1)
    equal(found[1].fit, "fits")
    equal(found[1].open, true)
    assert(tern.parse_invite(found[1].invite))
    equal(tern.parse_invite(found[1].invite).session, found[1].session)
end

function tests.AddressesAndChance()
    local text, port = tern.parse_address("[0:0::1]:70")
    equal(text, "[::1]:70")
    equal(port, 70)
    local none, problem = tern.parse_address("localhost:1")
    equal(none, nil)
    equal(type(problem), "string")
    assert(tern.random_seed() ~= tern.random_seed())
    refused({"tern.sleep_us", "from 0 to 1000000"}, tern.sleep_us, 1e7)
end

return tests
