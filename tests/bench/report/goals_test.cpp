// Verdicts, JSON and documents of the measured results.
#include "bench/report/goals.h"
#include "bench/report/plots.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

using namespace bench;

namespace {

// Two contenders and three rounds; a disturbance slowed the first round down.
Results some_results()
{
    Results all = {};
    all.version = "1";
    all.rounds = 3;
    all.tables.push_back({"t",
                          "a table",
                          {{"ns", 1, true}, {"bytes", 0, false}},
                          {{"theirs", {{900, 10}, {100, 10}, {200, 10}}, 100, true},
                           {"ours", {{450, 7}, {60, 8}, {100, 9}}, 100, true}},
                          {}});
    return all;
}

Goal ratio_goal(double limit)
{
    return {"work", "what", "", {"t", "ours", "ns"}, GoalKind::ratio, {"t", "theirs", "ns"},
            limit,  false,  2};
}

std::string content(const std::string &path)
{
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

}

TEST(Goals, ARatioIsTheMedianOfTheRoundsOwnRatios)
{
    const GoalResult result = goals::evaluate(ratio_goal(0.5), some_results());
    // Median of 0.5, 0.6 and 0.5. The ratio of the medians, 100 / 200, is the same.
    EXPECT_DOUBLE_EQ(result.measured, 0.5);
    EXPECT_EQ(result.state, GoalState::met);
    EXPECT_EQ(goals::evaluate(ratio_goal(0.49), some_results()).state, GoalState::missed);
}

TEST(Goals, AtLeastIsTheOtherWayRound)
{
    Goal goal = {"work", "what", "B", {"t", "ours", "bytes"}, GoalKind::value, {}, 8, true, 0};
    EXPECT_EQ(goals::evaluate(goal, some_results()).state, GoalState::met);
    goal.limit = 8.5;
    EXPECT_EQ(goals::evaluate(goal, some_results()).state, GoalState::missed);
    EXPECT_EQ(goals::limit_text(goal), "at least 8.5 B");
}

TEST(Goals, WhatWasNotRunIsNotMeasuredAndWhatIsMissingIsWrong)
{
    EXPECT_EQ(goals::evaluate(ratio_goal(1), Results{}).state, GoalState::not_measured);
    Goal goal = ratio_goal(1);
    goal.at.row = "nobody";
    EXPECT_EQ(goals::evaluate(goal, some_results()).state, GoalState::nowhere);
    goal = ratio_goal(1);
    goal.baseline.column = "nothing";
    EXPECT_EQ(goals::evaluate(goal, some_results()).state, GoalState::nowhere);
    goal = ratio_goal(1);
    goal.baseline.row = "ENet, as it may not be built in";
    EXPECT_EQ(goals::evaluate(goal, some_results()).state, GoalState::not_measured);
}

TEST(Results, ComeBackFromTheirFile)
{
    const std::string path = testing::TempDir() + "results.json";
    ASSERT_TRUE(results::write_json(some_results(), path));
    const ReadResults read = results::read_json(path);
    ASSERT_EQ(read.error, "");
    EXPECT_EQ(read.results.tables[0].rows[1].rounds, some_results().tables[0].rows[1].rounds);
    EXPECT_EQ(goals::markdown(read.results), goals::markdown(some_results()));
}

TEST(Results, ThatAreNoneAreRefused)
{
    const std::string path = testing::TempDir() + "no_results.json";
    EXPECT_NE(results::read_json(path + ".absent").error, "");
    for (const char *text : {"", "{", "{}", "[1]"}) {
        std::ofstream(path) << text;
        EXPECT_NE(results::read_json(path).error, "") << text;
    }
    Results holed = some_results();
    holed.tables[0].rows[1].rounds[2].pop_back();
    ASSERT_TRUE(results::write_json(holed, path));
    EXPECT_NE(results::read_json(path).error, "");
}

TEST(Documents, WhatStandsBetweenTheMarksIsMadeAnewAndNothingElse)
{
    const std::string root = testing::TempDir() + "documents";
    std::filesystem::remove_all(root);
    std::filesystem::create_directories(root + "/docs");
    EXPECT_NE(plots::write_documents(some_results(), root), "");
    std::ofstream(root + "/docs/performance.md")
        << "a\n<!-- bench goals -->\nstale text\n<!-- end -->\nb\n<!-- bench tables -->\n<!-- end "
           "-->\nc\n";
    std::ofstream(root + "/README.md")
        << "d\n<!-- bench headline -->\nstale text\n<!-- end -->\ne\n";
    ASSERT_EQ(plots::write_documents(some_results(), root), "");
    const std::string page = content(root + "/docs/performance.md");
    EXPECT_EQ(page.find("stale text"), std::string::npos);
    EXPECT_EQ(page.substr(0, 2), "a\n");
    EXPECT_EQ(page.substr(page.size() - 2), "c\n");
    EXPECT_NE(page.find("\nb\n"), std::string::npos);
    EXPECT_NE(page.find("| ours | 100.0 | 0.50 | 8 |"), std::string::npos) << page;
    ASSERT_EQ(plots::write_documents(some_results(), root), "");
    EXPECT_EQ(content(root + "/docs/performance.md"), page);
}

// Every plot that the page shows exists.
TEST(Documents, ThePageOfPerformanceHasItsPlots)
{
    const std::string docs = std::string(TERN_SOURCE_DIR) + "/docs/";
    const std::string page = content(docs + "performance.md");
    size_t count = 0;
    for (size_t at = page.find("](plots/"); at != std::string::npos;
         at = page.find("](plots/", at + 1), ++count) {
        const std::string path = page.substr(at + 2, page.find(')', at) - at - 2);
        const std::string plot = content(docs + path);
        EXPECT_EQ(plot.substr(0, 5), "<svg ") << path;
        EXPECT_NE(plot.find("prefers-color-scheme: dark"), std::string::npos) << path;
    }
    EXPECT_GE(count, 5u);
    EXPECT_EQ(page.find("A QUICK RUN"), std::string::npos);
}
