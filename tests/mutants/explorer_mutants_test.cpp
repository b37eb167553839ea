// The explorer finds every mutant of migration and UPDATE in the smallest cluster in which it
// shows, and in that cluster it finds nothing without a mutant.
#include "sim/explorer/cluster_script_play.h"
#include "sim/explorer/explorer.h"
#include "sim/picture/history.h"
#include "sim/picture/picture.h"
#include "sim/scenarios/scenarios.h"
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

using namespace tern;

namespace {

struct Absence {
    Mutant mutant;
    const char *invariant; // The first invariant to break
    ExploreScope scope;
};

// Without the checks Q5 and Q8 (.memory = false) the explorer does not stop at tombstones that
// differ. A creator that has forgotten its dead object finds a message about it malformed (I12).
const Absence absences[] = {
    {Mutant::no_memory_of_the_dead, "I12", {.peers = 3, .claims = 1, .destroys = 1}},
    {Mutant::update_ignores_the_tick, "I4", {.peers = 2, .updates = 2, .losses = 1}},
    {Mutant::update_without_tenure, "I4", {.peers = 3, .claims = 1, .updates = 1, .losses = 1}},
    {Mutant::only_what_is_not_in_flight, "I4", {.peers = 2, .updates = 2, .losses = 1}},
    {Mutant::values_compared, "I4", {.peers = 2, .updates = 2, .losses = 1}},
    {Mutant::update_before_the_ack, "Q2", {.peers = 2, .updates = 1, .losses = 1}},
    {Mutant::stamp_ignored, "I2", {.peers = 3, .claims = 1}},
    {Mutant::old_destroy_ignored, "Q1", {.peers = 3, .claims = 1, .destroys = 1}},
    {Mutant::migrate_does_not_create, "Q1", {.peers = 3, .claims = 1}},
    {Mutant::stamp_given_twice, "I1", {.peers = 2, .claims = 2}},
    {Mutant::report_before_fencing, "Q1", {.peers = 3, .crashes = 1}},
    {Mutant::no_fence, "Q1", {.peers = 3, .crashes = 1}},
    {Mutant::orphans_left_alone, "Q3", {.peers = 2, .crashes = 1}},
    {Mutant::dead_not_relayed, "Q1", {.peers = 3, .destroys = 1, .crashes = 1, .memory = false}},
    {Mutant::dead_not_relayed, "Q5", {.peers = 3, .destroys = 1, .crashes = 1}},
    {Mutant::world_sync_without_the_dead,
     "Q1",
     {.peers = 2, .claims = 1, .destroys = 1, .joins = 1, .memory = false}},
    {Mutant::world_sync_without_the_dead,
     "Q5",
     {.peers = 2, .claims = 1, .destroys = 1, .joins = 1}},
    {Mutant::joiner_acts_early, "Q7", {.peers = 3, .creates = 0, .crashes = 1, .joins = 1}},
    {Mutant::newcomer_not_synced, "Q1", {.peers = 1, .joins = 1}},
    {Mutant::dead_forgotten_on_a_timer, "I3", {.peers = 2, .destroys = 1, .waits = 1}},
    {Mutant::claim_not_answered, "Q6", {.peers = 3, .claims = 1}},
    {Mutant::no_authority_check, "I6", {.peers = 2, .forges = 1}},
    {Mutant::older_value_reported, "I5", {.peers = 3, .crashes = 1, .updates = 1, .losses = 1}},
    {Mutant::overtaken_grant_taken, "I4", {.peers = 3, .claims = 2, .updates = 1, .holds = 1}},
    {Mutant::waiting_grant_unanswered, "Q6", {.peers = 3, .claims = 2, .holds = 1}},
    {Mutant::past_tenure_announced, "I4", {.peers = 3, .claims = 1, .updates = 1, .holds = 1}},
    {Mutant::lock_ignored, "I15", {.peers = 3, .claims = 1, .locks = 1}},
    {Mutant::lock_outlives_its_tenure, "Q8", {.peers = 2, .claims = 1, .locks = 1}},
    {Mutant::release_not_resent, "Q6", {.peers = 3, .crashes = 1, .releases = 1}},
    {Mutant::report_removes, "I28", {.peers = 4, .creates = 0, .crashes = 1, .lies = 1}},
    {Mutant::first_place_counts, "I12", {.peers = 3, .claims = 1, .lies = 1}},
    {Mutant::one_accuser_suffices, "I28", {.peers = 4, .creates = 0, .lies = 1}},
    {Mutant::ack_of_a_past_tenure, "Q2", {.peers = 3, .claims = 2, .updates = 1, .holds = 1}},
};

struct ExplorerMutants : ::testing::TestWithParam<Absence> {
    void TearDown() override { mutant = Mutant::none; }
};

constexpr uint64_t states_max = 1'000'000;

ExploreResult explored(const ExploreScope &scope)
{
    Explorer e = explorer::make(scope);
    while (explorer::advance(e, 1000) && explorer::result(e).states < states_max) {
    }
    return explorer::result(e);
}

std::string test_name(const ::testing::TestParamInfo<Absence> &info)
{
    const std::string name = mutant_texts[static_cast<size_t>(info.param.mutant)].name;
    return name + "_" + info.param.invariant;
}

}

TEST_P(ExplorerMutants, IsFound)
{
    mutant = GetParam().mutant;
    const ExploreResult result = explored(GetParam().scope);
    EXPECT_EQ(result.violation.invariant, GetParam().invariant) << result.violation.text;
    std::printf("after %llu states, by %zu moves: %s: %s\n",
                static_cast<unsigned long long>(result.states), result.moves.size(),
                result.violation.invariant.c_str(), result.violation.text.c_str());
    // The moves, written as a script, lead to the same violation.
    const Script script = cluster_script::of(GetParam().scope, result.moves);
    EXPECT_EQ(cluster_script::play(script).violation.invariant, GetParam().invariant);
}

TEST_P(ExplorerMutants, IsNotFoundWhereItIsNot)
{
    mutant = Mutant::none;
    const ExploreResult result = explored(GetParam().scope);
    EXPECT_EQ(result.violation.invariant, "") << result.violation.text;
    EXPECT_TRUE(result.exhausted);
}

INSTANTIATE_TEST_SUITE_P(Explorer, ExplorerMutants, ::testing::ValuesIn(absences), test_name);

TEST(ScenarioMutants, TheGhostIsThere)
{
    const Scenario *ghost = scenarios::find_order("ghost");
    ASSERT_NE(ghost, nullptr);
    const Script script = cluster_script::parse(ghost->text).script;
    EXPECT_TRUE(cluster_script::play(script).ok());
    mutant = ghost->mutant;
    const PlayedScript played = cluster_script::play(script);
    mutant = Mutant::none;
    EXPECT_TRUE(played.violation) << played.failure;
    std::printf("%s: %s\n", played.violation.invariant.c_str(), played.violation.text.c_str());
    std::ostringstream drawn; // docs/testing.md shows how to draw the picture again.
    drawn << std::ifstream(TERN_SOURCE_DIR "/docs/ghost.svg").rdbuf();
    EXPECT_TRUE(drawn.str() == picture::svg(played.history)) << "docs/ghost.svg is old";
}

// docs/use/page.md names the commands that write them anew.
void expect_kept(const History &history, const std::string &name)
{
    const std::string path = TERN_SOURCE_DIR "/programs/page/histories/" + name;
    std::ostringstream kept;
    kept << std::ifstream(path).rdbuf();
    EXPECT_TRUE(kept.str() == history::json(history)) << path << " is old";
}

TEST(ScenarioMutants, ThePageHasTheseHistories)
{
    const Scenario *race = scenarios::find_order("S8"), *ghost = scenarios::find_order("ghost");
    ASSERT_NE(race, nullptr);
    ASSERT_NE(ghost, nullptr);
    expect_kept(cluster_script::play(cluster_script::parse(race->text).script).history,
                "race.json");
    const Script script = cluster_script::parse(ghost->text).script;
    expect_kept(cluster_script::play(script).history, "rule.json");
    mutant = ghost->mutant;
    const PlayedScript played = cluster_script::play(script);
    mutant = Mutant::none;
    expect_kept(played.history, "fix.json");
}
