// Every scenario can fail: each order of messages breaks an invariant under at least one mutant.
#include "sim/explorer/cluster_script_play.h"
#include "sim/scenarios/scenarios.h"
#include <gtest/gtest.h>

using namespace tern;

namespace {

struct ScenarioMutants : ::testing::TestWithParam<Scenario> {
    void TearDown() override { mutant = Mutant::none; }
};

std::string test_name(const ::testing::TestParamInfo<Scenario> &info)
{
    std::string word(info.param.name);
    for (char &c : word)
        if (c == '-') c = '_';
    return word;
}

}

TEST_P(ScenarioMutants, SomeAbsenceIsFound)
{
    const Script script = cluster_script::parse(GetParam().text).script;
    ASSERT_TRUE(cluster_script::play(script).ok());
    std::string found;
    for (size_t i = 1; i < mutant_count; ++i) {
        mutant = static_cast<Mutant>(i);
        if (!cluster_script::play(script).ok()) found += std::string(" ") + mutant_texts[i].name;
    }
    EXPECT_NE(found, "") << GetParam().name;
    std::printf("%s:%s\n", std::string(GetParam().name).c_str(), found.c_str());
}

INSTANTIATE_TEST_SUITE_P(Scenarios, ScenarioMutants,
                         ::testing::ValuesIn(scenarios::orders().begin(),
                                             scenarios::orders().end()),
                         test_name);
