#include "tests/migration/arrival_orders.h"
#include <cstdio>
#include <gtest/gtest.h>

using namespace tern;
using namespace tern::test;

static void expect_one_end(const char *name, const Story &story, bool alive)
{
    const Ends ends = all_orders(story);
    std::printf("%s: %.0f orders, %zu states\n", name, ends.orders, ends.states);
    ASSERT_EQ(ends.worlds.size(), 1u) << name;
    EXPECT_EQ(ends.worlds.begin()->first, alive) << name;
    EXPECT_GT(ends.orders, 100) << name;
}

TEST(ArrivalOrders, AnObjectThatMigratedAndDiedIsDeadInEveryOrder)
{
    const Story story = created_migrated_destroyed(false);
    ASSERT_EQ(story.streams.size(), 2u);
    ASSERT_EQ(story.streams[0].second.size(), 1u); // C0
    ASSERT_EQ(story.streams[1].second.size(), 2u); // M1 D1
    ASSERT_EQ(story.updates.size(), 2u);
    expect_one_end("C0 | M1 D1", story, false);
    expect_one_end("C0 C0 | M1 D1 M1 D1", created_migrated_destroyed(true), false);
}

TEST(ArrivalOrders, ADestroyThatCrossesAMigrationIsFinalInEveryOrder)
{
    const Story story = destroyed_while_migrating(false);
    ASSERT_EQ(story.streams.size(), 2u);
    ASSERT_EQ(story.streams[0].second.size(), 2u); // C0 D0
    ASSERT_EQ(story.streams[1].second.size(), 1u); // M1
    ASSERT_EQ(story.updates.size(), 2u);
    expect_one_end("C0 D0 | M1", story, false);
    expect_one_end("C0 D0 C0 D0 | M1 M1", destroyed_while_migrating(true), false);
}

TEST(ArrivalOrders, AnObjectThatMigratedTwiceAndDiedIsDeadInEveryOrder)
{
    const Story story = migrated_twice(true, false);
    ASSERT_EQ(story.streams.size(), 3u);
    ASSERT_EQ(story.streams[2].second.size(), 2u); // M2 D2
    ASSERT_EQ(story.updates.size(), 3u);
    expect_one_end("C0 | M1 | M2 D2", story, false);
    expect_one_end("C0 C0 | M1 M1 | M2 D2 M2 D2", migrated_twice(true, true), false);
}

TEST(ArrivalOrders, AnObjectThatMigratedTwiceBelongsToTheLastOwnerInEveryOrder)
{
    expect_one_end("C0 | M1 | M2", migrated_twice(false, false), true);
    expect_one_end("C0 C0 | M1 M1 | M2 M2", migrated_twice(false, true), true);
}
