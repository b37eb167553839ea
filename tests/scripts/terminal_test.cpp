// tern-peer on a terminal: line editing, and completion with Tab.
#include "tests/programs/terminal.h"
#include "tests/scripts/folder.h"
#include <gtest/gtest.h>
#include <termios.h>

#if defined(TERN_PEER_PROGRAM) && defined(TERN_HAVE_LIBEDIT)

using tern::test::Folder;
using tern::test::Terminal;

namespace {

constexpr const char *script =
    "local game = {types = {{name = 'none', fields = {{name = 'n', kind = 'uint8'}}}},\n"
    "              state = {apple = 41, apricot = 'ripe', ticks = 0}}\n"
    "function game.update()\n"
    "    local s = game.state\n"
    "    s.ticks = s.ticks + 1\n"
    "    if s.speaks then s.speaks = nil print('a word') end\n"
    "    if s.fails then s.fails = nil error('a fault') end\n"
    "end\n"
    "return game\n";

bool is_raw(const Terminal &terminal)
{
    termios mode = {};
    return tcgetattr(terminal.keys, &mode) == 0 && (mode.c_lflag & ICANON) == 0;
}

}

TEST(TerminalTest, TabCompletesAndLinesAreEdited)
{
    Folder folder;
    Terminal peer({TERN_PEER_PROGRAM, folder.write("game.lua", script)});
    ASSERT_TRUE(peer.shows("tern-peer ready")) << peer.text;
    ASSERT_TRUE(peer.shows("> ")) << peer.text;
    EXPECT_TRUE(is_raw(peer));
    peer.type("game.st\t");
    ASSERT_TRUE(peer.shows("> game.state")) << peer.text;
    peer.type(".a\t");
    ASSERT_TRUE(peer.shows("> game.state.ap")) << peer.text;
    peer.type("\t"); // Two completions fit.
    ASSERT_TRUE(peer.shows("game.state.apple    game.state.apricot")) << peer.text;
    peer.type("pl\t + 1\r");
    // The console prompts again.
    ASSERT_TRUE(peer.shows("\n42\r\n") && peer.shows("> ")) << peer.text;
    peer.type("game.state.nothing_of_that_kind\t"); // Has no completion, and does no harm.
    peer.type("\x15:ow\t\r");                       // Ctrl-U deletes the line.
    ASSERT_TRUE(peer.shows("\n1 : 0\r\n") && peer.shows("> ")) << peer.text;
    peer.type("9 - 5\x1b[D\x1b[D\x1b[D\x1b[D\x7f"
              "8\r"); // Moves left and replaces the 9 by an 8.
    ASSERT_TRUE(peer.shows("\n3\r\n") && peer.shows("> ")) << peer.text;
    peer.type("\x1b[A\x1b[A\r"); // The line before the last.
    ASSERT_TRUE(peer.shows("\n1 : 0\r\n")) << peer.text;
    kill(peer.id, SIGTERM);
    EXPECT_EQ(peer.end(), 0) << peer.text;
}

TEST(TerminalTest, WhatTheGamePrintsDoesNotCutALineInTwo)
{
    Folder folder;
    Terminal peer({TERN_PEER_PROGRAM, folder.write("game.lua", script)});
    ASSERT_TRUE(peer.shows("> ")) << peer.text;
    peer.type("game.state.speaks = true\r");
    peer.type("'begun");
    ASSERT_TRUE(peer.shows("a word\r\n")) << peer.text;
    peer.type(" and ended'\r");
    ASSERT_TRUE(peer.shows("\n\"begun and ended\"\r\n")) << peer.text;
    peer.type("game.state.fails = true\r");
    ASSERT_TRUE(peer.shows("a fault")) << peer.text;
    peer.type("1 + 1\r");
    ASSERT_TRUE(peer.shows("\n2\r\n")) << peer.text;
}

TEST(TerminalTest, NoKeyHoldsTheGameUp)
{
    Folder folder;
    Terminal peer({TERN_PEER_PROGRAM, folder.write("game.lua", script)});
    ASSERT_TRUE(peer.shows("> ")) << peer.text;
    // The beginnings of an arrow key and of a two-byte letter must not block the input.
    for (const char *begun : {"\x1b", "\x1b[", "\xc3"}) {
        peer.type("game.state.speaks = true\r");
        ASSERT_TRUE(peer.shows("a word\r\n")) << peer.text;
        peer.type(begun);
        usleep(100'000);
        peer.type("\x15game.state.ticks > 0\r");
        ASSERT_TRUE(peer.shows("\ntrue\r\n") && peer.shows("> ")) << peer.text;
    }
    // The end of input does not end the game.
    peer.type("\x04");
    for (int i = 0; i < 500 && is_raw(peer); ++i)
        usleep(20'000);
    EXPECT_FALSE(is_raw(peer));
    EXPECT_EQ(waitpid(peer.id, nullptr, WNOHANG), 0);
    kill(peer.id, SIGINT);
    EXPECT_EQ(peer.end(), 0) << peer.text;
}

#endif
