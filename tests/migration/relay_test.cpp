// The host of a star sends the objects of all clients. No other peer may do that.
#include "replication/update/publish.h"
#include "tests/migration/shared_object.h"
#include "tests/replication/update_room.h"

using namespace tern;
using namespace tern::test;

namespace {

struct Relay : SharedObject {
    Relay() : SharedObject(4, Topology::star) {}

    void set(unsigned at, Thing thing)
    {
        replica::begin_send(group.at(at)); // Begins the next tick.
        replica::set(group.at(at), slot(at), &thing);
    }

    // The RELAY of 1 to 3 about a new object of 2, before it arrives.
    Bytes said_by_the_host(ObjectId &made)
    {
        const Thing thing = {7, 8};
        made = replica::create(group.at(2), 0, &thing);
        group.pull(1);
        EXPECT_TRUE(group.deliver(1, 0));
        group.pull(0);
        EXPECT_EQ(group.wires[0][2].size(), 1u);
        return group.wires[0][2].empty() ? Bytes() : group.wires[0][2].front();
    }

    Verdict heard_by(unsigned id, unsigned from, const Bytes &message)
    {
        ReplicaPointer listener = copy(group.at(id));
        const uint64_t before = replica::state_hash(*listener);
        const Verdict verdict = replica::receive(*listener, peer(from), message);
        if (verdict != Verdict::ok) {
            EXPECT_EQ(replica::state_hash(*listener), before);
        }
        return verdict;
    }
};

}

TEST_F(Relay, OnlyWhoLeadsTells)
{
    ObjectId made;
    const Bytes tell = said_by_the_host(made);
    EXPECT_EQ(heard_by(3, 1, tell), Verdict::ok);
    EXPECT_EQ(heard_by(3, 2, tell), Verdict::forged); // Not even from its owner.
    EXPECT_EQ(heard_by(3, 4, tell), Verdict::forged);
    EXPECT_EQ(heard_by(1, 4, tell), Verdict::forged);
    EXPECT_EQ(heard_by(2, 1, tell), Verdict::forged); // Peer 2 owns the object.
    ReplicaPointer listener = copy(group.at(3));
    replica::receive(*listener, peer(1), tell);
    EXPECT_EQ(belief(*listener, made), belief(group.at(2), made));
}

TEST_F(Relay, WhatWasCutOrChangedIsMalformed)
{
    ObjectId made;
    const Bytes tell = said_by_the_host(made);
    for (size_t size = 1; size < tell.size(); ++size)
        EXPECT_EQ(heard_by(3, 1, Bytes(tell.begin(), tell.begin() + static_cast<ptrdiff_t>(size))),
                  Verdict::malformed)
            << size;
    Bytes longer = tell;
    longer.push_back(std::byte{0});
    EXPECT_EQ(heard_by(3, 1, longer), Verdict::malformed);
}

TEST_F(Relay, ObjectMessagesOfAnotherClientWait)
{
    const Thing thing = {7, 8};
    replica::create(group.at(2), 0, &thing);
    group.pull(1);
    const Bytes create = group.wires[1][0].front();
    EXPECT_EQ(heard_by(3, 2, create), Verdict::later);
    EXPECT_EQ(heard_by(1, 2, create), Verdict::ok);
    EXPECT_TRUE(group.wires[1][2].empty()); // A correct client sends it to the host alone.
}

TEST_F(Relay, AnUpdateIsTheOwnersToTheHostAndTheHostsToAll)
{
    set(2, {5, 5});
    const Bytes forged = group.forged_updates(4, 2, 1, 1);
    const Bytes update = group.updates(2, 1, 1);
    ASSERT_FALSE(update.empty());
    EXPECT_TRUE(group.updates(2, 3, 1).empty());
    ReplicaPointer host = copy(group.at(1)), client = copy(group.at(3));
    EXPECT_EQ(receive_updates(*host, peer(4), forged), Verdict::forged);
    EXPECT_EQ(receive_updates(*client, peer(2), update), Verdict::ignored);
    EXPECT_EQ(value(*host, object).a, 1);
    EXPECT_EQ(value(*client, object).a, 1);
    EXPECT_EQ(receive_updates(group.at(1), peer(2), update), Verdict::ok);
    const Bytes told = group.updates(1, 3, 1);
    EXPECT_EQ(receive_updates(group.at(3), peer(1), told), Verdict::ok);
    EXPECT_EQ(value(group.at(3), object).a, 5);
    EXPECT_EQ(group.at(3).world.slots[slot(3)].tick, group.at(2).world.slots[slot(2)].tick);
    EXPECT_TRUE(group.updates(1, 2, 1).empty()); // The owner gets no UPDATE.
    // An owner does not accept the host's UPDATE of its own object.
    EXPECT_NE(receive_updates(group.at(2), peer(1), told), Verdict::ok);
}

TEST_F(Relay, EachClientsLossIsItsOwn)
{
    set(2, {5, 2});
    EXPECT_EQ(receive_updates(group.at(1), peer(2), group.updates(2, 1, 1)), Verdict::ok);
    replica::on_packet_outcome(group.at(2), peer(1), 1, true);
    group.updates(1, 3, 1);
    group.updates(1, 4, 1);
    replica::on_packet_outcome(group.at(1), peer(3), 1, true);
    replica::on_packet_outcome(group.at(1), peer(4), 1, false);
    EXPECT_FALSE(replica::has_updates(group.at(1), peer(3)));
    ASSERT_TRUE(replica::has_updates(group.at(1), peer(4)));
    EXPECT_EQ(receive_updates(group.at(4), peer(1), group.updates(1, 4, 2)), Verdict::ok);
    EXPECT_EQ(value(group.at(4), object).a, 5);
}

TEST_F(Relay, ADeathIsPassedOnWithoutTheRightToSayIt)
{
    replica::destroy(group.at(2), slot(2));
    group.pull(1);
    ASSERT_TRUE(group.deliver(1, 0));
    group.pull(0);
    ASSERT_EQ(group.wires[0][2].size(), 1u);
    EXPECT_TRUE(group.wires[0][1].empty()); // The sender needs no copy.
    const Bytes death = group.wires[0][2].front();
    EXPECT_EQ(heard_by(3, 1, death), Verdict::ok);
    EXPECT_EQ(heard_by(1, 4, death), Verdict::ignored);
    group.flow();
    for (unsigned id = 1; id <= 4; ++id)
        EXPECT_TRUE(belief(group.at(id), object).dead) << id;
}

// While the host stays, what its clients know came from it.
TEST_F(Relay, AClientHasNoNewsForAHostThatStays)
{
    replica::peer_gone(group.at(1), peer(4));
    Replica &host = group.at(1);
    ASSERT_TRUE(host.duties.collecting);
    const Bytes dead = deaths(peer(2), object_id::serial(object), 0);
    const Bytes taken =
        object_report(host.term.query_token, object, stamps::make({1, peer(1), 1}), peer(4));
    EXPECT_EQ(heard_by(1, 3, dead), Verdict::ignored);
    EXPECT_EQ(heard_by(1, 3, taken), Verdict::ignored);
    // The next host can know less than its clients.
    for (unsigned id = 2; id <= 3; ++id)
        replica::peer_gone(group.at(id), peer(1));
    ASSERT_TRUE(group.at(2).duties.collecting);
    EXPECT_EQ(heard_by(2, 3, dead), Verdict::ok);
}
