// Measures what tern costs from Lua: its functions against a bare C function, which is called as
// get() is and returns a number without any check; and calls between two peers against the same
// calls from C++.
#ifdef TERN_HAVE_LUA
#include "bench/sections/sections.h"
#include "lua_bindings/lua_headers.h"
#include "tern/lua.hpp"
#include "tern/sim.hpp"
#include "tern/untyped.hpp"
#include <cstdio>
#include <cstdlib>
#if LUA_VERSION_NUM < 502
extern "C" {
#include <luajit.h>
}
#endif

#ifdef LUAJIT_VERSION
#define LUA_RELEASE_NAME LUAJIT_VERSION
#else
#define LUA_RELEASE_NAME LUA_RELEASE
#endif

namespace bench {
namespace {

constexpr size_t calls_per_tick = 100;
constexpr uint64_t tick_us = 16'667;
// High enough that the rate limit never interferes.
constexpr uint32_t bytes_per_second = 100'000'000;

// Two sessions over a network. Each function of the script does its action n times.
constexpr const char *script = R"lua(
local tern, plain, calls_per_tick, tick_us, bytes_per_second, over_udp = ...
local objects_in_a_loop = 50
tern.bare = plain -- A method of sessions, which checks nothing.
local types = {
    {name = "ship", objects_max = 256, fields = {
        {name = "health", kind = "int32"},
        {name = "position", kind = "float32", count = 3},
        {name = "name", kind = "text", count = 16},
        {name = "notes", kind = "values", count = 100}}},
    {name = "hit", fields = {
        {name = "number", kind = "uint32"}, {name = "at", kind = "float32", count = 3}}},
    {name = "say", fields = {{name = "what", kind = "values", count = 100}}}}
local options = {types = types, send_bytes_per_second_max = bytes_per_second}
local network, sockets, texts = nil, {}, {}
if over_udp then
    for i = 1, 2 do
        sockets[i] = assert(tern.make_udp_socket(0))
        texts[i] = "127.0.0.1:" .. tern.local_address(sockets[i]):match("%d+$")
    end
else
    network = tern.make_sim_network{seed = 1, latency_ms_min = 0, latency_ms_max = 0}
    for i = 1, 2 do
        texts[i] = "10.0.0." .. i .. ":7777"
        sockets[i] = tern.make_sim_socket(network, texts[i])
    end
end
local a, b = tern.make_session(options), tern.make_session(options)
local now_us, count = 0, 0
local function tick()
    now_us = now_us + tick_us
    if network then network:advance(now_us) end
    count = b:receive(sockets[2], now_us)
    a:receive(sockets[1], now_us)
end
local function send()
    a:send(sockets[1], now_us)
    b:send(sockets[2], now_us)
end
tick()
a:start()
b:join(a:invite(texts[1]))
for _ = 1, 400 do
    tick()
    send()
end
assert(b:state() == "open", b:state_text())
local ship, to = a:create("ship"), b:self()
local HIT, SAY = a:type_id("hit"), a:type_id("say")
for _ = 2, objects_in_a_loop do assert(a:create("ship")) end
local value = {name = "red", at = {1.5, 2}}

-- What b has heard of the last calls, each number once.
local heard, sum = 0, 0
local function hear()
    for i = 1, count do
        local kind, _, _, type = b:event(i)
        if kind == "call" and type == HIT then
            local number, x = b:argument(i, 1), b:argument(i, 2)
            heard, sum = heard + 1, sum + number
        end
    end
end

local f = {}
function f.plain(n) for _ = 1, n do plain() end end
function f.bare(n) for _ = 1, n do a:bare(ship, "health") end end
function f.get_number(n) for _ = 1, n do a:get(ship, 1) end end
function f.get_by_name(n) for _ = 1, n do a:get(ship, "health") end end
-- A field of each object, n in all.
function f.each_get(n)
    for _ = 1, n / objects_in_a_loop do
        for _, object in a:objects("ship") do a:get(object, "health") end
    end
end
local xs, ys, zs = {}, {}, {}
function f.all_numbers(n)
    for _ = 1, n / objects_in_a_loop do
        local sum = 0
        for i = 1, a:object_values("ship", "health", xs) do sum = sum + xs[i] end
    end
end
function f.all_vectors(n)
    for _ = 1, n / objects_in_a_loop do
        local sum = 0
        for i = 1, a:object_values("ship", "position", xs, ys, zs) do
            sum = sum + xs[i] + ys[i] + zs[i]
        end
    end
end
function f.get_vector(n) for _ = 1, n do a:get(ship, 2) end end
function f.get_text(n) for _ = 1, n do a:get(ship, 3) end end
function f.set_number(n) for i = 1, n do a:set(ship, 1, i) end end
function f.set_vector(n) for i = 1, n do a:set(ship, 2, i, 2, 3) end end
function f.get_values(n) for _ = 1, n do a:get(ship, 4) end end
function f.set_values(n) for _ = 1, n do a:set(ship, 4, value) end end
function f.call(n) for i = 1, n do a:call(to, HIT, i, 1, 2, 3) end end
function f.event(n) for _ = 1, n do b:event(1) end end
function f.argument(n) for _ = 1, n do b:argument(1, 2) end end
-- Not measured: until all has arrived.
function f.settle()
    for _ = 1, 20 do
        send()
        tick()
    end
end
function f.call_and_hear()
    f.settle()
    a:call(to, HIT, 1, 1, 2, 3)
    repeat
        send()
        tick()
    until count > 0
end
function f.end_to_end(ticks)
    heard, sum = 0, 0
    local number = 0
    for _ = 1, ticks do
        for _ = 1, calls_per_tick do
            number = number + 1
            a:call(to, HIT, number, 1, 2, 3)
        end
        send()
        tick()
        hear()
    end
    for _ = 1, 200 do
        if heard == number then break end
        send()
        tick()
        hear()
    end
    return heard, sum
end
a:set(ship, 4, value)
return f
)lua";

int plain(lua_State *lua)
{
    lua_pushnumber(lua, 1);
    return 1;
}

void check(lua_State *lua, int status)
{
    if (status == 0) return;
    std::fprintf(stderr, "tern-bench: lua: %s\n", lua_tostring(lua, -1));
    std::exit(1);
}

// Returns a state that has the table of the script's functions at index 1 of its stack.
lua_State *make_lua(bool over_udp)
{
    lua_State *lua = luaL_newstate();
    luaL_openlibs(lua);
    check(lua, luaL_loadstring(lua, script));
    tern::open_lua(lua);
    lua_pushcfunction(lua, plain);
    tern::lua::push_whole(lua, calls_per_tick);
    tern::lua::push_whole(lua, tick_us);
    tern::lua::push_whole(lua, bytes_per_second);
    lua_pushboolean(lua, over_udp);
    check(lua, lua_pcall(lua, 6, 1, 0));
    return lua;
}

// Returns CPU time in ns.
double run_function(lua_State *lua, const char *name, uint64_t count, int results = 0)
{
    lua_getfield(lua, 1, name);
    tern::lua::push_whole(lua, static_cast<int64_t>(count));
    const uint64_t begin_ns = cpu_clock_ns();
    check(lua, lua_pcall(lua, 1, results, 0));
    return static_cast<double>(cpu_clock_ns() - begin_ns);
}

// --- Single functions ---

struct Function {
    lua_State *lua;
    const char *name;
    uint64_t count;
    bool is_call; // Sends calls, which must be delivered between its runs.
};

Sample run_one(Function &function)
{
    const uint64_t batch = function.is_call ? calls_per_tick : function.count;
    double cpu_ns = 0;
    for (uint64_t done = 0; done < function.count; done += batch) {
        cpu_ns += run_function(function.lua, function.name, batch);
        if (function.is_call) run_function(function.lua, "settle", 0);
    }
    const double each_ns = cpu_ns / static_cast<double>(function.count);
    return {{each_ns, 1000 / each_ns}, function.count, function.count, false};
}

bool measure_functions(const Options &options)
{
    lua_State *lua = make_lua(false);
    const uint64_t count = options.quick ? 20'000 : 500'000;
    // Leaves an event and arguments for the functions `event` and `argument`.
    run_function(lua, "call_and_hear", 0);
    constexpr const char *names[][2] = {{"bare C function, as get() is called", "bare"},
                                        {"C function that returns a number", "plain"},
                                        {"event()", "event"},
                                        {"argument(), 3 floats", "argument"},
                                        {"get(), a number", "get_number"},
                                        {"get(), field by name", "get_by_name"},
                                        {"objects() and get(), a number", "each_get"},
                                        {"object_values(), a number", "all_numbers"},
                                        {"object_values(), 3 floats", "all_vectors"},
                                        {"get(), 3 floats", "get_vector"},
                                        {"get(), text", "get_text"},
                                        {"get(), a table of 2 keys", "get_values"},
                                        {"set(), a number", "set_number"},
                                        {"set(), 3 floats", "set_vector"},
                                        {"set(), a table of 2 keys", "set_values"},
                                        {"call(), 4 numbers", "call"}};
    std::vector<Function> functions;
    for (const auto &name : names) {
        const bool is_call = std::string(name[1]) == "call";
        functions.push_back({lua, name[1], is_call ? count / 10 : count, is_call});
    }
    // Calls run last: `event` and `argument` need the events that were received before.
    std::vector<Contender> contenders;
    for (size_t i = 0; i < functions.size(); ++i)
        contenders.push_back(contender<run_one>(names[i][0], functions[i]));
    const Contender last = contenders.back();
    contenders.pop_back();
    const Section section = {"lua_functions",
                             "Functions from Lua, " LUA_RELEASE_NAME,
                             {{"ns each", 1, true}, {"millions/s", 2, false}},
                             {"The loop around them is Lua's, and is part of each."}};
    bool right = measure(section, contenders, options);
    const Contender calls[] = {contenders[0], last};
    const Section of_calls = {"lua_calls",
                              "Calls from Lua, " LUA_RELEASE_NAME,
                              {{"ns each", 1, true}, {"millions/s", 2, false}},
                              {"call() alone: what carries them is not measured here."}};
    right = measure(of_calls, calls, options) && right;
    lua_close(lua);
    return right;
}

// --- Calls from one peer to another ---

struct Hit {
    uint32_t number;
    float at[3];
};
const tern::Field hit_fields[] = {{"number", tern::FieldKind::uint32, offsetof(Hit, number)},
                                  {"at", tern::FieldKind::float32, offsetof(Hit, at), 3}};
const tern::Type hit_types[] = {{"hit", sizeof(Hit), hit_fields}};

struct Pair { // The C++ contender, over the simulated network.
    uint64_t ticks;
    tern::SimNetwork *network;
    tern::Socket *sockets[2];
    tern::Session *sessions[2];
    uint64_t now_us, heard, sum;
    float seen; // Keeps the compiler from skipping the arguments.
};

void step(Pair &pair)
{
    for (size_t i : {0u, 1u})
        pair.sockets[i]->send(tern::send(pair.sessions[i], pair.now_us));
    pair.now_us += tick_us;
    tern::advance(pair.network, pair.now_us);
    for (const tern::Event &event :
         tern::receive(pair.sessions[1], pair.sockets[1]->receive(), pair.now_us)) {
        if (event.kind != tern::EventKind::call) continue;
        pair.heard += 1;
        pair.sum += tern::call_arguments<Hit>(event).number;
        pair.seen += tern::call_arguments<Hit>(event).at[1];
    }
    tern::receive(pair.sessions[0], pair.sockets[0]->receive(), pair.now_us);
}

void open(Pair &pair)
{
    tern::SimConfig calm;
    calm.impairment = {0, 0, 0, 0};
    pair.network = tern::make_sim_network(calm);
    tern::Config config;
    config.types = hit_types;
    config.send_bytes_per_second_max = bytes_per_second;
    tern::Address addresses[2] = {};
    for (size_t i : {0u, 1u}) {
        addresses[i].ip[10] = addresses[i].ip[11] = 0xff;
        addresses[i].ip[15] = static_cast<uint8_t>(i + 1);
        addresses[i].port = 7777;
        pair.sockets[i] = tern::make_sim_socket(pair.network, addresses[i]);
        pair.sessions[i] = tern::make_session(config);
        tern::receive(pair.sessions[i], {}, pair.now_us);
    }
    tern::start(pair.sessions[0]);
    tern::join(pair.sessions[1], tern::make_invite(pair.sessions[0], std::span(addresses, 1)));
    for (int i = 0; i < 400; ++i)
        step(pair);
}

Sample sample(double cpu_ns, uint64_t calls, uint64_t heard, uint64_t sum)
{
    const double each_ns = cpu_ns / static_cast<double>(calls);
    return {{each_ns, 1e6 / each_ns}, calls, heard, sum != calls * (calls + 1) / 2};
}

Sample run_pair(Pair &pair)
{
    pair.heard = pair.sum = 0;
    const uint64_t calls = pair.ticks * calls_per_tick;
    const tern::PeerId to = tern::local_peer(pair.sessions[1]);
    uint32_t number = 0;
    const uint64_t begin_ns = cpu_clock_ns();
    for (uint64_t t = 0; t < pair.ticks; ++t) {
        for (size_t i = 0; i < calls_per_tick; ++i) {
            number += 1;
            tern::call(pair.sessions[0], to, 0, Hit{number, {1, 2, 3}});
        }
        step(pair);
    }
    for (int i = 0; i < 200 && pair.heard < calls; ++i)
        step(pair);
    return sample(static_cast<double>(cpu_clock_ns() - begin_ns), calls, pair.heard, pair.sum);
}

struct Script {
    lua_State *lua;
    uint64_t ticks;
};

Sample run_script(Script &of)
{
    const double cpu_ns = run_function(of.lua, "end_to_end", of.ticks, 2);
    const auto heard = static_cast<uint64_t>(lua_tonumber(of.lua, -2));
    const auto sum = static_cast<uint64_t>(lua_tonumber(of.lua, -1));
    lua_pop(of.lua, 2);
    return sample(cpu_ns, of.ticks * calls_per_tick, heard, sum);
}

bool measure_end_to_end(const Options &options)
{
    const uint64_t ticks = options.quick ? 50 : 500;
    Pair pair = {};
    pair.ticks = ticks;
    open(pair);
    Script simulated = {make_lua(false), ticks}, loopback = {make_lua(true), ticks};
    const Contender contenders[] = {
        contender<run_pair>("C++, simulated network", pair, Promise::everything),
        contender<run_script>("Lua, simulated network", simulated, Promise::everything),
        contender<run_script>("Lua, UDP over loopback", loopback, Promise::everything)};
    const Section section = {"lua_peers",
                             "Calls from one peer to another, " LUA_RELEASE_NAME,
                             {{"ns each", 0, true}, {"thousands/s", 0, false}},
                             {"Both sessions in one thread: call(), 100 in each tick, send, "
                              "receive, event, arguments."}};
    const bool right = measure(section, contenders, options);
    for (tern::Session *session : pair.sessions)
        tern::destroy_session(session);
    tern::destroy_sim_network(pair.network);
    lua_close(simulated.lua);
    lua_close(loopback.lua);
    return right;
}

}

bool measure_lua(const Options &options)
{
    const bool right = measure_functions(options);
    return measure_end_to_end(options) && right;
}

}
#endif
