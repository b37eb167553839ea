// A host that signs two grants with one stamp: who notices, who gets the proof, and what is none.
#include "migration/grants.h"
#include "migration/messages.h"
#include "replication/world/stamp.h"
#include "tern/diagnostics.hpp"
#include "tests/migration/shared_object.h"
#include <sodium.h>

using namespace tern;
using namespace tern::test;

namespace {

struct Equivocation : SharedObject {
    explicit Equivocation(Topology topology = Topology::mesh) : SharedObject(5, topology) {}

    // The host grants the object to two members under one stamp. Both grants are on their way.
    void grant_twice(unsigned first, unsigned second)
    {
        replica::migrate(group.at(1), object, peer(first));
        group.settle_and_pull(0);
        group.at(1).term.grant_count -= 1;
        replica::migrate(group.at(1), object, peer(second));
        group.settle_and_pull(0);
    }

    // A grant of the object, signed by `signer`.
    Grant granted(unsigned host, uint32_t count, unsigned owner, unsigned signer)
    {
        Grant grant = {};
        grant.stamp = stamps::make({1, peer(host), count});
        grant.owner = peer(owner);
        grant.object_count = 1;
        grant.objects[0] = object;
        std::byte buffer[messages::signed_bytes_max];
        const auto bytes = messages::signed_bytes(group.at(1).session, grant, buffer);
        crypto_sign_detached(grant.signature, nullptr,
                             reinterpret_cast<const unsigned char *>(bytes.data()), bytes.size(),
                             group.keys[signer - 1].secret_key);
        return grant;
    }

    static Bytes proof(const Grant &first, const Grant &second)
    {
        std::byte buffer[1024];
        BitWriter w = bits::writer(buffer);
        messages::write_kind(w, MessageKind::equivocation);
        messages::write_grant(w, first);
        messages::write_grant(w, second);
        return {buffer, buffer + bits::size_bytes(w)};
    }

    // Peer 4 receives the message as if from peer 3. Unless it is a proof, nothing changes.
    void expect_no_proof(const Bytes &message, Verdict verdict)
    {
        ReplicaPointer listener = copy(group.at(4));
        const uint64_t before = replica::state_hash(*listener);
        EXPECT_EQ(replica::receive(*listener, peer(3), message), verdict);
        EXPECT_EQ(replica::state_hash(*listener), before);
        EXPECT_EQ(listener->log.events.count, 0u);
    }

    // Each of them has the proof about the host, and its game got one event. Nobody else is
    // charged.
    void expect_proved(std::initializer_list<unsigned> members)
    {
        for (const unsigned id : members) {
            EXPECT_TRUE(replica::has_equivocated(group.at(id), peer(1))) << id;
            std::vector<BreachReport> reports;
            for (const Event &event : group.events[id - 1])
                if (event.kind == EventKind::misbehaved) reports.push_back(event.misbehaved);
            ASSERT_EQ(reports.size(), 1u) << id;
            EXPECT_EQ(reports[0].peer, peer(1)) << id;
            EXPECT_EQ(reports[0].breach, Breach::equivocated) << id;
            EXPECT_EQ(reports[0].reporter, PeerId::none) << id;
            for (const Member &member : group.at(id).members.all())
                EXPECT_TRUE(member.id == peer(1) || member.breaches == 0) << id;
        }
    }

    void leave_host(std::initializer_list<unsigned> members)
    {
        for (const unsigned id : members)
            replica::peer_gone(group.at(id), peer(1));
        group.flow();
    }

    // The grants that are kept as a proof are in use until its host has left the view, and then
    // free again.
    uint32_t kept_grants(unsigned id) const
    {
        const Replica &r = *group.replicas[id - 1];
        return r.granting.all.capacity - r.granting.free.count;
    }
};

struct EquivocationInAStar : Equivocation {
    EquivocationInAStar() : Equivocation(Topology::star) {}
};

}

TEST_F(Equivocation, BothOwnersNoticeAndTheOthersGetTheProof)
{
    grant_twice(3, 4);
    group.flow();
    EXPECT_NE(belief(group.at(3), object).owner, belief(group.at(4), object).owner);
    expect_proved({2, 3, 4, 5});
    EXPECT_EQ(kept_grants(2), 2u);
    leave_host({2, 3, 4, 5});
    for (const unsigned id : {2u, 3u, 4u, 5u}) {
        EXPECT_EQ(replica::host(group.at(id)), peer(2)) << id;
        EXPECT_FALSE(replica::is_member(group.at(id), peer(1))) << id;
        EXPECT_FALSE(replica::has_equivocated(group.at(id), peer(1))) << id;
    }
    EXPECT_EQ(kept_grants(2), 0u);
    // The next host has granted the object anew.
    EXPECT_EQ(stamps::parts(belief(group.at(2), object).stamp).host, peer(2));
    for (const unsigned id : {3u, 4u, 5u})
        EXPECT_EQ(belief(group.at(id), object), belief(group.at(2), object)) << id;
}

TEST_F(Equivocation, OneOwnerThatHasBothIsEnough)
{
    grant_twice(3, 4);
    group.deliver(0, 3); // The GRANT to 4.
    group.settle_and_pull(3);
    group.deliver(0, 2);
    group.deliver(3, 2); // The MIGRATE of 4. Now 3 holds both.
    EXPECT_TRUE(replica::has_equivocated(group.at(3), peer(1)));
    group.wires[2][0].clear();
    group.settle_and_pull(2);
    for (const unsigned to : {2u, 4u, 5u})
        while (group.deliver(2, to - 1)) {
        }
    expect_proved({2, 4, 5});
    for (const Bytes &message : group.wires[2][0])
        EXPECT_NE(message[0], static_cast<std::byte>(MessageKind::equivocation));
}

TEST_F(Equivocation, WhoeverGetsTheProofSendsItOn)
{
    const Bytes message = proof(granted(1, 9, 3, 1), granted(1, 9, 4, 1));
    EXPECT_EQ(replica::receive(group.at(5), peer(3), message), Verdict::ok);
    EXPECT_EQ(replica::receive(group.at(5), peer(3), message), Verdict::ignored);
    group.flow();
    expect_proved({2, 3, 4, 5});
    EXPECT_FALSE(replica::has_equivocated(group.at(1), peer(1)));
}

TEST_F(Equivocation, AnotherPlaceUnderOneStampIsAProof)
{
    Grant moved = granted(1, 9, 3, 1);
    moved.places[0] = 7;
    EXPECT_EQ(replica::receive(group.at(4), peer(3), proof(granted(1, 9, 3, 1), moved)),
              Verdict::forged); // The signature does not cover it.
    std::byte buffer[messages::signed_bytes_max];
    const auto bytes = messages::signed_bytes(group.at(1).session, moved, buffer);
    crypto_sign_detached(moved.signature, nullptr,
                         reinterpret_cast<const unsigned char *>(bytes.data()), bytes.size(),
                         group.keys[0].secret_key);
    EXPECT_EQ(replica::receive(group.at(4), peer(3), proof(granted(1, 9, 3, 1), moved)),
              Verdict::ok);
}

TEST_F(Equivocation, ADestroyOfTheOtherOwnerShowsItToo)
{
    grant_twice(3, 4);
    group.deliver(0, 3);
    replica::destroy(group.at(4), slot(4)); // Before anything is announced.
    group.settle_and_pull(3);
    group.deliver(0, 2);
    while (group.deliver(3, 2)) {
    }
    EXPECT_FALSE(belief(group.at(3), object).alive);
    group.flow();
    expect_proved({2, 3, 5});
    for (const unsigned id : {2u, 3u, 4u, 5u})
        EXPECT_FALSE(belief(group.at(id), object).alive) << id;
}

TEST_F(Equivocation, WhatProvesNothingIsForged)
{
    const Grant first = granted(1, 9, 3, 1), second = granted(1, 9, 4, 1);
    expect_no_proof(proof(first, first), Verdict::forged);
    expect_no_proof(proof(first, granted(1, 10, 4, 1)), Verdict::forged);
    expect_no_proof(proof(first, granted(1, 9, 4, 3)), Verdict::forged); // Signed by a member.
    expect_no_proof(proof(granted(1, 9, 3, 3), second), Verdict::forged);
    expect_no_proof(proof(granted(4, 9, 3, 3), granted(4, 9, 2, 3)), Verdict::forged);
    Bytes half = proof(first, second);
    half.resize(half.size() / 2);
    expect_no_proof(half, Verdict::malformed);
}

TEST_F(Equivocation, AProofAboutSomebodyUnknownChargesNobody)
{
    expect_no_proof(proof(granted(9, 1, 3, 3), granted(9, 1, 4, 3)), Verdict::ignored);
    const Bytes message = proof(granted(1, 9, 3, 1), granted(1, 9, 4, 1));
    leave_host({2, 3, 4, 5});
    expect_no_proof(message, Verdict::ignored);
    const Bytes wrong = proof(granted(1, 9, 3, 3), granted(1, 9, 4, 3));
    expect_no_proof(wrong, Verdict::ignored);
}

// A member that is no host yet can prove only that it lies itself.
TEST_F(Equivocation, AMemberThatSignsTwoIsGuilty)
{
    const Bytes message = proof(granted(3, 1, 3, 3), granted(3, 1, 4, 3));
    EXPECT_EQ(replica::receive(group.at(5), peer(4), message), Verdict::ok);
    group.flow();
    EXPECT_TRUE(replica::has_equivocated(group.at(2), peer(3)));
    EXPECT_TRUE(replica::is_guilty(group.at(1), replica::find_member(group.at(1), peer(3))));
    replica::give_up(group.at(1), peer(3));
    group.flow();
    for (const unsigned id : {1u, 2u, 4u, 5u})
        EXPECT_FALSE(replica::is_member(group.at(id), peer(3))) << id;
}

TEST_F(Equivocation, ANewcomerGetsTheProof)
{
    grant_twice(3, 4);
    group.flow();
    group.add();
    const PeerId id = replica::next_peer_id(group.at(1));
    replica::admit(group.at(1), id, group.identity(5));
    group.flow();
    ASSERT_EQ(group.at(6).phase, Phase::in);
    expect_proved({6});
}

TEST_F(Equivocation, TheProofIsSentAgainOverANewConnection)
{
    const Bytes message = proof(granted(1, 9, 3, 1), granted(1, 9, 4, 1));
    EXPECT_EQ(replica::receive(group.at(5), peer(3), message), Verdict::ok);
    group.settle_and_pull(4);
    for (const size_t to : {1u, 2u, 3u}) {
        ASSERT_FALSE(group.wires[4][to].empty());
        group.reconnect(4, to);
    }
    EXPECT_FALSE(replica::has_equivocated(group.at(2), peer(1)));
    group.flow();
    expect_proved({2, 3, 4, 5});
}

TEST_F(Equivocation, WithoutRoomForItsGrantsTheProofWaits)
{
    Replica &r = group.at(4);
    const Bytes message = proof(granted(1, 9, 3, 1), granted(1, 9, 2, 1));
    const uint32_t free = r.granting.free.count;
    r.granting.free.count = 1;
    expect_no_proof(message, Verdict::later);
    grant_twice(3, 4);
    group.deliver(0, 3);
    ASSERT_EQ(belief(r, object).owner, peer(4));
    ASSERT_EQ(r.granting.free.count, 0u);
    group.deliver(0, 2);
    group.settle_and_pull(2);
    group.deliver(2, 3);
    EXPECT_EQ(group.last_verdict, Verdict::later);
    r.granting.free.count = free - 1;
    EXPECT_EQ(replica::receive(r, peer(3), message), Verdict::ok);
}

TEST_F(EquivocationInAStar, IsShownToNobody)
{
    grant_twice(3, 4);
    group.flow();
    for (const unsigned id : {2u, 3u, 4u, 5u})
        EXPECT_FALSE(replica::has_equivocated(group.at(id), peer(1))) << id;
    ReplicaPointer host = copy(group.at(1));
    const Bytes message = proof(granted(2, 9, 3, 2), granted(2, 9, 4, 2));
    EXPECT_EQ(replica::receive(*host, peer(3), message), Verdict::forged);
}
