// Each scenario runs as described.
#include "sim/explorer/cluster_script_play.h"
#include "sim/scenarios/scenarios.h"
#include "sim/scenarios/scenarios_sessions.h"
#include <gtest/gtest.h>
#include <set>

using namespace tern;

namespace {

struct Orders : ::testing::TestWithParam<Scenario> {};
struct Sessions : ::testing::TestWithParam<ScenarioTitle> {};

std::string word(std::string_view name)
{
    std::string word(name);
    for (char &c : word)
        if (c == '-') c = '_';
    return word;
}

std::string test_name(const ::testing::TestParamInfo<Scenario> &info)
{
    return word(info.param.name);
}

std::string title_name(const ::testing::TestParamInfo<ScenarioTitle> &info)
{
    return word(info.param.name);
}

// Returns "S14" for "S14-report".
std::string number_of(std::string_view name)
{
    return std::string(name.substr(0, name.find('-')));
}

}

TEST_P(Orders, Holds)
{
    const ParsedScript parsed = cluster_script::parse(GetParam().text);
    ASSERT_EQ(parsed.error, "");
    const PlayedScript played = cluster_script::play(parsed.script);
    EXPECT_EQ(played.failure, "");
    EXPECT_EQ(played.violation.invariant, "") << played.violation.text;
    EXPECT_GT(played.history.moments.size(), 10u);
}

INSTANTIATE_TEST_SUITE_P(Scenarios, Orders,
                         ::testing::ValuesIn(scenarios::orders().begin(),
                                             scenarios::orders().end()),
                         test_name);

TEST_P(Sessions, Hold)
{
    const PlayedSessions played = scenarios::play_sessions(GetParam().name);
    EXPECT_EQ(played.failure, "");
    EXPECT_NE(played.measured, "");
}

INSTANTIATE_TEST_SUITE_P(Scenarios, Sessions, ::testing::ValuesIn(scenarios::sessions()),
                         title_name);

TEST(Scenarios, AllOfTheListArePlayed)
{
    std::set<std::string> known;
    for (const Scenario &scenario : scenarios::orders())
        known.insert(number_of(scenario.name));
    for (const ScenarioTitle &title : scenarios::sessions())
        known.insert(number_of(title.name));
    for (int i = 1; i <= 27; ++i)
        EXPECT_TRUE(known.contains("S" + std::to_string(i))) << i;
}

TEST(Scenarios, AreFoundByName)
{
    ASSERT_NE(scenarios::find_order("S8"), nullptr);
    EXPECT_EQ(scenarios::find_order("S8")->name, "S8");
    EXPECT_EQ(scenarios::find_order("S999"), nullptr);
}
