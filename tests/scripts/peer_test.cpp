// tern-peer as processes over the loopback: sessions, a script that changes while they run, errors.
#include "tests/programs/process.h"
#include "tests/scripts/folder.h"
#include <gtest/gtest.h>
#include <memory>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#ifdef TERN_PEER_PROGRAM

using tern::test::Folder;
using tern::test::Process;

namespace {

// A script that prints its version, the number of ships that it sees, and who has left.
std::string script(const std::string &version, const std::string &more = "")
{
    return "local tern = require 'tern'\n"
           "local game = {types = {{name = 'ship', objects_max = 16, fields = {\n"
           "    {name = 'x', kind = 'float32'}}}}, peers_max = 8, state = {ticks = 0}}\n"
           "function game.start(session)\n"
           "    game.state.mine = tern.create(session, 0, {x = 1})\n"
           "end\n"
           "function game.update(session, dt)\n"
           "    local state = game.state\n"
           "    state.ticks = state.ticks + 1\n"
           "    " +
           more +
           "\n"
           "    local ships = 0\n"
           "    for _ in tern.objects(session, 0) do ships = ships + 1 end\n"
           "    local line = '" +
           version +
           " sees ' .. ships .. ' ships'\n"
           "    if line ~= state.line then print(line) end\n"
           "    state.line = line\n"
           "end\n"
           "function game.stop() print('stopped in " +
           version +
           "') end\n"
           "return game\n";
}

std::string invite_of(Process &process)
{
    EXPECT_TRUE(process.print_until("tern-peer ready: ")) << process.text;
    const size_t at = process.text.find("invite ") + 7;
    EXPECT_TRUE(process.print_until("\n")) << process.text;
    return process.text.substr(at, process.text.find('\n', at) - at);
}

const char *other_peer()
{
#ifdef TERN_OTHER_PEER
    return TERN_OTHER_PEER;
#else
    return TERN_PEER_PROGRAM;
#endif
}

using Processes = std::vector<std::unique_ptr<Process>>;

// Starts `count` peers that use both Luas alternately.
Processes peers(const std::string &path, int count, const std::vector<std::string> &more = {})
{
    Processes all;
    std::string invite;
    for (int i = 0; i < count; ++i) {
        std::vector<std::string> arguments = {i % 2 ? other_peer() : TERN_PEER_PROGRAM, path};
        arguments.insert(arguments.end(), more.begin(), more.end());
        if (i > 0) arguments.insert(arguments.end(), {"--join", invite});
        all.push_back(std::make_unique<Process>(arguments));
        if (i == 0) invite = invite_of(*all[0]);
    }
    return all;
}

testing::AssertionResult all_print(Processes &all, const std::string &wanted)
{
    for (auto &peer : all)
        if (!peer->print_until(wanted)) return testing::AssertionFailure() << peer->text;
    return testing::AssertionSuccess();
}

void expect_all_end(Processes &all)
{
    for (auto &peer : all)
        EXPECT_EQ(peer->end_by(SIGTERM), 0) << peer->text;
}

}

TEST(PeerTest, AScriptIsEditedUnderASessionOfFour)
{
    Folder folder;
    const std::string path = folder.write("game.lua", script("one"));
    Processes all = peers(path, 4);
    ASSERT_TRUE(all_print(all, "one sees 4 ships"));
    folder.write("game.lua", script("two"));
    ASSERT_TRUE(all_print(all, "two sees 4 ships"));
    // game.state is kept, and the new functions use it too.
    folder.write("game.lua", script("two", "print(state.mine and state.ticks > 3 and 'kept' or "
                                           "'lost')"));
    ASSERT_TRUE(all_print(all, "kept"));
    for (auto &peer : all) {
        // No peer has left or restarted: there were always four ships, and start() ran once.
        EXPECT_EQ(peer->text.find("two sees 3"), std::string::npos) << peer->text;
        EXPECT_EQ(peer->text.find("sees 5"), std::string::npos) << peer->text;
        EXPECT_EQ(peer->text.find("lost"), std::string::npos) << peer->text;
        EXPECT_NE(peer->text.find("script_reloaded"), std::string::npos) << peer->text;
    }
    for (auto &peer : all) {
        EXPECT_EQ(peer->end_by(SIGTERM), 0) << peer->text;
        EXPECT_NE(peer->text.find("stopped in two"), std::string::npos) << peer->text;
    }
}

TEST(PeerTest, AnErrorFreezesTheCodeAndTheSessionGoesOn)
{
    Folder folder;
    const std::string path = folder.write("game.lua", script("one"));
    Processes all = peers(path, 2);
    ASSERT_TRUE(all_print(all, "one sees 2 ships"));
    folder.write("game.lua", script("two", "local x = nil + 1"));
    for (auto &peer : all) {
        ASSERT_TRUE(peer->print_until("script_error: ")) << peer->text;
        ASSERT_TRUE(peer->print_until("stack traceback:")) << peer->text;
    }
    folder.write("game.lua", "this is no Lua");
    ASSERT_TRUE(all_print(all, "script_reload_refused: "));
    folder.write("game.lua", script("three"));
    ASSERT_TRUE(all_print(all, "three sees 2 ships"));
    for (auto &peer : all) {
        const size_t first = peer->text.find("script_error: ");
        EXPECT_EQ(peer->text.find("script_error: ", first + 1), std::string::npos) << peer->text;
        EXPECT_EQ(peer->end_by(SIGINT), 0) << peer->text;
    }
}

TEST(PeerTest, OtherTypesAreRefusedAndNamed)
{
    Folder folder;
    std::string text = script("one");
    const std::string path = folder.write("game.lua", text);
    Process peer({TERN_PEER_PROGRAM, path});
    ASSERT_TRUE(peer.print_until("one sees 1 ships")) << peer.text;
    text.replace(text.find("objects_max = 16"), 16, "objects_max = 17");
    folder.write("game.lua", text);
    ASSERT_TRUE(peer.print_until("types[1].objects_max was 16, and is now 17")) << peer.text;
    peer.text.clear();
    kill(peer.id, SIGHUP); // SIGHUP repeats the message, because the file still differs.
    ASSERT_TRUE(peer.print_until("is now 17")) << peer.text;
    EXPECT_EQ(peer.end_by(SIGTERM), 0) << peer.text;
}

TEST(PeerTest, InTheSandboxTheSameGameRuns)
{
    Folder folder;
    const std::string path = folder.write("game.lua", script("one"));
    Processes all = peers(path, 2, {"--sandbox"});
    ASSERT_TRUE(all_print(all, "one sees 2 ships"));
    folder.write("game.lua", script("two", "while state.ticks > 100 do end"));
    ASSERT_TRUE(all_print(all, "the call has used up its instructions"));
    expect_all_end(all);
}

TEST(PeerTest, TheConsoleAnswersThroughItsSocket)
{
    Folder folder;
    const std::string path = folder.write("game.lua", script("one"));
    Process peer({TERN_PEER_PROGRAM, path, "--console", folder / "console"});
    ASSERT_TRUE(peer.print_until("one sees 1 ships")) << peer.text;
    struct stat made = {};
    ASSERT_EQ(stat((folder / "console").c_str(), &made), 0);
    EXPECT_EQ(made.st_mode & 0777, 0600u);
    const int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    (folder / "console").copy(address.sun_path, sizeof address.sun_path - 1);
    ASSERT_EQ(connect(descriptor, reinterpret_cast<sockaddr *>(&address), sizeof address), 0);
    const auto asked = [&](const std::string &line) {
        const std::string request = line + "\n";
        std::string answer;
        if (write(descriptor, request.data(), request.size()) < 0) return answer;
        // An empty line ends an answer.
        for (char c; !answer.ends_with("\n\n") && answer != "\n" && read(descriptor, &c, 1) == 1;)
            answer += c;
        return answer;
    };
    EXPECT_EQ(asked("1 + 1"), "2\n\n");
    EXPECT_EQ(asked("=game.state.mine, tern.owner(session, game.state.mine)"),
              asked("game.state.mine").substr(0, asked("game.state.mine").size() - 2) + ", 1\n\n");
    EXPECT_EQ(asked("x = {1, 2, name = 'n'}"), "\n");
    EXPECT_EQ(asked("x"), "{1, 2, name = \"n\"}\n\n");
    EXPECT_EQ(asked("complete tern.make_se"), "tern.make_session\n\n");
    EXPECT_EQ(asked(":owners"), "1 : 1\n\n");
    EXPECT_NE(asked("error('here')").find("here\nstack traceback:"), std::string::npos);
    EXPECT_NE(asked(":stats").find("script runs"), std::string::npos);
    close(descriptor);
    EXPECT_EQ(peer.end_by(SIGTERM), 0) << peer.text;
    EXPECT_NE(stat((folder / "console").c_str(), &made), 0);
}

TEST(PeerTest, AllKindsOfSocketsAndImpairmentsPlay)
{
    Folder folder;
    const std::string path = folder.write("game.lua", script("one"));
    const std::vector<std::vector<std::string>> variants = {{"--socket", "enet"},
                                                            {"--loss", "10", "--latency", "20"}};
    for (const std::vector<std::string> &more : variants) {
        Processes all = peers(path, 2, more);
        ASSERT_TRUE(all_print(all, "one sees 2 ships"));
        expect_all_end(all);
    }
}

TEST(PeerTest, WhatIsWrongIsNamedAndHasItsExitStatus)
{
    Folder folder;
    const auto ended = [&](const std::vector<std::string> &arguments, int status,
                           const std::string &wanted) {
        Process peer(arguments);
        EXPECT_EQ(peer.wait_for_end(), status) << peer.text;
        EXPECT_NE(peer.text.find(wanted), std::string::npos) << peer.text;
    };
    const std::string good = folder.write("good.lua", script("one"));
    const auto bad = [&](const std::string &text) { return folder.write("bad.lua", text); };
    ended({TERN_PEER_PROGRAM}, 2, "SCRIPT");
    ended({TERN_PEER_PROGRAM, good, "--join", "nonsense"}, 2, "--join: ");
    ended({TERN_PEER_PROGRAM, good, "--address", "nowhere"}, 2, "--address nowhere: ");
    ended({TERN_PEER_PROGRAM, good, "--address", "0.0.0.0"}, 2, "--address 0.0.0.0: expected");
    ended({TERN_PEER_PROGRAM, folder / "none.lua"}, 3, "none.lua: No such file");
    ended({TERN_PEER_PROGRAM, bad("return 1")}, 3, "the script returned a number");
    ended({TERN_PEER_PROGRAM, bad("x = = 1")}, 3, "bad.lua:1:");
    ended({TERN_PEER_PROGRAM, bad("error('early')")}, 3, "bad.lua:1: early");
    ended({TERN_PEER_PROGRAM, bad("return {update = 1}")}, 3,
          "update is a number, expected a function");
    ended({TERN_PEER_PROGRAM, bad("return {types = {}, peers_mx = 3}")}, 3, "peers_mx");
    ended({TERN_PEER_PROGRAM, good, "--seconds", "0.2"}, 0, "stopped in one");
    Process first({TERN_PEER_PROGRAM, good});
    invite_of(first);
    const std::string port = first.text.substr(
        first.text.find("udp ") + 4, first.text.find(" peer ") - first.text.find("udp ") - 4);
    ended({TERN_PEER_PROGRAM, good, "--port", port}, 4, "port " + port);
}

#endif
