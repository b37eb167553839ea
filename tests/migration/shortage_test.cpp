// A member of a mesh shows another one more objects than its lease allows, and hides them from the
// host: whoever lacks room asks the host for the leases.
#include "migration/messages.h"
#include "migration/places.h"
#include "tests/migration/shared_object.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace tern;
using namespace tern::test;

namespace {

constexpr uint32_t objects_max = 64; // Each type of the group has this limit.

// Peer 1 is the host, 4 the liar, and 2 the peer that it fills with objects.
struct Shortages : ::testing::Test {
    Group group = make_group(4);
    uint32_t lies = 0;

    Bytes create_message(uint32_t place)
    {
        std::byte buffer[64];
        BitWriter w = bits::writer(buffer);
        messages::write_kind(w, MessageKind::create);
        bits::write_varint(w, 1000 + lies++);
        bits::write_varint(w, place);
        bits::write(w, 0, 8);
        bits::write(w, 1, 32);
        const Thing value = {};
        type_table::write_fields(w, group_table(), 0, reinterpret_cast<const std::byte *>(&value),
                                 type_table::all_fields(group_table(), 0));
        return {buffer, buffer + bits::size_bytes(w)};
    }

    // Peer 4 creates objects in places of its own, until one finds no room.
    void fill()
    {
        create(1);
        group.flow();
        Verdict verdict = Verdict::ok;
        for (uint32_t place = 0; place < objects_max && verdict == Verdict::ok; ++place)
            verdict = replica::receive(group.at(2), peer(4), create_message(place));
        ASSERT_EQ(verdict, Verdict::later);
    }

    ObjectId create(unsigned creator)
    {
        const Thing value = {1, 2};
        const ObjectId object = replica::create(group.at(creator), 0, &value);
        EXPECT_NE(object, ObjectId::none);
        return object;
    }

    LeaseQuestion question()
    {
        EXPECT_TRUE(replica::asks_for_leases(group.at(2)));
        std::byte buffer[64];
        BitWriter w = bits::writer(buffer);
        replica::write_lease_question(w, group.at(2));
        BitReader reader = bits::reader(std::span(buffer).first(bits::size_bytes(w)));
        LeaseQuestion question = {};
        EXPECT_TRUE(replica::read_lease_question(reader, group.at(1), question));
        return question;
    }

    Bytes answer(const LeaseQuestion &question)
    {
        std::byte buffer[512];
        BitWriter w = bits::writer(buffer);
        replica::write_leases(w, group.at(1), question);
        return {buffer, buffer + bits::size_bytes(w)};
    }

    Verdict receive(const Bytes &answer, unsigned from = 1)
    {
        return replica::receive_leases(group.at(2), peer(from), bits::reader(answer));
    }

    uint32_t alive(unsigned creator)
    {
        uint32_t count = 0;
        for (const KnownObject &object : group.at(2).world.slots.all())
            count += object.life == Life::alive && object_id::creator(object.id) == peer(creator);
        return count;
    }

    std::vector<PeerId> charged()
    {
        std::vector<PeerId> peers;
        for (const Event &event : group.at(2).log.events.all())
            if (event.kind == EventKind::misbehaved) peers.push_back(event.misbehaved.peer);
        return peers;
    }
};

Bytes leases_of(uint32_t number, unsigned first, unsigned count)
{
    std::byte buffer[512];
    BitWriter w = bits::writer(buffer);
    bits::write_varint(w, number);
    for (unsigned i = 0; i < count; ++i) {
        bits::write_bool(w, true);
        messages::write_peer(w, peer(first + i));
        bits::write_varint(w, objects_max);
    }
    bits::write_bool(w, false);
    return {buffer, buffer + bits::size_bytes(w)};
}

}

TEST_F(Shortages, WhoHasExceededItsLeaseIsCharged)
{
    const ObjectId honest = create(3);
    group.flow();
    fill();
    const ObjectId waits = create(1);
    group.pull(0);
    ASSERT_EQ(group.wires[0][1].size(), 1u);
    const Bytes message = group.wires[0][1].front();
    EXPECT_EQ(replica::receive(group.at(2), peer(1), message), Verdict::later);
    ASSERT_EQ(receive(answer(question())), Verdict::ok);
    EXPECT_EQ(charged(), std::vector{peer(4)});
    const uint32_t lease = group.at(4).room.places[0].held;
    ASSERT_GT(lease, 0u);
    EXPECT_EQ(alive(4), lease);
    EXPECT_TRUE(belief(group.at(2), honest).alive);
    EXPECT_FALSE(replica::asks_for_leases(group.at(2)));
    group.settle(1);
    EXPECT_EQ(replica::receive(group.at(2), peer(1), message), Verdict::ok);
    EXPECT_TRUE(belief(group.at(2), waits).alive);
}

TEST_F(Shortages, WhoWasFoundOutCreatesNothingBeyondItsLeaseAgain)
{
    fill();
    ASSERT_EQ(receive(answer(question())), Verdict::ok);
    const uint32_t lease = alive(4);
    group.settle(1);
    for (uint32_t place = 0; place < objects_max; ++place) {
        const Verdict verdict = replica::receive(group.at(2), peer(4), create_message(place));
        EXPECT_TRUE(verdict == Verdict::over_quota || verdict == Verdict::ok) << place;
        EXPECT_LE(alive(4), lease);
    }
    EXPECT_FALSE(replica::asks_for_leases(group.at(2)));
    create(3);
    group.flow();
    EXPECT_EQ(alive(3), 1u) << "others have room";
}

// Peer 3 returns places while the question is on its way, and gets others later.
TEST_F(Shortages, WhatDiedMeanwhileIsNotCounted)
{
    const ObjectId first = create(3), second = create(3);
    group.flow();
    fill();
    const LeaseQuestion asked = question();
    replica::destroy(group.at(3), world::find_alive(group.at(3).world, first));
    group.flow();
    ASSERT_EQ(alive(3), 1u);
    Lease &lease = lease_of(group.at(1), replica::find_member(group.at(1), peer(3)), 0);
    lease.places = 1;
    const Bytes answered = answer(asked);
    lease.places = 2;
    create(3);
    group.flow();
    ASSERT_EQ(alive(3), 2u);
    ASSERT_EQ(receive(answered), Verdict::ok);
    EXPECT_EQ(charged(), std::vector{peer(4)});
    EXPECT_TRUE(belief(group.at(2), second).alive);
}

TEST_F(Shortages, OnlyTheHostsAnswerToTheLastQuestionCounts)
{
    fill();
    const LeaseQuestion asked = question();
    const uint32_t before = alive(4);
    EXPECT_EQ(receive(answer(asked), 3), Verdict::ignored);
    EXPECT_EQ(receive(answer({asked.type, asked.number + 1, asked.first})), Verdict::ignored);
    Bytes cut = answer(asked);
    cut.pop_back();
    EXPECT_EQ(receive(cut), Verdict::malformed);
    EXPECT_EQ(receive(leases_of(asked.number, 2, 65)), Verdict::malformed);
    EXPECT_EQ(alive(4), before);
    EXPECT_TRUE(replica::asks_for_leases(group.at(2)));
    EXPECT_EQ(receive(answer(asked)), Verdict::ok);
    EXPECT_LT(alive(4), before);
    EXPECT_EQ(receive(answer(asked)), Verdict::ignored);
}

// Many members need several answers.
TEST_F(Shortages, TheQuestionGoesOnWhereTheAnswerEnded)
{
    fill();
    const LeaseQuestion asked = question();
    ASSERT_EQ(receive(leases_of(asked.number, 2, 64)), Verdict::ok);
    EXPECT_EQ(question().first, peer(66));
    EXPECT_EQ(receive(leases_of(asked.number, 2, 64)), Verdict::ignored);
    EXPECT_EQ(question().first, peer(66));
    EXPECT_EQ(receive(leases_of(asked.number, 66, 3)), Verdict::ok);
    EXPECT_FALSE(replica::asks_for_leases(group.at(2)));
    EXPECT_TRUE(charged().empty());
}

TEST_F(Shortages, AQuestionAboutAnUnknownTypeIsMalformed)
{
    LeaseQuestion question = {};
    for (const unsigned type : {4u, 5u}) {
        std::byte buffer[16];
        BitWriter w = bits::writer(buffer);
        bits::write_varint(w, 1);
        bits::write_varint(w, type);
        bits::write(w, 1, 16);
        BitReader reader = bits::reader(std::span(buffer).first(bits::size_bytes(w)));
        EXPECT_EQ(replica::read_lease_question(reader, group.at(1), question), type < 5) << type;
    }
}

// Peer 3 reports to the next host more objects of one that left before than all could have made.
// What is too much dies, and frees no places: none were ever counted for it.
TEST(Excess, WhatANewHostDestroysFreesNoPlaces)
{
    for (const Topology topology : {Topology::mesh, Topology::star}) {
        Group group = make_group(4, topology);
        for (unsigned id = 1; id <= 3; ++id)
            replica::peer_gone(group.at(id), peer(4));
        group.flow();
        for (unsigned id = 2; id <= 3; ++id)
            replica::peer_gone(group.at(id), peer(1));
        Replica &host = group.at(2);
        host.now_us += 1;
        group.settle_and_pull(1);
        ASSERT_NE(host.term.query_token, 0u);
        for (uint32_t i = 0; i < objects_max; ++i)
            replica::receive(host, peer(3),
                             object_report(host.term.query_token, object_id::make(peer(4), 1 + i),
                                           0, peer(4), i));
        const uint32_t reported = host.world.packed[0].alive;
        group.flow();
        ASSERT_EQ(replica::host(host), peer(2));
        EXPECT_LT(host.world.packed[0].alive, reported) << "some are too much";
        const Places &places = host.room.places[0];
        EXPECT_GE(places.used, host.world.packed[0].alive);
        EXPECT_LE(places.used, places.held);
        EXPECT_LE(host.world.packed[0].alive + places::left(host, 0), places.held);
    }
}
