// A room that runs a game script: it is read again, frozen by an error, and asked by tern-ctl.
#include "tests/host/running_host.h"
#include <fstream>
#include <gtest/gtest.h>
#include <tern/io.h>

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

}

TEST(ScriptTest, ARoomRunsAGameThatIsReadAgain)
{
    TempFolder folder;
    const std::string path = folder.path + "/game.lua", socket = folder.path + "/control";
    write_file(path, script(""));
    RunningHost host({"--script", path, "--port", "0", "--control-socket", socket});
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
