// What waits for a member: one entry for each object, however often it changes; nothing is lost
// when a connection is made anew.
#include "base/random.h"
#include "tests/migration/group.h"
#include <gtest/gtest.h>

using namespace tern;
using namespace tern::test;

namespace {

enum : TypeId { THING, MORTAL, ASKED, KEPT };

ObjectId create(Replica &r, TypeId type = THING)
{
    const Thing thing = {1, 2};
    return replica::create(r, type, &thing);
}

ObjectSlot slot_of(const Replica &r, ObjectId object)
{
    return world::find_alive(r.world, object);
}

void expect_agreement(Group &group, const std::string &what)
{
    for (const ReplicaPointer &r : group.replicas) {
        EXPECT_EQ(world::digest(r->world, group_table()),
                  world::digest(group.at(1).world, group_table()))
            << what << ", peer " << static_cast<unsigned>(r->self);
        EXPECT_EQ(r->claims.count, 0u) << what << ", peer " << static_cast<unsigned>(r->self);
        EXPECT_EQ(r->fault, Fault::none) << what;
        for (const ReplicaPointer &other : group.replicas)
            EXPECT_EQ(replica::queued_count(*r, other->self), 0u) << what;
    }
}

}

TEST(MessageQueue, WhatWasMadeAndDiedUnseenIsOneRangeOfTheDead)
{
    Group group = make_group(2);
    Replica &r = group.at(2);
    const ObjectId first = create(r);
    for (int i = 0; i < 50; ++i) {
        const ObjectId object = create(r);
        replica::destroy(r, slot_of(r, object));
        group.settle(1);
    }
    EXPECT_EQ(replica::queued_count(r, peer(1)), 2u); // `first`, and the deaths.
    EXPECT_EQ(r.outbox.queues[0].owed_count, 1u);
    group.pull(1);
    EXPECT_EQ(group.wires[1][0].size(), 2u);
    group.flow();
    EXPECT_TRUE(belief(group.at(1), first).alive);
    for (uint32_t serial = 2; serial <= 51; ++serial)
        EXPECT_TRUE(belief(group.at(1), object_id::make(peer(2), serial)).dead) << serial;
    expect_agreement(group, "in the end");
}

TEST(MessageQueue, DeathsGoBeforeWhatIsAlive)
{
    Group group = make_group(2);
    Replica &r = group.at(2);
    const ObjectId old = create(r);
    group.flow();
    create(r);
    replica::destroy(r, slot_of(r, old));
    group.pull(1);
    ASSERT_EQ(group.wires[1][0].size(), 2u);
    EXPECT_EQ(group.wires[1][0][0][0], static_cast<std::byte>(MessageKind::dead));
    EXPECT_EQ(group.wires[1][0][1][0], static_cast<std::byte>(MessageKind::create));
}

TEST(MessageQueue, ALockedAndUnlockedObjectIsOneMessage)
{
    Group group = make_group(2);
    Replica &r = group.at(2);
    const ObjectId object = create(r);
    group.flow();
    for (int i = 0; i < 9; ++i)
        replica::lock(r, slot_of(r, object), i % 2 == 0);
    group.pull(1);
    EXPECT_EQ(group.wires[1][0].size(), 1u);
    group.flow();
    EXPECT_EQ(group.at(1).rights.locks[slot_of(group.at(1), object)], 1);
}

TEST(MessageQueue, AGrantThatWaitedTooLongIsARefusal)
{
    Group group = make_group(3);
    const ObjectId object = create(group.at(1));
    group.flow();
    replica::claim(group.at(2), object);
    group.pull(1);
    group.deliver(1, 0); // Granted; the GRANT waits at the host.
    replica::claim(group.at(3), object);
    group.pull(2);
    group.deliver(2, 0); // Granted to 3, before 2 was sent anything.
    group.flow();
    size_t refused = 0;
    for (const Event &event : group.events[1])
        refused += event.kind == EventKind::claim_refused &&
                   event.claim.refusal == ClaimRefusal::overtaken;
    EXPECT_EQ(refused, 1u);
    EXPECT_EQ(belief(group.at(2), object).owner, peer(3));
    expect_agreement(group, "in the end");
}

// 4 takes nothing, while 2 destroys more granted objects than it has places for proofs.
TEST(MessageQueue, WithoutAPlaceForTheProofTheHostAnnouncesTheDeath)
{
    Group group = make_group(4, Topology::mesh, 512);
    std::vector<ObjectId> destroyed;
    for (uint32_t i = 0; i <= group.at(2).outbox.proofs.count + 3; ++i) {
        const ObjectId object = create(group.at(3));
        ASSERT_NE(object, ObjectId::none);
        for (int round = 0; round < 4; ++round) {
            if (round == 1) replica::claim(group.at(2), object);
            if (round == 3) replica::destroy(group.at(2), slot_of(group.at(2), object));
            for (size_t from = 0; from < 4; ++from)
                group.settle_and_pull(from);
            for (int again = 0; again < 3; ++again)
                for (size_t from = 0; from < 4; ++from)
                    for (size_t to = 0; to < 4; ++to)
                        while (to != 3 && group.deliver(from, to)) {
                        }
            for (size_t from = 0; from < 4; ++from)
                group.settle(from);
        }
        destroyed.push_back(object);
    }
    group.wires[1][3].clear(); // 4 never gets what 2 has said.
    group.flow();
    EXPECT_TRUE(belief(group.at(4), destroyed[0]).dead) << "its proof was given up";
    group.reconnect(1, 3);
    group.flow();
    for (const ObjectId object : destroyed)
        EXPECT_TRUE(belief(group.at(4), object).dead);
    expect_agreement(group, "in the end");
}

namespace {

// A random act of a random replica's game.
void act(Group &group, Random &random, std::vector<ObjectId> &objects)
{
    Replica &r = *group.replicas[random::below(random, group.replicas.size())];
    const uint64_t what = random::below(random, 8);
    if (what == 0 || objects.empty()) {
        const ObjectId object = create(r, static_cast<TypeId>(random::below(random, 2)));
        if (object != ObjectId::none) objects.push_back(object);
        return;
    }
    const ObjectId object = objects[random::below(random, objects.size())];
    const ObjectSlot slot = slot_of(r, object);
    if (slot == no_slot) return;
    const bool own = r.world.slots[slot].owner == r.self;
    if (what == 1 && own) replica::destroy(r, slot);
    if (what == 2 && own) replica::lock(r, slot, random::below(random, 2) == 0);
    if (what == 3 && own) replica::release_ownership(r, slot);
    if (what >= 4 && !own) replica::claim(r, object);
}

void act_and_reconnect(uint64_t seed, Topology topology)
{
    Random random = random::from_seed(seed);
    Group group = make_group(4, topology);
    std::vector<ObjectId> objects;
    for (int step = 0; step < 400; ++step) {
        const size_t a = random::below(random, 4), b = random::below(random, 4);
        const uint64_t what = random::below(random, 20);
        if (what == 0 && a != b)
            group.reconnect(a, b);
        else if (what < 6)
            act(group, random, objects);
        else if (what < 9)
            group.settle_and_pull(a);
        else
            group.deliver(a, b);
    }
    group.flow();
    expect_agreement(group, "seed " + std::to_string(seed));
}

}

TEST(MessageQueue, NothingIsLostWhenConnectionsAreMadeAnew)
{
    for (uint64_t seed = 1; seed <= 150; ++seed) {
        act_and_reconnect(seed, Topology::mesh);
        act_and_reconnect(seed, Topology::star);
        if (HasFailure()) return;
    }
}
