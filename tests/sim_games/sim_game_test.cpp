// tern-sim run --script as a program.
#include "tests/programs/process.h"
#include <gtest/gtest.h>

namespace tern::test {

static std::string path(const std::string &name)
{
    return std::string(TERN_SOURCE_DIR) + "/tests/sim_games/" + name + ".lua";
}

struct Played {
    int status;
    std::string text;
};

static Played play(const std::string &program, const std::string &script,
                   const std::vector<std::string> &more = {})
{
    std::vector<std::string> arguments = {program, "run", "--script", path(script)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    Process process(arguments);
    process.print_until("}\n");
    const int status = process.wait_for_end();
    return {status, process.text};
}

static std::string member(const std::string &text, const std::string &name)
{
    const size_t begin = text.rfind("\"" + name + "\":");
    if (begin == std::string::npos) return "";
    const size_t value = begin + name.size() + 3;
    return text.substr(value, text.find_first_of(",}", value) - value);
}

static bool holds(const std::string &text, const std::string &part)
{
    return text.find(part) != std::string::npos;
}

// Everything except the last line, which contains the duration.
static std::string printed(const std::string &text)
{
    return text.substr(0, text.rfind("{\"ok\""));
}

TEST(SimGame, TheSameSeedIsTheSameRun)
{
    std::string digests;
    for (const char *seed : {"1", "8", "12"}) {
        const Played first = play(TERN_SIM, "herd", {"--seed", seed, "--seconds", "15"});
        const Played again = play(TERN_SIM, "herd", {"--seed", seed, "--seconds", "15"});
        EXPECT_EQ(first.status, 0) << first.text;
        const std::string digest = member(first.text, "digest");
        EXPECT_EQ(digest.size(), 18u) << first.text;
        EXPECT_EQ(digest, member(again.text, "digest")) << seed;
        EXPECT_EQ(printed(first.text), printed(again.text)) << seed;
        EXPECT_FALSE(holds(digests, digest)) << "another seed is another run";
        digests += digest;
    }
}

TEST(SimGame, FaultsAndPeersAreAsAsked)
{
    const Played calm =
        play(TERN_SIM, "herd", {"--faults", "none", "--peers", "2", "--seconds", "5"});
    EXPECT_EQ(calm.status, 0) << calm.text;
    EXPECT_EQ(member(calm.text, "peers"), "2");
    EXPECT_EQ(member(calm.text, "crashes"), "0");
    EXPECT_EQ(member(calm.text, "joins"), "1");
    const Played bad = play(TERN_SIM, "herd",
                            {"--faults", "loss=100,twice=50,crash=1,start=1,cut=3,partition=1",
                             "--peers", "6", "--seed", "2"});
    EXPECT_EQ(bad.status, 0) << bad.text;
    EXPECT_EQ(member(bad.text, "crashes"), "1");
    EXPECT_EQ(member(bad.text, "cuts"), "3");
    EXPECT_EQ(member(bad.text, "partitions"), "1");
    EXPECT_GE(std::stoi(member(bad.text, "joins")), 5);
}

TEST(SimGame, NothingThatAScriptSeesDiffersBetweenRuns)
{
    const Played first = play(TERN_SIM, "orders", {"--faults", "none", "--seconds", "6"});
    EXPECT_EQ(first.status, 0) << first.text;
    for (const char *part :
         {"pairs: false true 0.5 12 a brown dog fox jumps lazy over quick the\n",
          "next: false true 0.5 12 a brown dog fox jumps lazy over quick the\n",
          "cleared: false true 0.5 12 a brown dog fox jumps lazy over quick the nil\n",
          "sorted: 7 14 21 28 35 ", "texts: table: 1 function: 2 table: 3 7 table: 1\n",
          "2026-01-01 00:00:0", "no order: false the simulator cannot tell which of two keys"})
        EXPECT_TRUE(holds(first.text, part)) << part << "\n" << first.text;
    for (int i = 0; i < 3; ++i) {
        const Played again = play(TERN_SIM, "orders", {"--faults", "none", "--seconds", "6"});
        EXPECT_EQ(printed(first.text), printed(again.text));
        EXPECT_EQ(member(first.text, "digest"), member(again.text, "digest"));
    }
}

#ifdef TERN_OTHER_SIM
TEST(SimGame, LuaJitAndLua54PlayTheSameGame)
{
    for (const char *seed : {"3", "8"}) {
        const Played one = play(TERN_SIM, "herd", {"--seed", seed, "--seconds", "15"});
        const Played other = play(TERN_OTHER_SIM, "herd", {"--seed", seed, "--seconds", "15"});
        EXPECT_EQ(other.status, 0) << other.text;
        EXPECT_EQ(member(one.text, "digest"), member(other.text, "digest")) << seed;
    }
    const Played one = play(TERN_SIM, "orders", {"--faults", "none", "--seconds", "6"});
    const Played other = play(TERN_OTHER_SIM, "orders", {"--faults", "none", "--seconds", "6"});
    EXPECT_EQ(printed(one.text), printed(other.text));
}
#endif

TEST(SimGame, AnErrorEndsTheRunAndSaysWhereItWas)
{
    const Played r = play(TERN_SIM, "falls", {"--seed", "5", "--faults", "none"});
    EXPECT_EQ(r.status, 1);
    EXPECT_TRUE(holds(r.text, "tern-sim: seed 5: peer ")) << r.text;
    EXPECT_TRUE(holds(r.text, " s: ")) << r.text;
    EXPECT_TRUE(holds(r.text, "falls.lua:5: it fell over")) << r.text;
    EXPECT_TRUE(holds(r.text, "stack traceback:")) << r.text;
    EXPECT_TRUE(holds(r.text, "falls.lua:14: in function")) << r.text;
    EXPECT_EQ(member(r.text, "ok"), "false");
    EXPECT_EQ(member(r.text, "invariant"), "\"script\"");
}

TEST(SimGame, TheScriptSaysItsOwnWordAtTheEnd)
{
    const Played r = play(TERN_SIM, "complains", {"--seconds", "4", "--faults", "none"});
    EXPECT_EQ(r.status, 1);
    EXPECT_TRUE(holds(r.text, "complains.lua:8: there are 4 things")) << r.text;
}

TEST(SimGame, PeersThatDoNotFindTogetherAreAFailure)
{
    const Played r = play(TERN_SIM, "closed", {"--seconds", "2", "--peers", "2"});
    EXPECT_EQ(r.status, 1);
    EXPECT_EQ(member(r.text, "invariant"), "\"membership\"");
    EXPECT_TRUE(holds(r.text, "the peers are not in one session")) << r.text;
    EXPECT_TRUE(holds(r.text, "peer 1.2 at ")) << "it comes again\n" << r.text;
}

TEST(SimGame, ACallThatDoesNotEndIsEnded)
{
    const Played r = play(TERN_SIM, "endless", {"--peers", "2"});
    EXPECT_EQ(r.status, 1);
    EXPECT_TRUE(holds(r.text, "has used up its instructions")) << r.text;
}

TEST(SimGame, WhatCannotBeIsRefused)
{
    EXPECT_EQ(play(TERN_SIM, "there is none").status, 2);
    const Played fault = play(TERN_SIM, "herd", {"--faults", "rebind"});
    EXPECT_EQ(fault.status, 2);
    EXPECT_TRUE(holds(fault.text, "rebind is none of a script's run")) << fault.text;
    const Played record = play(TERN_SIM, "herd", {"--record", "x"});
    EXPECT_EQ(record.status, 2);
    EXPECT_TRUE(holds(record.text, "--script")) << record.text;
}

}
