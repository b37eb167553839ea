// Scripts: a written script reads back equal, errors are named, and a script always plays alike.
#include "sim/explorer/cluster_script.h"
#include "sim/explorer/cluster_script_play.h"
#include "sim/explorer/explorer.h"
#include <gtest/gtest.h>

using namespace tern;

namespace {

std::string error_of(const std::string &lines)
{
    return cluster_script::parse("tern-trace 1 explore\n" + lines).error;
}

PlayedScript played(const std::string &lines)
{
    const ParsedScript parsed = cluster_script::parse("tern-trace 1 explore\n" + lines);
    EXPECT_EQ(parsed.error, "");
    return cluster_script::play(parsed.script);
}

const std::string race = "scope peers 3\n"
                         "create 2\n"
                         "deliver 2>1\n"
                         "claim 1 2.1\n"
                         "deliver 1>3\n"
                         "deliver 2>3\n";

}

TEST(Script, ErrorsNameLineWordAndWhatWasExpected)
{
    EXPECT_EQ(cluster_script::parse("").error,
              "the text is empty, expected `tern-trace 1 explore`");
    EXPECT_EQ(cluster_script::parse("tern-trace 2 explore\n").error,
              "line 1: `tern-trace 2 explore`, expected `tern-trace 1 explore`");
    EXPECT_EQ(error_of("\nscope peers 3\ndelvier 2>3\n"),
              "line 4: `delvier`, expected a move (create, deliver, ...), flow, expect or digest");
    EXPECT_EQ(error_of("deliver 2\n"), "line 2: `2`, expected two peers, as 2>3");
    EXPECT_EQ(error_of("deliver 2>2\n"), "line 2: `2>2`, expected two peers that differ");
    EXPECT_EQ(error_of("claim 2\n"),
              "line 2: the line ends, expected an object, as 2.1: creator and serial");
    EXPECT_EQ(error_of("create 7\n"), "line 2: `7`, expected the number of a peer");
    EXPECT_EQ(error_of("create 2 2\n"), "line 2: `2`, expected no more");
    EXPECT_EQ(error_of("expect 1 well 2.1\n"),
              "line 2: `well`, expected dead, alive, unknown or claims");
    EXPECT_EQ(error_of("expect 1 alive 2.1 age 3\n"),
              "line 2: `age`, expected owner, stamp or write");
    EXPECT_EQ(error_of("scope peers 9\n"),
              "line 2: `peers`, expected 1 to 6 peers, with those that join");
    EXPECT_EQ(error_of("scope friends 2\n"),
              "line 2: `friends`, expected a name of ExploreScope, as peers or claims");
    EXPECT_EQ(error_of("create 1\ncreate 1\ncreate 1\ncreate 1\n"),
              "the script has more than 3 objects");
    EXPECT_EQ(error_of("scope peers 3 lies 1 liar 1\n"),
              "the script has a liar that is the host or nobody");
    EXPECT_EQ(error_of("scope peers 3 lies 3 destroys 2\n"),
              "the script has more than 4 lies and destroys");
}

TEST(Script, IsReadAsItWasWritten)
{
    ExploreScope scope;
    scope.claims = 2;
    scope.mortal = true;
    scope.lies = 1;
    scope.liar = 2;
    const Script script = cluster_script::of(scope, {});
    const std::string text = cluster_script::text(script);
    const ParsedScript parsed = cluster_script::parse(text);
    EXPECT_EQ(parsed.error, "");
    EXPECT_EQ(cluster_script::text(parsed.script), text);
    EXPECT_TRUE(parsed.script.scope.mortal);
    EXPECT_EQ(parsed.script.scope.liar, 2);
    EXPECT_EQ(parsed.script.scope.claims, 2);
}

TEST(Script, EveryMoveIsReadAsItWasWritten)
{
    // A scope has at most four lies.
    for (const std::string all :
         {"create 2\nclaim 1 2.1\ndestroy 2 2.1\nset 2 2.1\nlock 2 2.1\nrelease 2 2.1\n"
          "deliver 2>3\nupdate 2>3 1\nlose 2>3 2\ncrash 3\nnotice 3>1\njoin 4>1\nwait 1\n"
          "hold 1>2\npull 1>2\nsuspect 2>1\nforge_migrate 3>2 2.1\nforge_destroy 3>2 2.1\n"
          "replay 3>2 1\n",
          "repeat 3>2 1\nwithhold 3>2\nmute 3>2\noust 3>1\nlie_fences 3>1 2\n",
          "lie_farewell 3>1 2\nlie_empty 3>1\nlie_takes 3>1 2.1\nlie_buries 3>2 2.1\n",
          "lie_destroys 3>2 3.1\nlie_creates 3>2 1\nlie_accuses 3>1 2\nlie_queries 3>2 1\n"}) {
        const ParsedScript parsed = cluster_script::parse("tern-trace 1 explore\n" + all);
        ASSERT_EQ(parsed.error, "");
        std::string again;
        for (const ScriptLine &line : parsed.script.lines)
            again += cluster_script::text(line.move) + "\n";
        EXPECT_EQ(again, all);
    }
}

TEST(Script, BudgetsHoldWhatIsDone)
{
    const ParsedScript parsed = cluster_script::parse(
        "tern-trace 1 explore\nhold 1>2\nhold 1>3\nsuspect 2>1\nreplay 3>2 1\n"
        "lock 2 2.1\nrelease 2 2.1\nlock 2 2.1\n");
    EXPECT_EQ(parsed.script.scope.locks, 2);
    EXPECT_EQ(parsed.script.scope.releases, 1);
    EXPECT_EQ(parsed.script.scope.holds, 2);
    EXPECT_EQ(parsed.script.scope.suspicions, 1);
    EXPECT_EQ(parsed.script.scope.forges, 1);
    EXPECT_EQ(cluster_script::parse("tern-trace 1 explore\nmute 3>2\n").script.scope.lies, 1);
}

TEST(Script, PlaysTheSameEachTime)
{
    const uint64_t digest = played(race).digest;
    EXPECT_EQ(played(race).digest, digest);
    EXPECT_NE(played(race + "deliver 1>2\n").digest, digest);
    EXPECT_EQ(played(race).moves, 5u);
}

TEST(Script, AWrongDigestIsAFailure)
{
    EXPECT_EQ(played(race + "digest 0000000000000001\n").failure,
              "the digest is another one than the script's");
}

TEST(Script, WhatCannotBeDoneIsAFailure)
{
    const PlayedScript now = played("scope peers 3\ncreate 2\ndeliver 1>3\n");
    EXPECT_EQ(now.line, 4u);
    EXPECT_EQ(now.failure, "line 4, `deliver 1>3`: `deliver 1>3` cannot be done here");
}

TEST(Script, WhatIsNotAsExpectedIsAFailure)
{
    EXPECT_EQ(played(race + "expect 3 dead 2.1\n").failure,
              "line 8, `expect 3 dead 2.1`: at peer 3 it is alive, owner 1, stamp 1.1.1, write 0");
    EXPECT_EQ(played(race + "expect quiet\n").failure,
              "line 8, `expect quiet`: something is still on its way");
    EXPECT_TRUE(played(race + "expect 3 alive 2.1 owner 1 stamp 1 write 0\n").ok());
}

TEST(Script, TellsItsHistory)
{
    const History history = played("title A race\n" + race).history;
    EXPECT_EQ(history.title, "A race");
    EXPECT_EQ(history.lanes, (std::vector<std::string>{"peer 1 host", "peer 2", "peer 3"}));
    EXPECT_TRUE(history.steps);
    size_t said = 0, heard = 0;
    uint64_t time_us = 0;
    for (const Moment &moment : history.moments) {
        EXPECT_GE(moment.time_us, time_us);
        time_us = moment.time_us;
        said += moment.kind == MomentKind::said;
        heard += moment.kind == MomentKind::heard;
    }
    EXPECT_EQ(said, 4u); // CREATE and MIGRATE, to two peers each.
    EXPECT_EQ(heard, 3u);
    EXPECT_TRUE(history.moments.back().ignored); // The CREATE that arrived late.
}

TEST(Script, AWayOfTheExplorerIsAScript)
{
    ExploreScope scope;
    scope.claims = 1;
    Cluster c = cluster::make(scope);
    ClusterState s = cluster::first_state(c);
    std::vector<Move> moves, way;
    for (cluster::moves(c, s, moves); !moves.empty(); cluster::moves(c, s, moves)) {
        way.push_back(moves[moves.size() / 2]);
        cluster::make_move(c, s, way.back());
    }
    const Script script = cluster_script::of(scope, way);
    const ParsedScript parsed = cluster_script::parse(cluster_script::text(script));
    ASSERT_EQ(parsed.error, "");
    const PlayedScript again = cluster_script::play(parsed.script);
    EXPECT_TRUE(again.ok()) << again.failure;
    EXPECT_EQ(again.moves, way.size());
    EXPECT_EQ(again.digest, script.digest);
}
