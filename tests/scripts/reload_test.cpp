// Reloading a script: which state is kept, which is added, and which tables the functions refer to.
#include "scripts/console.h"
#include "scripts/game.h"
#include "tern/tern.hpp"
#include "tests/scripts/folder.h"
#include <gtest/gtest.h>
#include <iterator>
#include <set>
#include <sstream>

using namespace tern::scripts;
using tern::test::Folder;

namespace {

constexpr const char *types =
    "types = {{name = 'none', fields = {{name = 'n', kind = 'uint8'}}}}, peers_max = 4";

struct Reload : testing::TestWithParam<Trust> {
    Folder folder;
    Game *game = nullptr;

    ~Reload() override { game::destroy(game); }
    void write(const std::string &text, const std::string &name = "game.lua") const
    {
        folder.write(name, text);
    }
    // "TYPES" stands for what every game table must contain.
    static std::string with_types(std::string text)
    {
        text.replace(text.find("TYPES"), 5, types);
        return text;
    }
    void first(const std::string &text)
    {
        write(with_types(text));
        const Limits limits = GetParam() == Trust::sandboxed ? sandbox_limits : Limits{};
        const MadeGame made = game::make(folder / "game.lua", GetParam(), limits);
        ASSERT_EQ(made.error, "");
        game = made.game;
    }
    // Returns the last note's text, or "" after a successful reload.
    std::string reload()
    {
        game::reload(*game);
        const Note note = game->notes.back();
        return note.kind == NoteKind::reloaded ? "" : note.text;
    }
    std::string edited(const std::string &text)
    {
        write(with_types(text));
        return reload();
    }
    std::string ask(const std::string &line) { return console::answer(*game, line); }
};

INSTANTIATE_TEST_SUITE_P(Both, Reload, testing::Values(Trust::trusted, Trust::sandboxed),
                         [](const auto &it) {
                             return it.param == Trust::trusted ? "Trusted" : "Sandboxed";
                         });

}

TEST_P(Reload, ALocalAtTheTopIsTheKeptTable)
{
    const std::string text = "local game = {TYPES, state = {ticks = 1, inner = {n = 5}}}\n"
                             "local state, inner = game.state, game.state.inner\n"
                             "local function count() state.ticks = state.ticks + 1 end\n"
                             "function game.update() count() inner.n = inner.n + 1 end\n"
                             "function game.check() return rawequal(state, game.state) and\n"
                             "    rawequal(inner, game.state.inner) end\n"
                             "return game";
    first(text);
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(ask("game.update()"), "");
        EXPECT_EQ(edited(text), "");
        EXPECT_EQ(ask("game.check()"), "true");
    }
    EXPECT_EQ(ask("game.update()"), "");
    EXPECT_EQ(ask("game.state.ticks, game.state.inner.n"), "5, 9");
}

TEST_P(Reload, NewKeysOfTheStateAreAddedAndKeptOnesAreUntouched)
{
    first(
        "return {TYPES, state = {a = 1, gone = 1, list = {1, 2, 3}, deep = {x = 1}, number = 1}}");
    EXPECT_EQ(ask("local s = game.state s.a = 7 s.gone = nil s.list = {9} s.own = {} s.deep.x = 2"),
              "");
    EXPECT_EQ(edited("return {TYPES, state = {a = 2, gone = 1, list = {1, 2, 3}, own = {1, 2},\n"
                     "    deep = {x = 5, y = 6}, number = {}, b = 3, c = {d = 4}}}"),
              "");
    EXPECT_EQ(ask("game.state.a, game.state.b, game.state.c.d, game.state.number"), "7, 3, 4, 1");
    EXPECT_EQ(ask("game.state.gone, #game.state.list, #game.state.own"), "nil, 1, 0");
    EXPECT_EQ(ask("game.state.deep.x, game.state.deep.y"), "2, 6");
    // Keys that were added belong to the game afterwards: a reload does not add them again.
    EXPECT_EQ(ask("game.state.b, game.state.c.d = nil, nil"), "");
    EXPECT_EQ(edited("return {TYPES, state = {b = 4, c = {d = 4, e = 5}, late = 8}}"), "");
    EXPECT_EQ(ask("game.state.b, game.state.c.d, game.state.c.e, game.state.late"),
              "nil, nil, 5, 8");
}

TEST_P(Reload, AStateThatIsNewIsAdded)
{
    first("return {TYPES}");
    EXPECT_EQ(edited("return {TYPES, state = {a = 1}}"), "");
    EXPECT_EQ(ask("game.state.a"), "1");
    EXPECT_EQ(edited("return {TYPES}"), "");
    EXPECT_EQ(ask("game.state.a"), "1");
}

TEST_P(Reload, WhatTheNewCodeHasMadeRefersToTheKeptTables)
{
    // References through a table of helpers, a class, a key, a global function, and another module.
    const std::string text =
        "local game = {TYPES, state = {n = 1}}\n"
        "local state, told = game.state, require 'told'\n"
        "local helpers = {deep = {}}\n"
        "function helpers.deep.get() return state.n end\n"
        "local Class = {state = state} Class.__index = Class\n"
        "local object = setmetatable({by = {[state] = 'found'}}, Class)\n"
        "function outer() return state.n end\n"
        "told.tell(game) told.direct = state\n"
        "function game.check()\n"
        "    return helpers.deep.get(), object.state.n, object.by[game.state], outer(),\n"
        "        told.n(), told.direct.n\n"
        "end\n"
        "return game";
    write("local M, game = {}, nil function M.tell(g) game = g end\n"
          "function M.n() return game.state.n end return M",
          "told.lua");
    first(text);
    EXPECT_EQ(ask("game.state.n = 42"), "");
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(edited(text), "");
        EXPECT_EQ(ask("game.check()"), "42, 42, \"found\", 42, 42, 42");
    }
}

TEST_P(Reload, TheTablesOfAModuleAreKeptToo)
{
    const std::string text = "local M = {made = 0, cache = {}}\n"
                             "local cache = M.cache\n"
                             "function M.put(k, v) cache[k] = v M.made = M.made + 1 end\n"
                             "return M";
    write(text, "store.lua");
    first("local store = require 'store' return {TYPES, update = store.put}");
    EXPECT_EQ(ask("store = require 'store' store.put('a', 1)"), "");
    write(text, "store.lua");
    EXPECT_EQ(reload(), "");
    EXPECT_EQ(ask("store.put('b', 2)"), "");
    EXPECT_EQ(ask("store.cache.a, store.cache.b, store.made"), "1, 2, 2");
}

TEST_P(Reload, ARefusedReloadLeavesNothingBehind)
{
    first("local game = {TYPES, state = {n = 1}}\n"
          "function outer() return game.state.n end\n"
          "function game.check() return outer() end return game");
    EXPECT_EQ(ask("game.state.n = 5"), "");
    const std::string refused =
        edited("local game = {TYPES, name = 'new', state = {n = 1, m = 2}}\n"
               "other = 1\n"
               "function outer() return -1 end\n"
               "function game.check() return -2 end return game");
    EXPECT_NE(refused.find("name is new"), std::string::npos) << refused;
    EXPECT_EQ(ask("game.check(), outer(), other, game.state.m"), "5, 5, nil, nil");
    // A key of a refused file does not count as added.
    EXPECT_EQ(edited("return {TYPES, state = {n = 1, m = 2}}"), "");
    EXPECT_EQ(ask("game.state.n, game.state.m"), "5, 2");
}

TEST_P(Reload, TablesThatHoldThemselvesAreNoTrouble)
{
    const std::string text =
        "local game = {TYPES, state = {}}\n"
        "game.state.me = game.state game.state.list = {game.state}\n"
        "local ring = {game.state} ring[2] = ring\n"
        "function game.check() return rawequal(ring[2][1], game.state.me) and\n"
        "    rawequal(game.state.list[1], game.state) end\n"
        "return game";
    first(text);
    EXPECT_EQ(edited(text), "");
    EXPECT_EQ(ask("game.check()"), "true");
}

TEST(SandboxModule, EachFunctionOfTheModuleIsInItOrIsKnownNotToBe)
{
    // Add a new function of the module here or in scripts/sandbox.cpp.
    const std::string absent = "advance announce destroy_announcer destroy_finder destroy_session "
                               "destroy_sim_network destroy_socket find found impaired_socket "
                               "make_announcer make_discovery_socket make_enet_socket make_finder "
                               "make_session make_sim_network make_sim_socket make_udp_socket "
                               "network_stats next_delivery_us receive recorded send set_cut "
                               "set_impairment sleep_us";
    const std::string line = "(function() local all = {} for k in pairs(tern) do all[#all + 1] = k "
                             "end table.sort(all) print(table.concat(all, ' ')) end)()";
    std::string answers[2];
    for (const Trust trust : {Trust::trusted, Trust::sandboxed}) {
        Game *game = game::open(trust, {});
        answers[trust == Trust::sandboxed] = console::answer(*game, line);
        game::destroy(game);
    }
    const auto words = [](const std::string &text) {
        std::istringstream in(text);
        return std::set<std::string>(std::istream_iterator<std::string>(in), {});
    };
    std::set<std::string> sandboxed = words(answers[1]);
    for (const std::string &name : words(absent))
        EXPECT_TRUE(sandboxed.insert(name).second) << name << " is in the sandbox";
    EXPECT_EQ(sandboxed, words(answers[0]));
}

TEST(SandboxModule, EachValueThatIsReadCountsAsAnInstruction)
{
    const Folder folder;
    folder.write("game.lua", "return {peers_max = 4, types = {{name = 'rock', objects_max = 900,\n"
                             "    fields = {{name = 'n', kind = 'uint8'}}}}}");
    const MadeGame made = game::make(folder / "game.lua", Trust::sandboxed, sandbox_limits);
    ASSERT_EQ(made.error, "");
    Game &game = *made.game;
    ASSERT_EQ(game::make_session(game, {}), "");
    tern::receive(game::session(game), {}, 1);
    tern::start(game::session(game));
    EXPECT_EQ(console::answer(game, "(function() while session:create('rock') do end end)()"), "");
    const std::string count = console::answer(game, "session:object_ids('rock', {})");
    EXPECT_GT(std::stoul(count), 200u);
    EXPECT_EQ(console::answer(game, "session:object_values('rock', 'n', {})"), count);
    EXPECT_GE(game.state->instructions, std::stoul(count));
    const std::string error = console::answer(game, "session:object_values('rock', 'm', {})");
    EXPECT_NE(error.find("tern.object_values: argument 3 (field)"), std::string::npos) << error;
    game::destroy(&game);
}
