// A room that runs a game script: reload, errors that freeze the script, and the console of
// tern-ctl.
#include "tests/host/running_host.h"
#include "tests/programs/terminal.h"
#include <fstream>
#include <gtest/gtest.h>
#include <tern/io.hpp>

#ifdef TERN_HAVE_LUA

using namespace dedicated::test;

namespace {

std::string script(const std::string &more)
{
    return "local tern = require 'tern'\n"
           "local game = {types = {{name = 'ship', objects_max = 4, fields = {{name = 'x', kind = "
           "'float32'}}}}, topology = 'mesh', peers_max = 8, state = {ticks = 0}}\n"
           "function game.start(session) tern.create(session, 0) end\n"
           "function game.update(session, dt) game.state.ticks = game.state.ticks + 1 " +
           more + " end\nreturn game\n";
}

constexpr const char *bare_script =
    "local game = {types = {{name = 'ship', objects_max = 4, fields = {{name = 'x',\n"
    "    kind = 'float32'}}}}}\n"
    "function game.start(session) session:create('ship') end\n"
    "function game.update(session)\n"
    "    local count = 0\n"
    "    for _ in session:objects('ship') do count = count + 1 end\n"
    "    if count ~= shown then shown = count print('sees ' .. count .. ' ships') end\n"
    "end\n"
    "return game\n";

// The invite in the output of tern-host.
std::string invite_of(const std::string &text)
{
    const size_t begin = text.find(" invite ") + 8;
    return text.substr(begin, text.find_first_of(" \n", begin) - begin);
}

void write_file(const std::string &path, const std::string &text)
{
    std::ofstream(path + ".new") << text;
    std::filesystem::rename(path + ".new", path);
}

std::string ctl(const std::string &socket, std::vector<std::string> words)
{
    words.insert(words.begin(), {program("tern-ctl"), "--socket", socket});
    tern::test::Process process(words);
    process.wait_for_end();
    return process.text;
}

// A host that runs a game.
struct ScriptedRoom {
    TempFolder folder;
    std::string path = folder.path + "/game.lua", socket = folder.path + "/control";
    RunningHost host = started(path, socket);

    static RunningHost started(const std::string &path, const std::string &socket)
    {
        write_file(path, script(""));
        return RunningHost({"--script", path, "--port", "0", "--control-socket", socket});
    }
};

}

TEST(ScriptTest, ARoomRunsAGameThatIsReadAgain)
{
    ScriptedRoom room;
    const std::string &path = room.path, &socket = room.socket;
    RunningHost &host = room.host;
    ASSERT_TRUE(host.is_ready()) << host.text;
    EXPECT_NE(host.text.find("topology=mesh peers_max=8"), std::string::npos) << host.text;
    EXPECT_EQ(ctl(socket, {"lua", "1 + 1"}), "2\n");
    EXPECT_EQ(ctl(socket, {"lua", "io, os.execute, tern.make_udp_socket"}), "nil, nil, nil\n");
    EXPECT_EQ(ctl(socket, {"lua", ":owners"}), "1 tern-host: 1\n");
    EXPECT_NE(ctl(socket, {"objects", "--type", "ship"}).find("1.1"), std::string::npos);
    write_file(path, script("local x = nil + 1"));
    ASSERT_TRUE(host.print_until("script_error")) << host.text;
    EXPECT_NE(ctl(socket, {"--json", "status"}).find("\"frozen\":true"), std::string::npos);
    write_file(path, script("game.state.fixed = true"));
    ASSERT_TRUE(host.print_until("script_reloaded room=main")) << host.text;
    for (int i = 0; i < 200 && ctl(socket, {"lua", "game.state.fixed"}) != "true\n"; ++i)
        tern::sleep_us(20'000);
    EXPECT_EQ(ctl(socket, {"lua", "game.state.fixed, game.state.ticks > 0"}), "true, true\n");
    EXPECT_EQ(host.end_by(SIGTERM), 0) << host.text;
}

#ifdef TERN_HAVE_LIBEDIT
TEST(ScriptTest, TheConsoleOfTernCtlCompletesAtATerminal)
{
    ScriptedRoom room;
    const std::string &socket = room.socket;
    RunningHost &host = room.host;
    ASSERT_TRUE(host.is_ready()) << host.text;
    tern::test::Terminal ctl({program("tern-ctl"), "--socket", socket, "lua"});
    ASSERT_TRUE(ctl.shows("> ")) << ctl.text;
    ctl.type("game.state.ti\t");
    ASSERT_TRUE(ctl.shows("> game.state.ticks")) << ctl.text;
    ctl.type(" > 0\r");
    // Before the prompt the terminal itself handles a Ctrl-D, so the console does not receive it.
    ASSERT_TRUE(ctl.shows("\ntrue\r\n") && ctl.shows("> ")) << ctl.text;
    ctl.type("\x04");
    EXPECT_EQ(ctl.end(), 0) << ctl.text;
    EXPECT_EQ(host.end_by(SIGTERM), 0) << host.text;
}
#endif

TEST(ScriptTest, WhoSaysNothingPlaysTogether)
{
    // Host and player load the same file, which sets neither topology nor peers_max.
    TempFolder folder;
    const std::string path = folder.path + "/game.lua";
    write_file(path, bare_script);
    RunningHost host({"--script", path, "--port", "0", "--http-listen", ""});
    ASSERT_TRUE(host.is_ready()) << host.text;
    tern::test::Process peer({program("tern-peer"), path, "--join", invite_of(host.text)});
    ASSERT_TRUE(peer.print_until("sees 2 ships")) << peer.text;
    // With other limits the refusal names the limit and the remedy.
    write_file(folder.path + "/other.lua",
               "local game = dofile('" + path + "') " + "game.peers_max = 9 return game");
    tern::test::Process other(
        {program("tern-peer"), folder.path + "/other.lua", "--join", invite_of(host.text)});
    EXPECT_EQ(other.wait_for_end(), 1);
    EXPECT_NE(other.text.find("its peers_max is 16, here it is 9"), std::string::npos)
        << other.text;
    EXPECT_NE(other.text.find("must be the same in the scripts of all"), std::string::npos)
        << other.text;
    EXPECT_EQ(peer.end_by(SIGTERM), 0) << peer.text;
    EXPECT_EQ(host.end_by(SIGTERM), 0) << host.text;
}

TEST(ScriptTest, WhatTheOperatorSaysCountsWhereTheScriptIsSilent)
{
    TempFolder folder;
    const std::string path = folder.path + "/game.lua";
    write_file(path, bare_script);
    RunningHost host({"--script", path, "--port", "0", "--topology", "star", "--peers-max", "99"});
    ASSERT_TRUE(host.is_ready()) << host.text;
    EXPECT_NE(host.text.find("topology=star peers_max=99"), std::string::npos) << host.text;
    EXPECT_EQ(host.end_by(SIGTERM), 0) << host.text;
}

TEST(ScriptTest, ATrustedScriptRunsWithoutTheSandbox)
{
    TempFolder folder;
    const std::string path = folder.path + "/game.lua", socket = folder.path + "/control";
    write_file(path, script(""));
    const std::vector<std::string> flags = {"--script",      path, "--port",           "0",
                                            "--http-listen", "",   "--control-socket", socket};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), flags.begin(), flags.end());
        return more;
    };
    RunningHost trusted(with({"--sandbox=false"}));
    ASSERT_TRUE(trusted.is_ready()) << trusted.text;
    EXPECT_EQ(ctl(socket, {"lua", "type(io.open), type(tern.make_udp_socket)"}),
              "\"function\", \"function\"\n");
    EXPECT_EQ(ctl(socket, {"lua", "for i = 1, 2e7 do end"}), "");
    EXPECT_EQ(trusted.end_by(SIGTERM), 0) << trusted.text;
    RunningHost limited(with({"--sandbox=false", "--instructions", "100000", "--memory", "8"}));
    ASSERT_TRUE(limited.is_ready()) << limited.text;
    EXPECT_NE(ctl(socket, {"lua", "for i = 1, 2e7 do end"}).find("used up its instructions"),
              std::string::npos);
    EXPECT_NE(ctl(socket, {"lua", "('x'):rep(3e6)"}).find("may hold 8.0 MiB"), std::string::npos);
    EXPECT_EQ(limited.end_by(SIGTERM), 0) << limited.text;
    RunningHost sandboxed(with({"--instructions", "100000"}));
    ASSERT_TRUE(sandboxed.is_ready()) << sandboxed.text;
    EXPECT_EQ(ctl(socket, {"lua", "io"}), "nil\n");
    EXPECT_NE(ctl(socket, {"lua", "for i = 1, 2e6 do end"}).find("used up its instructions"),
              std::string::npos);
    EXPECT_EQ(sandboxed.end_by(SIGTERM), 0) << sandboxed.text;
}

TEST(ScriptTest, AWrongScriptIsNamed)
{
    TempFolder folder;
    const std::string path = folder.path + "/game.lua";
    write_file(path, "return {types = {}, peers_mx = 3}");
    RunningHost wrong({"--script", path, "--port", "0"});
    EXPECT_EQ(wrong.wait_for_end(), 2);
    EXPECT_NE(wrong.text.find("script_failed"), std::string::npos) << wrong.text;
    EXPECT_NE(wrong.text.find("peers_mx"), std::string::npos) << wrong.text;
}

#endif
