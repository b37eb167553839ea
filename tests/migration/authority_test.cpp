// Authority: a message is accepted only from a peer that may send it. Forged ones change nothing.
#include "migration/grants.h"
#include "migration/messages.h"
#include "replication/world/stamp.h"
#include "tests/migration/shared_object.h"
#include "tests/replication/update_room.h"
#include <sodium.h>

using namespace tern;
using namespace tern::test;

namespace {

struct Authority : SharedObject {
    // Peer 4 receives `message` as if from `from`, and gives this verdict. Its state is unchanged.
    void expect_refused(Verdict verdict, unsigned from, const Bytes &message)
    {
        ReplicaPointer listener = copy(group.at(4));
        const uint64_t before = replica::state_hash(*listener);
        EXPECT_EQ(replica::receive(*listener, peer(from), message), verdict);
        EXPECT_EQ(replica::state_hash(*listener), before);
        EXPECT_EQ(listener->log.events.count, 0u);
    }
    void expect_forged(unsigned from, const Bytes &message)
    {
        expect_refused(Verdict::forged, from, message);
    }
    void expect_malformed(unsigned from, const Bytes &message)
    {
        expect_refused(Verdict::malformed, from, message);
    }

    // The messages of `from` to peer 4 that follow from `act`, before they arrive.
    template <class Act> std::vector<Bytes> said(unsigned from, Act act)
    {
        act();
        group.settle_and_pull(from - 1);
        std::vector<Bytes> messages(group.wires[from - 1][3].begin(),
                                    group.wires[from - 1][3].end());
        return messages;
    }

    static void write_report_head(BitWriter &w, const Replica &host)
    {
        messages::write_kind(w, MessageKind::report);
        bits::write(w, host.term.query_token, 32);
        bits::write(w, host.term.number_max, 16);
        bits::write(w, host.term.last_peer, 16);
        for (size_t type = 0; type < std::size(group_types); ++type)
            bits::write_varint(w, 1); // The places that the sender holds.
    }

    static Bytes report_of_nobody(const Replica &host)
    {
        std::byte buffer[64];
        BitWriter w = bits::writer(buffer);
        write_report_head(w, host);
        bits::write_bool(w, false);
        return {buffer, buffer + bits::size_bytes(w)};
    }
};

}

TEST_F(Authority, OnlyTheCreatorDestroysWhatWasNeverGranted)
{
    const auto messages = said(2, [&] { replica::destroy(group.at(2), slot(2)); });
    ASSERT_EQ(messages.size(), 1u);
    // DEAD may be the repetition of one that its sender had a right to, so it is only ignored.
    EXPECT_EQ(replica::receive(group.at(4), peer(3), messages[0]), Verdict::ignored);
    EXPECT_TRUE(belief(group.at(4), object).alive);
    EXPECT_EQ(replica::receive(group.at(4), peer(2), messages[0]), Verdict::ok);
    EXPECT_FALSE(belief(group.at(4), object).alive);
}

TEST_F(Authority, OnlyTheGrantedOwnerAnnouncesAMigration)
{
    replica::migrate(group.at(1), object, peer(3));
    group.settle_and_pull(0);
    group.deliver(0, 2); // The GRANT to 3.
    const auto messages = said(3, [] {});
    ASSERT_EQ(messages.size(), 1u);
    expect_forged(1, messages[0]);
    expect_forged(2, messages[0]);
    for (size_t byte = 1; byte < 75; ++byte) { // The grant and its signature.
        Bytes changed = messages[0];
        changed[byte] ^= std::byte{4};
        ReplicaPointer listener = copy(group.at(4));
        EXPECT_NE(replica::receive(*listener, peer(3), changed), Verdict::ok) << byte;
        EXPECT_EQ(belief(*listener, object), belief(group.at(4), object)) << byte;
    }
    EXPECT_EQ(replica::receive(group.at(4), peer(3), messages[0]), Verdict::ok);
    EXPECT_EQ(belief(group.at(4), object).owner, peer(3));
}

TEST_F(Authority, AFormerOwnersUpdateIsIgnoredAndAStrangersIsForged)
{
    Thing thing = {5, 5};
    replica::set(group.at(2), slot(2), &thing);
    const Bytes forged = group.forged_updates(3, 2, 4, 1);
    const Bytes update = group.updates(2, 4, 1);
    ASSERT_FALSE(update.empty());
    ReplicaPointer listener = copy(group.at(4));
    EXPECT_EQ(receive_updates(*listener, peer(3), forged), Verdict::forged);
    EXPECT_EQ(value(*listener, object).a, 1);
    replica::migrate(group.at(1), object, peer(3));
    group.flow();
    ASSERT_EQ(belief(group.at(4), object).owner, peer(3));
    EXPECT_EQ(receive_updates(group.at(4), peer(2), update), Verdict::ok);
    EXPECT_EQ(value(group.at(4), object).a, 1);
}

TEST_F(Authority, AnUpdateOfAFirstTenureIsIgnoredInTheThird)
{
    Thing thing = {5, 5};
    replica::set(group.at(2), slot(2), &thing);
    const Bytes update = group.updates(2, 4, 1);
    replica::on_packet_outcome(group.at(2), peer(4), 1, false);
    for (unsigned to : {3u, 2u}) { // Away from 2 and back.
        replica::migrate(group.at(1), object, peer(to));
        group.flow();
    }
    ASSERT_EQ(belief(group.at(4), object).owner, peer(2));
    thing = {7, 7};
    replica::set(group.at(2), slot(2), &thing);
    const Bytes newer = group.updates(2, 4, 2);
    receive_updates(group.at(4), peer(2), update);
    EXPECT_NE(value(group.at(4), object).b, 7);
    receive_updates(group.at(4), peer(2), newer);
    receive_updates(group.at(4), peer(2), update);
    EXPECT_EQ(value(group.at(4), object).a, 7);
}

TEST_F(Authority, AQueryWaitsUntilItsSenderIsWhoWeFollow)
{
    const auto query = said(1, [&] { replica::peer_gone(group.at(1), peer(3)); });
    ASSERT_FALSE(query.empty());
    ReplicaPointer listener = copy(group.at(4));
    EXPECT_EQ(replica::receive(*listener, peer(2), query[0]), Verdict::ok);
    EXPECT_TRUE(replica::is_member(*listener, peer(3)));
    EXPECT_FALSE(replica::has_message(*listener, peer(2)));
    EXPECT_EQ(replica::suspected(*listener), PeerId::none); // The QUERY does not name the host.
    replica::peer_gone(*listener, peer(1));
    EXPECT_EQ(replica::successor(*listener), peer(2));
    EXPECT_EQ(replica::host(*listener), PeerId::none);
    EXPECT_FALSE(replica::is_member(*listener, peer(3)));
    EXPECT_TRUE(replica::has_message(*listener, peer(2)));
}

TEST_F(Authority, WhoNamesTheHostInAQueryMakesItSuspect)
{
    replica::peer_gone(group.at(2), peer(1));
    group.settle_and_pull(1);
    ASSERT_TRUE(group.deliver(1, 3));
    EXPECT_EQ(group.last_verdict, Verdict::ok);
    EXPECT_EQ(replica::host(group.at(4)), peer(1));
    EXPECT_EQ(replica::suspected(group.at(4)), peer(1));
    EXPECT_EQ(replica::suspected(group.at(3)), PeerId::none); // The QUERY has not arrived.
}

TEST_F(Authority, OnlyTheHostSendsViewsAndRefusals)
{
    replica::claim(group.at(4), object);
    group.pull(3);
    group.deliver(3, 0);
    group.flow();
    replica::peer_gone(group.at(1), peer(3));
    group.flow();
    const size_t count = group.wires[0][3].size();
    EXPECT_EQ(count, 0u);
    group.add();
    const PeerId id = replica::next_peer_id(group.at(1));
    const auto view = said(1, [&] { replica::admit(group.at(1), id, group.identity(4)); });
    ASSERT_FALSE(view.empty());
    expect_forged(2, view[0]);
    EXPECT_EQ(replica::receive(group.at(4), peer(1), view[0]), Verdict::ok);
}

TEST_F(Authority, AMemberCannotSendTheHostAway)
{
    replica::peer_gone(group.at(1), peer(4));
    group.pull(0);
    ASSERT_FALSE(group.wires[0][1].empty());
    Bytes query = group.wires[0][1].front(); // The QUERY names 4; change it to name 1.
    ASSERT_EQ(query[0], static_cast<std::byte>(MessageKind::query));
    query[5] = std::byte{3}; // The bit 1, and the lowest bit of PeerId 1.
    query[6] = std::byte{0};
    ReplicaPointer host = copy(group.at(1));
    EXPECT_NE(replica::receive(*host, peer(3), query), Verdict::ok);
    EXPECT_EQ(host->fault, Fault::none);
}

TEST_F(Authority, AReportCannotInventObjects)
{
    const Thing thing = {1, 2};
    replica::create(group.at(4), 1, &thing);
    group.flow();
    replica::peer_gone(group.at(1), peer(4));
    group.settle_and_pull(0);
    group.deliver(0, 2);
    group.settle_and_pull(2);
    ASSERT_FALSE(group.wires[2][0].empty());
    const Bytes report = group.wires[2][0].front(); // 3's copy of the object of 4.
    ASSERT_EQ(report[0], static_cast<std::byte>(MessageKind::report_object));
    ReplicaPointer host = copy(group.at(1));
    Bytes invented = report;
    invented[5] = std::byte{1}; // Created by the host, and never granted to another peer.
    invented[7] = std::byte{9};
    EXPECT_EQ(replica::receive(*host, peer(3), invented), Verdict::forged);
    invented = report;
    invented[9] = std::byte{99}; // The owner is not a fenced member.
    EXPECT_EQ(replica::receive(*host, peer(3), invented), Verdict::forged);
    EXPECT_EQ(replica::receive(*host, peer(3), report), Verdict::ok);
}

// A grant with a valid signature is forged if its term would leave too few terms to later hosts.
TEST_F(Authority, AGrantOfATermThatCannotBeIsForged)
{
    replica::migrate(group.at(1), object, peer(3));
    group.at(1).term.number = 2;
    group.settle_and_pull(0);
    ASSERT_FALSE(group.wires[0][2].empty());
    EXPECT_EQ(replica::receive(*copy(group.at(3)), peer(1), group.wires[0][2].front()),
              Verdict::forged);
}

// A member's key is known to all, and is that of a host only when all lower ids have gone.
TEST_F(Authority, AGrantThatAMemberHasSignedItselfIsForged)
{
    const Replica &liar = group.at(3);
    for (const uint16_t term : {uint16_t{1}, uint16_t{2}, uint16_t{3}}) {
        Grant grant = {};
        grant.stamp = stamps::make({term, peer(3), 1});
        grant.owner = peer(3);
        grant.object_count = 1;
        grant.objects[0] = object;
        std::byte buffer[messages::signed_bytes_max];
        const std::span<const std::byte> bytes =
            messages::signed_bytes(liar.session, grant, buffer);
        crypto_sign_detached(grant.signature, nullptr,
                             reinterpret_cast<const unsigned char *>(bytes.data()), bytes.size(),
                             liar.signing_secret);
        std::byte text[256];
        BitWriter w = bits::writer(text);
        messages::write_kind(w, MessageKind::destroy);
        messages::write_object_id(w, object);
        messages::write_grant(w, grant);
        const Bytes lie(text, text + bits::size_bytes(w));
        EXPECT_EQ(replica::receive(*copy(group.at(1)), peer(3), lie), Verdict::forged);
        EXPECT_EQ(replica::receive(*copy(group.at(4)), peer(3), lie), Verdict::forged);
        ReplicaPointer later = copy(group.at(4)); // With peers 1 and 2 gone peer 3 can be the host.
        for (const unsigned gone : {1u, 2u})
            replica::peer_gone(*later, peer(gone));
        EXPECT_EQ(replica::receive(*later, peer(3), lie), Verdict::ok);
    }
}

// Peer 4 has made no object yet, so what carries an id of its own is an invention of the host.
TEST_F(Authority, OthersCannotMakeObjectsWithOurIds)
{
    ReplicaPointer twin = copy(group.at(4)); // A liar that creates in the name of peer 4.
    const Thing thing = {6, 6};
    const ObjectId ours = replica::create(*twin, 0, &thing);
    replica::begin_send(*twin);
    for (const unsigned to : {1u, 3u}) {
        std::byte buffer[1024];
        const size_t size = replica::next_message(*twin, peer(to), buffer);
        ASSERT_EQ(replica::receive(group.at(to), peer(4), {buffer, size}), Verdict::ok);
    }
    ASSERT_TRUE(replica::migrate(group.at(1), ours, peer(3)));
    group.settle_and_pull(0);
    while (group.deliver(0, 2)) {
    }
    group.settle_and_pull(2);
    ASSERT_EQ(belief(group.at(3), ours).owner, peer(3));
    ASSERT_EQ(group.wires[2][3].size(), 1u); // The MIGRATE of 3 to 4.
    EXPECT_EQ(replica::receive(group.at(4), peer(3), group.wires[2][3].front()),
              Verdict::malformed);
    EXPECT_FALSE(belief(group.at(4), ours).alive);
    EXPECT_EQ(replica::create(group.at(4), 0, &thing), ours); // The id is still free.
    EXPECT_EQ(belief(group.at(4), ours), (Belief{true, false, 0, peer(4)}));
}

TEST_F(Authority, AMemberCannotTellTheEndOfWhatAnotherHasMade)
{
    std::byte buffer[64];
    BitWriter w = bits::writer(buffer);
    messages::write_kind(w, MessageKind::dead);
    bits::write_bool(w, true);
    messages::write_object_id(w, object); // The object of 2
    bits::write_varint(w, 0);
    bits::write_bool(w, false);
    const Bytes lie(buffer, buffer + bits::size_bytes(w));
    ReplicaPointer listener = copy(group.at(4));
    EXPECT_EQ(replica::receive(*listener, peer(1), lie), Verdict::ok); // The host may.
    EXPECT_TRUE(belief(*listener, object).dead);
    EXPECT_NE(replica::receive(group.at(4), peer(3), lie), Verdict::ok);
    EXPECT_EQ(belief(group.at(4), object), (Belief{true, false, 0, peer(2)}));
}

// A list that says nothing new, of `count` entries which write_entry() writes.
template <class WriteEntry>
static Bytes list_of(MessageKind kind, size_t count, WriteEntry write_entry)
{
    Bytes bytes(4096);
    BitWriter w = bits::writer(bytes);
    messages::write_kind(w, kind);
    if (kind == MessageKind::query) bits::write(w, 0, 32);
    for (size_t i = 0; i < count; ++i) {
        bits::write_bool(w, true);
        write_entry(w, i);
    }
    bits::write_bool(w, false);
    bytes.resize(bits::size_bytes(w));
    return bytes;
}

TEST_F(Authority, AListBeyondItsLimitIsMalformed)
{
    const auto old_lease = [](BitWriter &w, size_t) {
        for (size_t part = 0; part < 4; ++part) // Type, number, places, how many are asked for.
            bits::write_varint(w, 0);
    };
    const auto stranger = [](BitWriter &w, size_t i) {
        messages::write_peer(w, peer(static_cast<unsigned>(100 + i)));
        bits::write_bool(w, false);
    };
    const auto death = [](BitWriter &w, size_t i) {
        const ObjectId id = object_id::make(peer(1), static_cast<uint32_t>(100 + 2 * i));
        messages::write_range(w, {static_cast<uint64_t>(id), static_cast<uint64_t>(id)});
    };
    const auto receive = [&](const Bytes &message) {
        return replica::receive(*copy(group.at(4)), peer(1), message);
    };
    EXPECT_EQ(receive(list_of(MessageKind::lease, grant_objects_max, old_lease)), Verdict::ok);
    EXPECT_EQ(receive(list_of(MessageKind::query, members_max, stranger)), Verdict::ok);
    EXPECT_EQ(receive(list_of(MessageKind::dead, dead_ranges_max, death)), Verdict::ok);
    expect_malformed(1, list_of(MessageKind::lease, grant_objects_max + 1, old_lease));
    expect_malformed(1, list_of(MessageKind::query, members_max + 1, stranger));
    expect_malformed(1, list_of(MessageKind::dead, dead_ranges_max + 1, death));
}

TEST_F(Authority, AClaimOfANewcomerThatHasNotCaughtUpIsForged)
{
    group.add();
    const PeerId newcomer = replica::next_peer_id(group.at(1));
    replica::admit(group.at(1), newcomer, group.identity(4));
    group.settle_and_pull(0);
    while (group.deliver(0, 4)) {
    }
    ASSERT_EQ(group.at(5).phase, Phase::joining); // The others have not sent their objects.
    std::byte buffer[16];
    BitWriter w = bits::writer(buffer);
    messages::write_kind(w, MessageKind::claim);
    messages::write_object_id(w, object);
    const Bytes claim(buffer, buffer + bits::size_bytes(w));
    EXPECT_EQ(replica::receive(group.at(1), newcomer, claim), Verdict::forged);
    EXPECT_FALSE(replica::migrate(group.at(1), object, newcomer));
    group.flow();
    EXPECT_EQ(belief(group.at(1), object), (Belief{true, false, 0, peer(2)}));
    ASSERT_EQ(group.at(5).phase, Phase::in); // Now it may.
    EXPECT_EQ(replica::receive(group.at(1), newcomer, claim), Verdict::ok);
    group.flow();
    EXPECT_EQ(belief(group.at(2), object).owner, newcomer);
}

TEST_F(Authority, WhileTheHostStaysAReportNamesOnlyTenuresThatItHasGranted)
{
    Replica &host = group.at(1);
    for (const unsigned to : {3u, 4u}) {
        ASSERT_TRUE(replica::migrate(host, object, peer(to)));
        group.settle_and_pull(0);
    }
    replica::peer_gone(host, peer(3));
    const auto heard = [&](uint32_t count) {
        const Stamp stamp = stamps::make({host.term.number, peer(1), count});
        const Bytes lie = object_report(host.term.query_token, object, stamp, peer(3));
        ReplicaPointer listener = copy(host);
        const Verdict verdict = replica::receive(*listener, peer(2), lie);
        EXPECT_EQ(belief(*listener, object).owner, count == 1 ? peer(3) : peer(2));
        return verdict;
    };
    ASSERT_EQ(host.term.grant_count, 2u);
    EXPECT_EQ(heard(1), Verdict::ok);
    EXPECT_EQ(heard(2), Verdict::forged); // That grant was peer 4's.
    EXPECT_EQ(heard(3), Verdict::forged);
}

// The reporter is honest: the creator has told each peer something else.
TEST_F(Authority, AnOrphanThatWasMadeDifferentlyForEachDies)
{
    const Thing thing = {1, 1};
    replica::create(group.at(4), 0, &thing);
    const ObjectId second = replica::create(group.at(4), 0, &thing); // In the next place.
    group.flow();
    Replica &host = group.at(1);
    replica::peer_gone(host, peer(4));
    const Bytes in_the_first_place = object_report(host.term.query_token, second, 0, peer(4));
    EXPECT_EQ(replica::receive(host, peer(3), in_the_first_place), Verdict::ok);
    EXPECT_TRUE(belief(host, second).dead);
}

// A grant names the place that the host knows. Where the creator has named another one, the object
// moves: neither its new owner nor the host is charged for what the creator has done.
TEST_F(Authority, WhatWasMadeInAnotherPlaceForEachMovesWithItsNextOwner)
{
    const auto made_in = [](uint32_t place) {
        std::byte buffer[64];
        BitWriter w = bits::writer(buffer);
        messages::write_kind(w, MessageKind::create);
        bits::write_varint(w, 1); // Its serial.
        bits::write_varint(w, place);
        bits::write(w, 0, 8);
        bits::write(w, 1, 32);
        bits::write(w, 0, 64);
        return Bytes(buffer, buffer + bits::size_bytes(w));
    };
    const ObjectId made = object_id::make(peer(4), 1);
    for (const unsigned to : {1u, 2u, 3u})
        ASSERT_EQ(replica::receive(group.at(to), peer(4), made_in(to == 1 ? 0 : to)), Verdict::ok);
    // To one receiver the creator contradicts itself.
    EXPECT_EQ(replica::receive(group.at(3), peer(4), made_in(0)), Verdict::malformed);
    ASSERT_TRUE(replica::claim(group.at(2), made)); // The GRANT finds it in place 2.
    for (const unsigned from : {2u, 1u, 2u})
        group.settle_and_pull(from - 1);
    group.flow();
    for (const unsigned at : {1u, 2u, 3u}) {
        const ObjectSlot slot = world::find_alive(group.at(at).world, made);
        ASSERT_NE(slot, no_slot);
        EXPECT_EQ(group.at(at).world.slots[slot].owner, peer(2));
        EXPECT_EQ(group.at(at).world.slots[slot].place, 0u);
    }
}

TEST_F(Authority, WhileTheHostStaysAReportNamesNoLaterPeersAndFewSerials)
{
    Replica &host = group.at(1);
    replica::peer_gone(host, peer(4));
    EXPECT_EQ(replica::receive(host, peer(3), deaths(peer(5), 1, 9)), Verdict::ok);
    EXPECT_FALSE(belief(host, object_id::make(peer(5), 1)).dead);
    EXPECT_EQ(replica::receive(host, peer(3), deaths(peer(2), 100, 600'000)), Verdict::ok);
    EXPECT_FALSE(belief(host, object_id::make(peer(2), 100)).dead);
    EXPECT_EQ(replica::receive(host, peer(3), deaths(peer(2), 100, 500'000)), Verdict::ok);
    EXPECT_TRUE(belief(host, object_id::make(peer(2), 100)).dead);
    // A lie does not raise the bound of the next one.
    EXPECT_EQ(replica::receive(host, peer(3), deaths(peer(2), 100, 600'000)), Verdict::ok);
    EXPECT_FALSE(belief(host, object_id::make(peer(2), 600'000)).dead);
}

TEST_F(Authority, WhileTheHostStaysAReportRemovesNobody)
{
    replica::peer_gone(group.at(1), peer(4));
    for (const bool goodbye : {false, true}) {
        ReplicaPointer host = copy(group.at(1));
        std::byte buffer[64];
        BitWriter w = bits::writer(buffer);
        write_report_head(w, *host);
        bits::write_bool(w, true);
        messages::write_peer(w, peer(2)); // It is there, and has said nothing of the kind.
        bits::write_bool(w, goodbye);
        bits::write_bool(w, false);
        const Bytes lie(buffer, buffer + bits::size_bytes(w));
        EXPECT_EQ(replica::receive(*host, peer(3), lie), Verdict::ok);
        EXPECT_TRUE(replica::is_member(*host, peer(2)));
        EXPECT_EQ(host->term.query_token, group.at(1).term.query_token);
        EXPECT_FALSE(host->members[replica::find_member(*host, peer(2))].said_goodbye);
        // What it answers shows that it is there, and no later lie undoes that.
        EXPECT_EQ(replica::receive(*host, peer(2), report_of_nobody(*host)), Verdict::ok);
        EXPECT_EQ(replica::receive(*host, peer(3), lie), Verdict::ok);
        EXPECT_FALSE(host->members[replica::find_member(*host, peer(2))].reported_to_leave);
    }
}

TEST_F(Authority, AReportCannotInventWhatTheLivingMake)
{
    replica::peer_gone(group.at(1), peer(4));
    group.pull(0);
    group.deliver(0, 2);
    const ObjectId invented = object_id::make(peer(2), 77); // This id was not given yet.
    const Bytes lie = object_report(group.at(1).term.query_token, invented, 0, peer(4));
    EXPECT_EQ(replica::receive(group.at(1), peer(3), lie), Verdict::forged);
    EXPECT_FALSE(belief(group.at(1), invented).alive);
}

TEST_F(Authority, AFencedPeersMessagesAreIgnored)
{
    const Thing thing = {1, 2};
    const auto create = said(3, [&] { replica::create(group.at(3), 0, &thing); });
    replica::peer_gone(group.at(1), peer(3));
    group.pull(0);
    group.deliver(0, 3); // The QUERY makes 4 fence 3.
    EXPECT_EQ(replica::receive(group.at(4), peer(3), create[0]), Verdict::ignored);
    EXPECT_EQ(group.at(4).world.alive, 1u);
}

TEST_F(Authority, RandomBytesAreNeverObeyed)
{
    uint64_t seed = 1;
    for (unsigned i = 0; i < 200'000; ++i) {
        Bytes message(1 + seed % 60);
        for (std::byte &byte : message) {
            seed = seed * 6364136223846793005 + 1442695040888963407;
            byte = static_cast<std::byte>(seed >> 56);
        }
        message[0] = static_cast<std::byte>(1 + (seed >> 40) % 15);
        replica::receive(group.at(4), peer(2 + i % 2), message);
    }
    // The senders may create objects, but must not change other objects or the membership.
    EXPECT_EQ(belief(group.at(4), object).owner, peer(2));
    EXPECT_TRUE(replica::is_member(group.at(4), peer(1)));
}
