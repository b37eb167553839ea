// A counter that reaches its end stops the peer. No counter wraps.
#include "tests/migration/shared_object.h"

using namespace tern;
using namespace tern::test;

namespace {

struct Counters : SharedObject {
    Counters() : SharedObject(3) {}
};

}

TEST_F(Counters, TheLastGrantIsGivenAndNoneAfterIt)
{
    Replica &host = group.at(1);
    host.term.grant_count = UINT32_MAX - 1;
    replica::claim(group.at(3), object);
    group.flow();
    const Stamp last = stamps::make({host.term.number, peer(1), UINT32_MAX});
    EXPECT_EQ(belief(host, object), (Belief{true, false, last, peer(3)}));
    EXPECT_EQ(host.fault, Fault::none);
    replica::claim(group.at(2), object);
    group.flow();
    EXPECT_EQ(host.fault, Fault::counter_full);
    for (unsigned i = 1; i <= 3; ++i)
        EXPECT_EQ(belief(group.at(i), object), (Belief{true, false, last, peer(3)})) << i;
}

TEST_F(Counters, OrphansAreNotAdoptedUnderAStampOfThePast)
{
    Replica &host = group.at(1);
    host.term.grant_count = UINT32_MAX;
    replica::peer_gone(host, peer(2));
    group.flow();
    EXPECT_EQ(host.fault, Fault::counter_full);
    EXPECT_EQ(host.term.grant_count, UINT32_MAX);
}

TEST_F(Counters, TheTickAfterTheLastIsNotTheFirst)
{
    Replica &r = group.at(2);
    r.world.tick = UINT32_MAX - 1;
    replica::end_send(r);
    EXPECT_EQ(r.fault, Fault::none);
    replica::end_send(r);
    EXPECT_EQ(r.world.tick, UINT32_MAX);
    EXPECT_EQ(r.fault, Fault::counter_full);
}

TEST_F(Counters, TheLastSerialIsGivenAndNoneAfterIt)
{
    Replica &r = group.at(2);
    r.world.serial = UINT32_MAX - 1;
    const Thing thing = {3, 4};
    const ObjectId last = replica::create(r, 0, &thing);
    EXPECT_EQ(last, object_id::make(peer(2), UINT32_MAX));
    EXPECT_EQ(replica::create(r, 0, &thing), ObjectId::none);
    group.flow();
    EXPECT_TRUE(belief(group.at(3), last).alive);
    replica::destroy(r, world::find_alive(r.world, last));
    group.flow();
    EXPECT_TRUE(belief(group.at(3), last).dead);
    EXPECT_TRUE(belief(group.at(3), object).alive);
    EXPECT_EQ(r.fault, Fault::none);
}
