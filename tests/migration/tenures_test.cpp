// What a tenure begins and ends with: field ticks, grants of former hosts, and lost writes.
#include "tern/limits.hpp"
#include "tests/migration/shared_object.h"
#include "tests/replication/update_room.h"

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

TEST_F(Tenures, ANewOwnersValueIsOfItsOwnTick)
{
    for (int i = 0; i < 7; ++i)
        group.pull(2); // Each ends a tick of peer 3.
    const uint32_t tick = group.at(3).world.tick;
    ASSERT_NE(group.at(3).world.slots[slot(3)].tick, tick);
    ASSERT_TRUE(replica::migrate(group.at(1), object, peer(3)));
    group.settle_and_pull(0);
    ASSERT_TRUE(group.deliver(0, 2)); // The GRANT
    ASSERT_EQ(belief(group.at(3), object).owner, peer(3));
    EXPECT_EQ(group.at(3).world.slots[slot(3)].tick, tick);
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
    ASSERT_EQ(events.back().kind, EventKind::owner_changed);
    EXPECT_EQ(events.back().owner.lost_ticks, last - known);
}

TEST_F(Tenures, NothingIsLostIfTheLastWriteHasArrived)
{
    set_at(2, 5);
    const Bytes update = group.updates(2, 1, 1);
    ASSERT_EQ(receive_updates(group.at(1), peer(2), update), Verdict::ok);
    migrate_to(3);
    ASSERT_EQ(group.events[1].back().kind, EventKind::owner_changed);
    EXPECT_EQ(group.events[1].back().owner.lost_ticks, 0u);
}

// The next host would displace the oldest key of the list, that of a host which granted the object.
TEST_F(Tenures, WhatTheOldestFormerHostGrantedIsGrantedAnewWhenTheListIsFull)
{
    migrate_to(3);
    const Stamp old = belief(group.at(4), object).stamp;
    ASSERT_EQ(stamps::parts(old).host, peer(1));
    for (unsigned id = 2; id <= 4; ++id)
        while (!flat::full(group.at(id).reports.former))
            flat::push(group.at(id).reports.former, {peer(1), {}});
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

TEST_F(Tenures, OrphansAreSpreadEvenly)
{
    const Thing thing = {1, 2};
    for (int i = 0; i < 6; ++i)
        replica::create(group.at(4), 4, &thing);
    group.flow();
    replica::peer_gone(group.at(1), peer(4));
    group.flow();
    unsigned owned[4] = {};
    for (const KnownObject &one : group.at(1).world.slots.all())
        if (one.life == Life::alive) owned[static_cast<unsigned>(one.owner)] += 1;
    // Seven objects with that of peer 2, which counts.
    for (unsigned id = 1; id <= 3; ++id)
        EXPECT_NEAR(owned[id], 7.0 / 3, 0.7) << id;
    EXPECT_EQ(owned[1] + owned[2] + owned[3], 7u);
}

TEST_F(Tenures, NoTransferIsPendingOnceItIsGranted)
{
    replica::claim(group.at(3), object);
    group.flow();
    migrate_to(2);
    EXPECT_EQ(group.at(1).granting.pending_owner_count, 0u);
    for (const PeerId pending : group.at(1).granting.pending_owners.all())
        EXPECT_EQ(pending, PeerId::none);
}

TEST_F(Tenures, EachGameLearnsOfANewHostOnce)
{
    for (unsigned id = 2; id <= 4; ++id)
        replica::peer_gone(group.at(id), peer(1));
    group.flow();
    for (unsigned id = 2; id <= 4; ++id) {
        unsigned changes = 0;
        for (const Event &event : group.events[id - 1]) {
            if (event.kind != EventKind::host_changed) continue;
            changes += 1;
            EXPECT_EQ(event.host.peer, peer(2));
            EXPECT_EQ(event.host.previous, peer(1));
        }
        EXPECT_EQ(changes, 1u) << id;
    }
}

// --- Members ---

TEST_F(Tenures, AnAddressThatAMemberHasSeenIsNoNews)
{
    Address elsewhere = {};
    elsewhere.port = 77;
    const uint64_t before = replica::state_hash(group.at(2));
    replica::moved(group.at(2), peer(3), elsewhere); // Peer 2 is not the host.
    replica::moved(group.at(2), peer(99), elsewhere);
    EXPECT_EQ(replica::state_hash(group.at(2)), before);
    replica::moved(group.at(1), peer(99), elsewhere);
    replica::moved(group.at(1), peer(3), elsewhere);
    group.flow();
    for (const unsigned id : {1u, 2u, 4u}) {
        const Replica &r = group.at(id);
        EXPECT_EQ(r.members[replica::find_member(r, peer(3))].identity.address, elsewhere) << id;
    }
}

TEST_F(Tenures, ANameAlwaysHasItsEnd)
{
    group.add();
    const PeerId newcomer = replica::next_peer_id(group.at(1));
    Identity identity = group.identity(4);
    std::memset(identity.name, 'x', sizeof identity.name);
    replica::admit(group.at(1), newcomer, identity);
    group.flow();
    const Replica &r = group.at(3);
    const Identity &known = r.members[replica::find_member(r, newcomer)].identity;
    EXPECT_EQ(strnlen(known.name, sizeof known.name), name_bytes_max - 1);
}

TEST_F(Tenures, WhoLeavesGapsBetweenItsDeadLosesThem)
{
    Replica &full = group.at(4);
    for (uint32_t serial = 1; !flat::full(full.world.dead); serial += 2) {
        const auto id = static_cast<uint64_t>(object_id::make(peer(3), serial));
        ASSERT_TRUE(dead::add(full.world.dead, {id, id}));
    }
    replica::destroy(group.at(2), slot(2));
    group.flow();
    EXPECT_EQ(full.fault, Fault::none);
    EXPECT_EQ(full.world.dead.count, 2u);
    EXPECT_TRUE(belief(full, object).dead);
    EXPECT_TRUE(belief(group.at(3), object).dead);
    EXPECT_TRUE(belief(full, object_id::make(peer(3), 2)).dead);
}
