// What a successor believes of the reports of those that follow it.
#include "migration/messages.h"
#include "replication/world/stamp.h"
#include "tests/migration/shared_object.h"

using namespace tern;
using namespace tern::test;

namespace {

// Peer 1 has gone and 2 succeeds it.
struct Successors : SharedObject {
    Bytes report; // The REPORT of 3 to 2.

    void SetUp() override
    {
        SharedObject::SetUp();
        for (unsigned id = 2; id <= 4; ++id)
            replica::peer_gone(group.at(id), peer(1));
        group.settle_and_pull(1);
        group.deliver(1, 2);
        group.settle_and_pull(2);
        ASSERT_FALSE(group.wires[2][1].empty());
        report = group.wires[2][1].back();
        ASSERT_EQ(report[0], static_cast<std::byte>(MessageKind::report));
    }

    Verdict heard(uint16_t seen, uint16_t last_peer)
    {
        Bytes changed = report;
        changed[5] = static_cast<std::byte>(seen & 255);
        changed[6] = static_cast<std::byte>(seen >> 8);
        changed[7] = static_cast<std::byte>(last_peer & 255);
        changed[8] = static_cast<std::byte>(last_peer >> 8);
        ReplicaPointer listener = copy(group.at(2));
        return replica::receive(*listener, peer(3), changed);
    }
};

}

TEST_F(Successors, AReportCannotUseUpTermsOrIds)
{
    EXPECT_EQ(replica::receive(*copy(group.at(2)), peer(3), report), Verdict::ok);
    EXPECT_EQ(heard(1, 4), Verdict::ok);
    EXPECT_EQ(heard(1, 400), Verdict::ok);       // The last host may have given these ids.
    EXPECT_EQ(heard(2, 4), Verdict::forged);     // Only peer 2 can begin this term.
    EXPECT_EQ(heard(400, 400), Verdict::forged); // This would leave no term to peer 2.
    EXPECT_EQ(heard(1, 40'000), Verdict::forged);
    EXPECT_EQ(heard(1, UINT16_MAX), Verdict::forged);
}

TEST_F(Successors, AReportNamesIdsThatWereGivenElsewhere)
{
    Bytes changed = report;
    changed[7] = std::byte{200};
    EXPECT_EQ(replica::receive(group.at(2), peer(3), changed), Verdict::ok);
    EXPECT_EQ(group.at(2).term.last_peer, 200);
    group.flow();
    ASSERT_EQ(replica::host(group.at(2)), peer(2));
    EXPECT_EQ(replica::next_peer_id(group.at(2)), peer(201)); // Not an id that another has.
}

TEST_F(Successors, AViewOfATermThatCannotBeIsForged)
{
    replica::receive(group.at(2), peer(3), report);
    for (const bool from_four : {false, true})
        while (from_four ? group.deliver(3, 1) : group.deliver(1, 3))
            group.settle_and_pull(3);
    group.settle_and_pull(1);
    ASSERT_FALSE(group.wires[1][2].empty());
    const Bytes view = group.wires[1][2].back();
    ASSERT_EQ(view[0], static_cast<std::byte>(MessageKind::view));
    ASSERT_EQ(view[5], std::byte{2});
    for (const unsigned term :
         {0u, 1u, 3u, 200u}) { // The last host had term 1, and peer 2 reaches at most 2.
        Bytes changed = view;
        changed[5] = static_cast<std::byte>(term);
        ReplicaPointer listener = copy(group.at(3));
        EXPECT_EQ(replica::receive(*listener, peer(2), changed), Verdict::forged) << term;
    }
    EXPECT_EQ(replica::receive(group.at(3), peer(2), view), Verdict::ok);
    Bytes again = view;
    again[1] = std::byte{99}; // A later view of this host.
    EXPECT_EQ(replica::receive(*copy(group.at(3)), peer(2), again), Verdict::ok);
    again[5] = std::byte{1};
    EXPECT_EQ(replica::receive(*copy(group.at(3)), peer(2), again), Verdict::forged);
}

// Reports of objects carry no proof. docs/security.md lists this as an open hole.
TEST_F(Successors, ALyingReportTakesALiveOwnersObject)
{
    const Thing thing = {7, 7};
    const ObjectId robbed = replica::create(group.at(4), 0, &thing);
    group.pull(3);
    while (group.deliver(3, 1)) {
    }
    ASSERT_EQ(belief(group.at(2), robbed).owner, peer(4));
    const Bytes lie = object_report(group.at(2).term.query_token, robbed,
                                    stamps::make({1, peer(1), 1000}), peer(1)); // Peer 1 has gone.
    EXPECT_EQ(replica::receive(group.at(2), peer(3), lie), Verdict::ok);
    EXPECT_EQ(belief(group.at(2), robbed).owner, peer(1));
    EXPECT_EQ(value(group.at(2), robbed).a, 0);
}

// Destroyed ids carry no proof. Those that have not been given yet are lost, and nothing else.
TEST_F(Successors, ALyingReportCostsACreatorSerialsThatItThenDoesNotUse)
{
    const Bytes lie = deaths(peer(4), 1, 1'000'000);
    EXPECT_EQ(replica::receive(group.at(2), peer(3), lie), Verdict::ok);
    EXPECT_TRUE(belief(group.at(2), object_id::make(peer(4), 1'000'001)).dead);
    EXPECT_EQ(replica::receive(group.at(4), peer(3), lie), Verdict::ignored); // It asks nobody.
    EXPECT_EQ(replica::receive(group.at(4), peer(2), lie), Verdict::ok);
    group.flow();
    const Thing thing = {7, 7};
    const ObjectId made = replica::create(group.at(4), 0, &thing);
    EXPECT_EQ(object_id::serial(made), 1'000'002u);
    group.flow();
    for (unsigned id = 2; id <= 4; ++id)
        EXPECT_EQ(belief(group.at(id), made).owner, peer(4));
}

TEST_F(Successors, AReportNamesNothingFarBeyondWhatIsKnown)
{
    Replica &host = group.at(2);
    EXPECT_EQ(replica::receive(host, peer(3), deaths(peer(4), 1, 2'000'000)), Verdict::ok);
    EXPECT_FALSE(belief(host, object_id::make(peer(4), 1)).dead);
    EXPECT_EQ(replica::receive(host, peer(3), deaths(peer(400), 1, 1)), Verdict::ok);
    EXPECT_FALSE(belief(host, object_id::make(peer(400), 1)).dead);
    const Bytes invented =
        object_report(host.term.query_token, object_id::make(peer(4), 2'000'000), 0, peer(4));
    EXPECT_EQ(replica::receive(host, peer(3), invented), Verdict::ignored);
    // The objects of one that has gone are what the others tell.
    EXPECT_EQ(replica::receive(host, peer(3), deaths(peer(1), 1, 2'000'000)), Verdict::ok);
    EXPECT_TRUE(belief(host, object_id::make(peer(1), 2'000'000)).dead);
    EXPECT_EQ(replica::receive(host, peer(3), deaths(peer(2), 1, 40'000'000)), Verdict::malformed);
    // A creator does not skip all that a lying host may name.
    EXPECT_EQ(replica::receive(group.at(4), peer(2), deaths(peer(4), 1, 40'000'000)),
              Verdict::malformed);
}

TEST_F(Successors, AnIdWhoseObjectsAreCalledDeadIsGivenToNobody)
{
    EXPECT_EQ(replica::receive(group.at(2), peer(3), deaths(peer(5), 1, 9)), Verdict::ok);
    group.flow();
    ASSERT_EQ(replica::host(group.at(2)), peer(2));
    EXPECT_EQ(replica::next_peer_id(group.at(2)), peer(6));
}

// A member may have made the others believe in objects of ours that we never made.
TEST_F(Successors, NobodyKnowsObjectsOfOursThatWeDoNotKnow)
{
    Replica &host = group.at(2);
    const uint32_t next = host.world.serial + 1;
    EXPECT_EQ(replica::receive(host, peer(3), deaths(peer(2), next + 4, 0)), Verdict::ok);
    ASSERT_GT(host.world.serial, next);
    const Bytes invented = object_report(host.term.query_token, object_id::make(peer(2), next),
                                         stamps::make({1, peer(1), 1000}), peer(1));
    EXPECT_EQ(replica::receive(host, peer(3), invented), Verdict::malformed);
}
