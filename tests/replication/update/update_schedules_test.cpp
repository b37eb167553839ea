#include "tests/replication/update/update_schedules.h"
#include <cstdio>
#include <gtest/gtest.h>

namespace tern {

static void expect_converged(const Explored &explored, const char *what)
{
    EXPECT_EQ(explored.diverged, 0u) << explored.first_diverged;
    EXPECT_GT(explored.schedules, 0u);
    std::printf("%s: %llu schedules, %llu states\n", what,
                static_cast<unsigned long long>(explored.schedules),
                static_cast<unsigned long long>(explored.states));
}

TEST(UpdateSchedules, TheReceiverEndsWithTheOwnersValues)
{
    expect_converged(update_schedules::all({3, 1, false, true}),
                     "three changing ticks and a quiet one");
}

TEST(UpdateSchedules, TheReceiverEndsWithTheOwnersValuesWhenTheyReturn)
{
    expect_converged(update_schedules::all({3, 1, true, true}), "values that return");
}

TEST(UpdateSchedules, UpdatesOfEveryTenureMayArriveAtEveryPlace)
{
    expect_converged(update_schedules::all_tenures(), "tenures from A to B to A");
}

}
