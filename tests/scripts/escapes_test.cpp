// Scripts that try to get out of the sandbox or to run for ever, and scripts that must keep
// working.
#include "scripts/sandbox.h"
#include "scripts/state.h"
#include "tests/scripts/folder.h"
#include <ctime>
#include <gtest/gtest.h>
#include <sstream>

using namespace tern::scripts;
using tern::test::Folder;

namespace {

std::string read_file(const std::filesystem::path &path)
{
    std::stringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

struct Sandbox {
    Folder folder;
    LuaState *state;

    explicit Sandbox(Trust trust = Trust::sandboxed, const Limits &limits = sandbox_limits)
        : state(make_state(trust, limits))
    {
        state->folder = folder.path;
    }
    Sandbox(const Sandbox &) = delete;
    ~Sandbox() { destroy_state(state); }

    // Returns the error, or an empty text.
    std::string run(const std::string &text)
    {
        const std::string error = load(*state, text, "script.lua");
        return error.empty() ? call(*state, 0, 0) : error;
    }
};

double processor_s()
{
    return static_cast<double>(clock()) / CLOCKS_PER_SEC;
}

struct Escape : testing::TestWithParam<std::string> {};

std::vector<std::string> escape_names()
{
    std::vector<std::string> names;
    const auto folder = std::filesystem::path(TERN_SOURCE_DIR) / "tests/scripts/escapes";
    for (const auto &entry : std::filesystem::directory_iterator(folder))
        names.push_back(entry.path().stem().string());
    std::sort(names.begin(), names.end());
    return names;
}

std::string limited(const std::string &text, const Limits &limits)
{
    return Sandbox(Trust::sandboxed, limits).run(text);
}

}

TEST_P(Escape, Fails)
{
    Sandbox sandbox;
    const std::string outside = sandbox.folder / "outside.lua";
    sandbox.state->folder = sandbox.folder / "inside";
    std::filesystem::create_directory(sandbox.state->folder);
    sandbox.folder.write("outside.lua", "return 1");
    sandbox.folder.write("x.lua", "return 1");
    std::filesystem::create_symlink(outside, sandbox.state->folder + "/link_out.lua");
    sandbox.folder.write("inside/compiled.lua", "\x1bLJ\x02 or \x1bLua");
    const double begun_s = processor_s();
    const auto path = std::filesystem::path(TERN_SOURCE_DIR) / "tests/scripts/escapes";
    const std::string error = sandbox.run(read_file(path / (GetParam() + ".lua")));
    EXPECT_NE(error, "");
    // The limit is 2 s, but sanitizers are slow.
    EXPECT_LT(processor_s() - begun_s, 15) << error;
    EXPECT_LE(sandbox.state->memory_bytes_peak, (64u << 20) + 65'536) << error;
    EXPECT_LE(sandbox.state->output.size(), output_bytes_max + 8);
    // Only the call has ended; the state is still usable.
    EXPECT_EQ(sandbox.run("local t = {} for i = 1, 1000 do t[i] = i end"), "");
}

INSTANTIATE_TEST_SUITE_P(All, Escape, testing::ValuesIn(escape_names()),
                         [](const auto &it) { return it.param; });

TEST(SandboxTest, TheListOfEscapesIsThere)
{
    EXPECT_GE(escape_names().size(), 99u);
}

TEST(SandboxTest, ReadingAFileIsBounded)
{
    // The parser walks the whole chain for each link, so the longest allowed file would take
    // seconds.
    std::string text = "local x return x";
    while (text.size() + 6 < source_bytes_max)
        text += " and x";
    const double begun_s = processor_s();
    const std::string error = Sandbox().run(text);
    EXPECT_LT(processor_s() - begun_s, 3); // The limit is 100 ms, but sanitizers are slow.
    EXPECT_EQ(error, "script.lua: to read it takes longer than 100 ms");
    // A file that is merely long is read.
    std::string plain = "local x = 0\n";
    while (plain.size() + 12 < source_bytes_max / 4)
        plain += "x = x + 1\n";
    EXPECT_EQ(Sandbox().run(plain), "");
}

TEST(SandboxTest, WithoutTheSandboxAnEscapeIsNone)
{
    // Shows that the tests above can fail.
    EXPECT_EQ(Sandbox(Trust::trusted, {}).run("os.getenv('HOME') require('io') debug.getinfo(1)"),
              "");
}

TEST(SandboxTest, CompiledCodeIsRefusedEverywhere)
{
    for (const Trust trust : {Trust::trusted, Trust::sandboxed})
        for (const char *text : {"\x1bLua", "\x1bLJ"})
            EXPECT_EQ(Sandbox(trust, {}).run(text),
                      "script.lua: it is compiled code, and only text is loaded");
}

TEST(SandboxTest, ErrorsSayWhatWasUsedUp)
{
    const auto contains = [](const std::string &error, const char *part) {
        return error.find(part) != std::string::npos ? "" : error;
    };
    EXPECT_EQ(contains(limited("while true do end", {0, 100'000, 0}),
                       "script.lua:1: the call has used up its instructions"),
              "");
    EXPECT_EQ(contains(limited("while true do end", {0, 0, 20}),
                       "script.lua:1: the call has used up its time"),
              "");
    EXPECT_EQ(contains(limited("local t = {} for i = 1, 1e9 do t[i] = {} end", {4 << 20, 0, 0}),
                       "not enough memory: the script may hold 4.0 MiB"),
              "");
    EXPECT_EQ(contains(limited("local s = ('x'):rep(2e6)", {4 << 20, 0, 0}), "not enough memory"),
              "");
    EXPECT_EQ(limited("local s = ('x'):rep(1e6)", {8 << 20, 0, 0}), "");
    EXPECT_EQ(contains(limited("local function f() error('so') end\nf()", sandbox_limits),
                       "script.lua:1: so\nstack traceback:"),
              "");
}

TEST(SandboxTest, EachCallBeginsAnew)
{
    Sandbox sandbox(Trust::sandboxed, {0, 50'000, 0});
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(sandbox.run("for i = 1, 10000 do end"), "");
        EXPECT_NE(sandbox.run("for i = 1, 100000 do end"), "");
    }
    // A coroutine that outlives its call is limited as well.
    EXPECT_EQ(sandbox.run("resume = coroutine.wrap(function() while true do "
                          "for i = 1, 10000 do end coroutine.yield() end end)"),
              "");
    for (int i = 0; i < 20; ++i)
        EXPECT_EQ(sandbox.run("resume()"), "");
}

TEST(SandboxTest, WhatIsHarmlessWorks)
{
    Sandbox sandbox;
    sandbox.folder.write("geometry.lua",
                         "local M = {} function M.double(x) return 2 * x end return M");
    std::filesystem::create_directory(sandbox.folder / "parts");
    sandbox.folder.write("parts/wheel.lua", "return {name = ..., geometry = require 'geometry'}");
    EXPECT_EQ(sandbox.run(
                  read_file(std::filesystem::path(TERN_SOURCE_DIR) / "tests/scripts/harmless.lua")),
              "");
    EXPECT_EQ(sandbox.state->output, "printed\t1\tnil\n");
}

TEST(SandboxTest, PatternsAreLuasOwn)
{
    // Compares random patterns with the functions of the Lua that runs this test.
    Sandbox sandbox(Trust::trusted, {});
    lua_getfield(sandbox.state->lua, LUA_REGISTRYINDEX, sandbox::registry_key);
    lua_setglobal(sandbox.state->lua, "ours");
    EXPECT_EQ(sandbox.run(
                  read_file(std::filesystem::path(TERN_SOURCE_DIR) / "tests/scripts/patterns.lua")),
              "");
}
