// The exhaustive schedules of UPDATEs find every mutant of the update rules.
#include "sim/mutants/mutant.h"
#include "tests/replication/update/update_schedules.h"
#include <cstdio>
#include <gtest/gtest.h>

namespace tern {

struct UpdateMutants : ::testing::Test {
    void TearDown() override { mutant = Mutant::none; }
};

static void expect_found(const Explored &explored)
{
    EXPECT_GT(explored.diverged, 0u);
    std::printf("%llu of %llu schedules diverge, the first:%s\n",
                static_cast<unsigned long long>(explored.diverged),
                static_cast<unsigned long long>(explored.schedules),
                explored.first_diverged.c_str());
}

TEST_F(UpdateMutants, WithAllRulesNothingDiverges)
{
    EXPECT_EQ(update_schedules::all({2, 1, false, true}).diverged, 0u);
    EXPECT_EQ(update_schedules::all_tenures().diverged, 0u);
}

TEST_F(UpdateMutants, IgnoringTheTickDiverges)
{
    mutant = Mutant::update_ignores_the_tick;
    expect_found(update_schedules::all({2, 1, false, true}));
}

TEST_F(UpdateMutants, SendingOnlyWhatIsNotInFlightDiverges)
{
    mutant = Mutant::only_what_is_not_in_flight;
    expect_found(update_schedules::all({2, 1, false, true}));
}

TEST_F(UpdateMutants, SendingOnlyWhatIsNotInFlightDivergesWhenValuesReturn)
{
    mutant = Mutant::only_what_is_not_in_flight;
    expect_found(update_schedules::all({2, 1, true, true}));
}

TEST_F(UpdateMutants, SendingOnlyWhatIsNotInFlightDivergesWithoutAnyLoss)
{
    mutant = Mutant::only_what_is_not_in_flight;
    expect_found(update_schedules::all({2, 1, false, false}));
}

TEST_F(UpdateMutants, UpdatesOfAnyTenureDiverge)
{
    mutant = Mutant::update_without_tenure;
    expect_found(update_schedules::all_tenures());
}

}
