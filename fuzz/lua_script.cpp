// Runs game scripts in the sandbox: arbitrary text as a script, and a script that passes arbitrary
// values from a peer to many functions. The limits hold, errors are reported as text, the console
// answers and the session stays open. A value that the script sends back is unchanged.
#include "fuzz/support/input.h"
#include "fuzz/targets.h"
#include "replication/world/values.h"

#ifndef TERN_HAVE_LUA

void tern::fuzz::fuzz_lua_script(std::span<const uint8_t>) {}

#else

#include "scripts/console.h"
#include "scripts/game.h"
#include <cstddef>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <tern/sim.hpp>
#include <tern/tern.hpp>
#include <tern/untyped.hpp>
#include <tern/values.hpp>

namespace tern::fuzz {

namespace {

using namespace scripts;

constexpr Limits limits = {4 << 20, 30'000, 0};  // No time limit, so that runs are reproducible.
constexpr size_t memory_slack_bytes = 64 * 1024; // Error messages may exceed the limit by this.
constexpr double processor_s_max = 5;            // Generous, because sanitizers are slow.
constexpr uint64_t tick_us = 16'667;

// --- The file ---

struct Folder {
    std::string path;

    Folder()
    {
        std::string name = (std::filesystem::temp_directory_path() / "tern-fuzz-XXXXXX").string();
        path = mkdtemp(name.data());
    }
    ~Folder()
    {
        std::error_code problem;
        std::filesystem::remove_all(path, problem);
    }
};

// Writes the script to the same file each time, in a folder of this process.
std::string write_script(const std::string &text)
{
    static const Folder folder;
    const std::string file = folder.path + "/game.lua";
    std::ofstream(file, std::ios::binary) << text;
    return file;
}

// --- Arbitrary text ---

constexpr const char *begin_text =
    "local tern = require 'tern'\n"
    "local game = {types = {{name = 'thing', objects_max = 4, fields = {\n"
    "    {name = 'about', kind = 'values', count = 100}, {name = 'x', kind = 'float32'}}}},\n"
    "    state = {n = 1}}\n"
    "local a, b, c, state = 1, 'text', {1, 2, 3}, game.state\n"
    "function game.update(session, dt)\n";
constexpr const char *end_text = "\nend\nreturn game\n";

// text_of() joins them with blanks.
constexpr const char *words[] = {"a",
                                 "b",
                                 "c",
                                 "state",
                                 "state.n",
                                 "session",
                                 "game",
                                 "tern",
                                 "dt",
                                 "_G",
                                 "_ENV",
                                 "self",
                                 "0",
                                 "1",
                                 "-1",
                                 "2",
                                 "3",
                                 "1e9",
                                 "1e308",
                                 "0.5",
                                 "-0.0",
                                 "2^53",
                                 "0/0",
                                 "1/0",
                                 "''",
                                 "'x'",
                                 "'%d'",
                                 "'(.-)%1'",
                                 "'%99999d'",
                                 "'thing'",
                                 "'about'",
                                 "'host'",
                                 "'everyone'",
                                 "nil",
                                 "true",
                                 "false",
                                 "...",
                                 "{",
                                 "}",
                                 "(",
                                 ")",
                                 "[",
                                 "]",
                                 "=",
                                 "==",
                                 "~=",
                                 "<",
                                 "<=",
                                 "+",
                                 "-",
                                 "*",
                                 "/",
                                 "%",
                                 "^",
                                 "..",
                                 "#",
                                 "not",
                                 "and",
                                 "or",
                                 ",",
                                 ";",
                                 ".",
                                 ":",
                                 "if",
                                 "then",
                                 "else",
                                 "elseif",
                                 "end",
                                 "while",
                                 "do",
                                 "repeat",
                                 "until",
                                 "for",
                                 "in",
                                 "break",
                                 "goto",
                                 "::l::",
                                 "function",
                                 "local",
                                 "return",
                                 "() ",
                                 "f",
                                 "function f(...)",
                                 "function() return",
                                 "for i = 1, 100 do",
                                 "for k, v in pairs(c) do",
                                 "while true do",
                                 "c[#c + 1] =",
                                 "a = ",
                                 "b = ",
                                 "pcall(",
                                 "xpcall(",
                                 "error(",
                                 "assert(",
                                 "select(",
                                 "tostring(",
                                 "tonumber(",
                                 "type(",
                                 "next(",
                                 "rawset(",
                                 "rawget(",
                                 "rawequal(",
                                 "setmetatable(",
                                 "getmetatable(",
                                 "require(",
                                 "print(",
                                 "unpack(",
                                 "collectgarbage('count')",
                                 "string.rep(",
                                 "string.find(",
                                 "string.match(",
                                 "string.gmatch(",
                                 "string.gsub(",
                                 "string.format(",
                                 "string.sub(",
                                 "string.byte(",
                                 "string.char(",
                                 "string.reverse(",
                                 "b:rep(",
                                 "b:gsub(",
                                 "b:find(",
                                 "table.concat(",
                                 "table.insert(",
                                 "table.remove(",
                                 "table.sort(",
                                 "table.unpack(",
                                 "table.move(",
                                 "math.floor(",
                                 "math.random(",
                                 "coroutine.create(",
                                 "coroutine.wrap(",
                                 "coroutine.resume(",
                                 "coroutine.yield(",
                                 "coroutine.status(",
                                 "os.time()",
                                 "os.date(",
                                 "__index",
                                 "__gc",
                                 "__mode",
                                 "__eq",
                                 "__len",
                                 "__call",
                                 "__concat",
                                 "__lt",
                                 "__tostring",
                                 "__metatable",
                                 "__pairs",
                                 "__close",
                                 "session:create('thing'",
                                 "session:set(",
                                 "session:get(",
                                 "session:call(",
                                 "session:request(",
                                 "session:reply(",
                                 "session:destroy(",
                                 "session:objects(",
                                 "session:on(",
                                 "session:dispatch()",
                                 "session:stats(",
                                 "session:explain(",
                                 "session:claim(",
                                 "session:leave()",
                                 "session:invite(",
                                 "tern.parse_invite(",
                                 "tern.type_id(",
                                 "in session:events() do",
                                 "session:argument("};

std::string text_of(Input &in, size_t bytes_max)
{
    std::string text;
    while (!input::empty(in) && text.size() < bytes_max) {
        const uint8_t word = input::u8(in);
        if (word < std::size(words))
            text += std::string(words[word]) + " ";
        else if (word < 250)
            text += std::string(1, static_cast<char>(' ' + word % 95));
        else
            text += word % 2 == 0 ? "\n" : "\"";
    }
    return text;
}

std::string raw(Input &in)
{
    const std::span<const std::byte> bytes = input::all(in);
    return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

// --- Properties ---

void check(Game &game)
{
    const LuaState &lua = *game.state;
    TERN_ASSERT(lua.memory_bytes_peak <= limits.memory_bytes_max + memory_slack_bytes,
                "it has held %zu bytes", lua.memory_bytes_peak);
    TERN_ASSERT(!game.is_frozen || !game.last_error.empty(), "it is frozen, and does not say why");
    for (const Note &note : game.notes)
        TERN_ASSERT(note.text.size() <= output_bytes_max + 8, "a note of %zu bytes",
                    note.text.size());
    game.notes.clear();
    const std::string two = console::answer(game, "1 + 1");
    TERN_ASSERT(two == "2", "the console says %s", two.c_str());
}

void begin(Session *session, Game &game)
{
    receive(session, {}, tick_us);
    start(session);
    game::tick(game, tick_us);
    (void)send(session, tick_us);
}

void play(Game &game, uint64_t now_us)
{
    Session *session = game::session(game);
    TERN_ASSERT(session, "a sandboxed script has destroyed its session");
    receive(session, {}, now_us);
    game::tick(game, now_us);
    (void)send(session, now_us);
    check(game);
}

void run_any(Input in, bool is_whole_file)
{
    std::string text = is_whole_file ? raw(in) : begin_text + text_of(in, 800) + end_text;
    const std::string path = write_script(text);
    const MadeGame made = game::make(path, Trust::sandboxed, limits);
    TERN_ASSERT(!made.game == !made.error.empty(), "no game, and no error");
    if (!made.game) return;
    const std::string error = game::make_session(*made.game, {});
    if (error.empty()) {
        begin(game::session(*made.game), *made.game);
        for (uint64_t i = 2; i < 5; ++i)
            play(*made.game, i * tick_us);
        write_script(text + " ");
        game::reload(*made.game);
        play(*made.game, 5 * tick_us);
        game::stop(*made.game);
        check(*made.game);
    }
    game::destroy(made.game);
}

// --- Arbitrary values ---

constexpr const char *uses = R"lua(
local game = {peers_max = 2, topology = "mesh", types = {
    {name = "thing", objects_max = 4, fields = {{name = "about", kind = "values", count = 300}}},
    {name = "say", fields = {{name = "use", kind = "uint8"},
                             {name = "what", kind = "values", count = 300}}}},
    state = {count = 0}}
local state, session = game.state, nil
local function walk(v, seen)
    if type(v) ~= "table" then return v end
    local copy = {}
    for key, value in pairs(v) do copy[walk(key, seen)] = walk(value, seen) end
    for i = 1, #v do copy[i] = v[i] end
    return copy
end
local uses = {
    function(v) return tostring(v) .. v end,
    function(v) return #v + v end,
    function(v) return ("x"):rep(v) end,
    function(v) return ("x"):rep(1000, v) end,
    function(v) return string.format(v, v, v) end,
    function(v) return string.format("%s %q", v, v), string.format("%5.1f %d", v, v) end,
    function(v) return ("some text of %d bytes"):find(v), ("aXbX"):find(v, 1, true) end,
    function(v) return v:gsub(".", "%0%0"), v:find(v) end,
    function(v) return ("aaaa"):gsub("a", v), ("abc"):gsub(v, "%1") end,
    function(v) for word in v:gmatch("%w+") do state.word = word end return ("x"):match(v) end,
    function(v) for word in ("ab cd"):gmatch(v) do state.word = word end end,
    function(v) return table.concat(v, ","), table.concat(v, v) end,
    function(v) table.sort(v) return v end,
    function(v) table.sort(v, function(a, b) return tostring(a) < tostring(b) end) end,
    function(v) return select("#", (table.unpack or unpack)(v)), select(v, 1, 2) end,
    function(v) return setmetatable(v, v) .. "" end,
    function(v) return next(v, v), rawset({}, v, v), rawequal(v, v) end,
    function(v) return string.char(v), ("abc"):sub(v, v), ("abc"):byte(v, v) end,
    function(v) return math.floor(v), math.random(v), tonumber(v, 10), os.date(v, 1) end,
    function(v) table.insert({1, 2}, v, v) table.remove({1, 2}, v) end,
    function(v) return require(v) end,
    function(v) return error(v) end,
    function(v) state[v] = v end,
    function(v) game[v] = v game.update[v] = v end,
    function(v) return session:get(v, v) end,
    function(v) session:set(session:create("thing"), "about", v) end,
    function(v) return session:create(v, v) end,
    function(v) return session:call(v, v, v), session:call("host", "say", v, v) end,
    function(v) return session:owner(v), session:explain(v, v), session:stats(v) end,
    function(v) return session:type_id(v), session:field_id("thing", v), session:argument(v, v) end,
    function(v) session:on(v, v) session:dispatch() end,
    function(v) return coroutine.wrap(v)(v), coroutine.resume(coroutine.create(v)) end,
    function(v) print(v) state.copy = walk(v) end,
    function(v) for i = 1, v do state.i = i end end,
    function(v) for i = 1, 1e4 do state[i] = v end end,
}
function game.update(s)
    session = s
    for i = 1, s:event_count() do
        local kind, peer = s:event(i)
        if kind == "call" then
            local use, what = s:argument(i, "use"), s:argument(i, "what")
            s:call(peer, "say", use, what)
            state.count = state.count + 1
            if use < 128 then uses[use % #uses + 1](what)
            else pcall(uses[use % #uses + 1], what) end
        end
    end
end
return game
)lua";

struct Thing {
    uint8_t about[300];
};
struct Say {
    uint8_t use;
    uint8_t what[300];
};
constexpr Field thing_fields[] = {
    {"about", FieldKind::values, offsetof(Thing, about), sizeof Thing::about}};
constexpr Field say_fields[] = {{"use", FieldKind::uint8, offsetof(Say, use)},
                                {"what", FieldKind::values, offsetof(Say, what), sizeof Say::what}};
constexpr Type types[] = {{"thing", sizeof(Thing), thing_fields, 4},
                          {"say", sizeof(Say), say_fields}};
constexpr TypeId say = 1;

struct Pair { // Our session, and the session of the script.
    SimNetwork *network;
    Socket *sockets[2];
    Session *ours;
    Game *game;
    uint64_t now_us;
    std::span<const Event> heard; // Events of our session in this tick.
};

void tick(Pair &p)
{
    p.now_us += tick_us;
    advance(p.network, p.now_us);
    Session *theirs = game::session(*p.game);
    p.heard = receive(p.ours, p.sockets[0]->receive(), p.now_us);
    receive(theirs, p.sockets[1]->receive(), p.now_us);
    game::tick(*p.game, p.now_us);
    p.sockets[0]->send(send(p.ours, p.now_us));
    p.sockets[1]->send(send(theirs, p.now_us));
}

void open(Pair &p)
{
    p.network = make_sim_network({.impairment = {0, 0, 0, 0}, .datagrams_max = 256});
    Address addresses[2];
    for (uint16_t i = 0; i < 2; ++i) {
        addresses[i] = parse_address("10.0.0.1:7000").address;
        addresses[i].port = static_cast<uint16_t>(addresses[i].port + i);
        p.sockets[i] = make_sim_socket(p.network, addresses[i]);
    }
    p.ours = make_session({.types = types, .peers_max = 2});
    const MadeGame made = game::make(write_script(uses), Trust::sandboxed, limits);
    TERN_ASSERT(made.game, "%s", made.error.c_str());
    p.game = made.game;
    const std::string error = game::make_session(*p.game, {});
    TERN_ASSERT(error.empty(), "%s", error.c_str());
    Session *theirs = game::session(*p.game);
    p.now_us = tick_us;
    receive(p.ours, {}, p.now_us);
    receive(theirs, {}, p.now_us);
    start(p.ours);
    join(theirs, make_invite(p.ours, {addresses, 1}));
    for (int i = 0; i < 100 && session_state(theirs) != State::open; ++i)
        tick(p);
    TERN_ASSERT(session_state(theirs) == State::open, "%s", state_text(theirs));
}

void close(Pair &p)
{
    game::destroy(p.game);
    destroy_session(p.ours);
    destroy_sim_network(p.network);
}

void put_some(ValueWriter &w, Input &in)
{
    static constexpr const char *texts[] = {
        "thing", "about", "everyone", "%d",    "%s%s%s%s", "(a*)*b", "%f[%w]",  "[",
        "%",     "%b()",  "call",     "start", "__index",  "n",      "%99999d", "%1"};
    const uint8_t what = input::u8(in);
    const int64_t edges[] = {0, 1, -1, 1 << 16, int64_t{1} << 32, values_integer_max};
    switch (what % 8) {
    case 0: return value::put_boolean(w, what >= 128);
    case 1: return value::put_integer(w, static_cast<int8_t>(input::u8(in)));
    case 2: return value::put_integer(w, edges[what / 8 % std::size(edges)]);
    case 3: return value::put_number(w, std::bit_cast<double>(input::u64(in)));
    case 4: {
        const std::span<const uint8_t> bytes = input::bytes(in, what / 8);
        return value::put_string(w, {reinterpret_cast<const char *>(bytes.data()), bytes.size()});
    }
    case 5: return value::begin_table(w, what / 64);
    case 6: return value::end_table(w);
    default: return value::put_string(w, texts[what / 8 % std::size(texts)]);
    }
}

Say next_say(Input &in)
{
    Say out = {};
    out.use = input::u8(in);
    const uint8_t size = input::u8(in);
    Input own = {input::bytes(in, size % 64 * (size >= 128 ? 4u : 1u))};
    if (size % 128 >= 96) { // A valid value that need not come from our writer.
        std::memcpy(out.what, own.rest.data(), std::min(own.rest.size(), sizeof out.what));
        BitReader r = bits::reader(std::as_bytes(std::span(out.what)));
        value::check(r, sizeof out.what);
        const size_t used = bits::failed(r) ? 0 : bits::bit_count(r) / 8;
        std::memset(out.what + used, 0, sizeof out.what - used); // Sending does this, too.
        return out;
    }
    ValueWriter w = value::writer(out.what);
    while (!input::empty(own) && value::error(w) == ValueError::none)
        put_some(w, own);
    value::finish(w);
    return out;
}

// The script sends each value back before it does anything else with it, and may then fail.
void expect_answer(Pair &p, const Say &sent)
{
    for (int i = 0; i < 20; ++i) {
        tick(p);
        for (const Event &event : p.heard) {
            if (event.kind != EventKind::call) continue;
            const Say &back = call_arguments<Say>(event);
            TERN_ASSERT(back.use == sent.use && std::memcmp(back.what, sent.what, 300) == 0,
                        "use %u: another value comes back", sent.use);
            return;
        }
    }
    TERN_ASSERT(false, "use %u: no answer", sent.use);
}

void run_values(Input in)
{
    Pair p = {};
    open(p);
    for (int calls = 0; calls < 24 && !input::empty(in); ++calls) {
        Say sent = next_say(in);
        TERN_ASSERT(call(p.ours, other_peers(p.ours)[0], say, sent), "it is not sent");
        expect_answer(p, sent);
        check(*p.game);
        TERN_ASSERT(session_state(p.ours) == State::open && other_peers(p.ours).size() == 1 &&
                        session_state(game::session(*p.game)) == State::open,
                    "use %u: the session is over", sent.use);
        if (!p.game->is_frozen) continue;
        game::reload(*p.game);
        TERN_ASSERT(!p.game->is_frozen, "%s", p.game->notes.back().text.c_str());
    }
    close(p);
}

double processor_s()
{
    return static_cast<double>(clock()) / CLOCKS_PER_SEC;
}

}

void fuzz_lua_script(std::span<const uint8_t> data)
{
    Input in = {data};
    const uint8_t how = input::u8(in);
    const double begun_s = processor_s();
    if (how % 2 == 0)
        run_values(in);
    else
        run_any(in, how % 16 == 1);
    TERN_ASSERT(processor_s() - begun_s < processor_s_max, "it takes %f s",
                processor_s() - begun_s);
}

}

#endif
