// The explorer finds every mutant of migration and UPDATE in the smallest cluster in which it
// shows, and in that cluster it finds nothing without a mutant.
#include "sim/explorer/cluster_script_play.h"
#include "sim/explorer/explorer.h"
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

ExploreScope scope(uint16_t peers, uint16_t claims, uint16_t destroys)
{
    ExploreScope scope;
    scope.peers = peers;
    scope.claims = claims;
    scope.destroys = destroys;
    return scope;
}

ExploreScope with_crash(ExploreScope scope)
{
    scope.crashes = 1;
    return scope;
}

ExploreScope with_join(ExploreScope scope)
{
    scope.joins = 1;
    return scope;
}

// Without the checks Q5 and Q8 the explorer does not stop at tombstones that differ. It reaches
// the destroyed object that lives again.
ExploreScope without_memory(ExploreScope scope)
{
    scope.memory = false;
    return scope;
}

ExploreScope with_updates(ExploreScope scope, uint16_t updates)
{
    scope.updates = updates;
    scope.losses = 1;
    return scope;
}

ExploreScope with_wait(ExploreScope scope)
{
    scope.waits = 1;
    return scope;
}

ExploreScope with_hold(ExploreScope scope)
{
    scope.holds = 1;
    scope.losses = 0;
    return scope;
}

ExploreScope with_locks(ExploreScope scope)
{
    scope.locks = 1;
    return scope;
}

ExploreScope with_release(ExploreScope scope)
{
    scope.releases = 1;
    return scope;
}

ExploreScope with_forgery(ExploreScope scope)
{
    scope.forges = 1;
    return scope;
}

const Absence absences[] = {
    {Mutant::no_memory_of_the_dead, "I3", scope(3, 1, 1)},
    {Mutant::update_ignores_the_tick, "I4", with_updates(scope(2, 0, 0), 2)},
    {Mutant::update_without_tenure, "I4", with_updates(scope(3, 1, 0), 1)},
    {Mutant::only_what_is_not_in_flight, "I4", with_updates(scope(2, 0, 0), 2)},
    {Mutant::values_compared, "I4", with_updates(scope(2, 0, 0), 2)},
    {Mutant::update_before_the_ack, "Q2", with_updates(scope(2, 0, 0), 1)},
    {Mutant::stamp_ignored, "I2", scope(3, 1, 0)},
    {Mutant::old_destroy_ignored, "Q1", scope(3, 1, 1)},
    {Mutant::migrate_does_not_create, "Q1", scope(3, 1, 0)},
    {Mutant::stamp_given_twice, "I1", scope(2, 2, 0)},
    {Mutant::report_before_fencing, "Q1", with_crash(scope(3, 0, 0))},
    {Mutant::no_fence, "Q1", with_crash(scope(3, 0, 0))},
    {Mutant::orphans_left_alone, "Q3", with_crash(scope(2, 0, 0))},
    {Mutant::dead_not_relayed, "Q1", without_memory(with_crash(scope(3, 0, 1)))},
    {Mutant::dead_not_relayed, "Q5", with_crash(scope(3, 0, 1))},
    {Mutant::world_sync_without_the_dead, "Q1", without_memory(with_join(scope(2, 1, 1)))},
    {Mutant::world_sync_without_the_dead, "Q5", with_join(scope(2, 1, 1))},
    {Mutant::joiner_acts_early, "Q5", with_join(scope(2, 1, 1))},
    {Mutant::newcomer_not_synced, "Q1", with_join(scope(1, 0, 0))},
    {Mutant::dead_forgotten_on_a_timer, "I3", with_wait(scope(2, 0, 1))},
    {Mutant::claim_not_answered, "Q6", scope(3, 1, 0)},
    {Mutant::no_authority_check, "I6", with_forgery(scope(2, 0, 0))},
    {Mutant::older_value_reported, "I5", with_crash(with_updates(scope(3, 0, 0), 1))},
    {Mutant::overtaken_grant_taken, "I4", with_hold(with_updates(scope(3, 2, 0), 1))},
    {Mutant::past_tenure_announced, "I4", with_hold(with_updates(scope(3, 1, 0), 1))},
    {Mutant::lock_ignored, "I15", with_locks(scope(3, 1, 0))},
    {Mutant::lock_outlives_its_tenure, "Q8", with_locks(scope(2, 1, 0))},
    {Mutant::release_not_resent, "Q6", with_release(with_crash(scope(3, 0, 0)))},
    {Mutant::ack_of_a_past_tenure, "Q2", with_hold(with_updates(scope(3, 2, 0), 1))},
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
    EXPECT_TRUE(played.violation);
    std::printf("%s: %s\n", played.violation.invariant.c_str(), played.violation.text.c_str());
    std::ostringstream drawn; // docs/testing.md shows how to draw the picture again.
    drawn << std::ifstream(TERN_SOURCE_DIR "/docs/ghost.svg").rdbuf();
    EXPECT_TRUE(drawn.str() == picture::svg(played.history)) << "docs/ghost.svg is old";
}
