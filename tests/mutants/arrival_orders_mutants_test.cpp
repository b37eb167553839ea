#include "tests/migration/arrival_orders.h"
#include <gtest/gtest.h>

using namespace tern;
using namespace tern::test;

// The mutant is active only while the messages of the story are received, not while the story is
// made.
static Ends without_memory_of_the_dead(const Story &story)
{
    mutant = Mutant::no_memory_of_the_dead;
    const Ends ends = all_orders(story);
    mutant = Mutant::none;
    return ends;
}

TEST(ArrivalOrdersMutants, WithoutTheMemoryOfTheDeadALateCreateBringsAGhost)
{
    EXPECT_GT(without_memory_of_the_dead(created_migrated_destroyed(false)).worlds.size(), 1u);
}

TEST(ArrivalOrdersMutants, WithoutTheMemoryOfTheDeadALateMigrateBringsAGhost)
{
    EXPECT_GT(without_memory_of_the_dead(destroyed_while_migrating(false)).worlds.size(), 1u);
}

TEST(ArrivalOrdersMutants, WithoutTheMemoryOfTheDeadTwoMigrationsBringAGhost)
{
    EXPECT_GT(without_memory_of_the_dead(migrated_twice(true, false)).worlds.size(), 1u);
}

TEST(ArrivalOrdersMutants, WithTheMemoryThereIsOneEnd)
{
    EXPECT_EQ(all_orders(created_migrated_destroyed(false)).worlds.size(), 1u);
}
