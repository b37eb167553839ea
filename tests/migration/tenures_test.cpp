// What a tenure begins and ends with: field ticks, grants of former hosts, and lost writes.
#include "tests/migration/shared_object.h"

using namespace tern;
using namespace tern::test;

namespace {

struct Tenures : SharedObject {
    void migrate_to(unsigned to)
    {
        ASSERT_TRUE(replica::migrate(group.at(1), object, peer(to)));
        group.flow();
        ASSERT_EQ(belief(group.at(4), object).owner, peer(to));
    }

    void set_at(unsigned owner, int32_t a)
    {
        const Thing thing = {a, a};
        replica::set(group.at(owner), slot(owner), &thing);
    }

    uint32_t changed_tick(unsigned at)
    {
        return world::changed_tick(group.at(at).world, group_table(), slot(at));
    }
};

}

TEST_F(Tenures, ANewOwnerHasWrittenNothingYet)
{
    set_at(2, 5);
    EXPECT_EQ(changed_tick(2), group.at(2).world.tick);
    migrate_to(3);
    migrate_to(2);
    EXPECT_EQ(changed_tick(2), 0u); // The writes of its first tenure do not count.
    set_at(2, 6);
    EXPECT_EQ(changed_tick(2), group.at(2).world.tick);
}

TEST_F(Tenures, LostTicksReachFromTheLastWriteThatTheNextOwnerHasToOurLast)
{
    const uint32_t known = group.at(1).world.slots[slot(1)].tick; // What the host grants with
    for (int i = 0; i < 7; ++i)
        group.pull(1); // Each ends a tick of peer 2. No UPDATE is sent.
    set_at(2, 5);
    const uint32_t last = group.at(2).world.tick;
    ASSERT_GE(last, known + 7);
    migrate_to(3);
    const std::vector<Event> &events = group.events[1];
    ASSERT_FALSE(events.empty());
    EXPECT_EQ(events.back().kind, EventKind::owner_changed);
    EXPECT_EQ(events.back().lost_ticks, last - known);
}

TEST_F(Tenures, NothingIsLostIfTheLastWriteHasArrived)
{
    set_at(2, 5);
    const Bytes update = group.updates(2, 1, 1);
    ASSERT_EQ(replica::receive_updates(group.at(1), peer(2), update), Verdict::ok);
    migrate_to(3);
    EXPECT_EQ(group.events[1].back().kind, EventKind::owner_changed);
    EXPECT_EQ(group.events[1].back().lost_ticks, 0u);
}

// The next host would displace the oldest key of the list, that of a host which granted the object.
TEST_F(Tenures, WhatTheOldestFormerHostGrantedIsGrantedAnewWhenTheListIsFull)
{
    migrate_to(3);
    const Stamp old = belief(group.at(4), object).stamp;
    ASSERT_EQ(stamps::parts(old).host, peer(1));
    for (unsigned id = 2; id <= 4; ++id)
        while (!flat::full(group.at(id).former))
            flat::push(group.at(id).former, {peer(1), {}});
    for (unsigned id = 2; id <= 4; ++id)
        replica::peer_gone(group.at(id), peer(1));
    group.flow();
    for (unsigned id = 2; id <= 4; ++id) {
        EXPECT_EQ(belief(group.at(id), object).owner, peer(3)) << id;
        EXPECT_EQ(stamps::parts(belief(group.at(id), object).stamp).host, peer(2)) << id;
    }
}

TEST_F(Tenures, WhatAFormerHostGrantedStaysWhileTheListHasRoom)
{
    migrate_to(3);
    const Stamp old = belief(group.at(4), object).stamp;
    for (unsigned id = 2; id <= 4; ++id)
        replica::peer_gone(group.at(id), peer(1));
    group.flow();
    for (unsigned id = 2; id <= 4; ++id)
        EXPECT_EQ(belief(group.at(id), object), (Belief{true, false, old, peer(3)})) << id;
}
