// The content of VIEW and WELCOME messages, and when votes change.
#include "migration/messages.h"
#include "migration/views.h"
#include "tests/migration/group.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace tern;
using namespace tern::test;

namespace {

// The size of an identity with an empty name.
constexpr size_t identity_bytes = 32 + 32 + 16 + 2 + 1;

struct Views : testing::Test {
    Group group = make_group(4);

    PeerId admit()
    {
        group.add();
        const PeerId id = replica::next_peer_id(group.at(1));
        replica::admit(group.at(1), id, group.identity(group.replicas.size() - 1));
        return id;
    }

    // Pulls the messages that wait at the host for this peer.
    std::vector<Bytes> pulled(unsigned to)
    {
        std::vector<Bytes> messages;
        Bytes buffer(16 * 1024);
        while (const size_t size = replica::next_message(group.at(1), peer(to), buffer))
            messages.emplace_back(buffer.begin(), buffer.begin() + static_cast<ptrdiff_t>(size));
        return messages;
    }

    bool tells_of(const Bytes &message, unsigned id)
    {
        const auto &key = group.keys[id - 1].public_key;
        const auto bytes = std::as_bytes(std::span(key));
        // An identity may begin at any bit.
        for (size_t bit = 0; bit + 8 * bytes.size() <= 8 * message.size(); ++bit) {
            BitReader reader = bits::reader(message);
            for (size_t i = 0; i < bit; ++i)
                bits::read_bool(reader);
            Bytes there(bytes.size());
            bits::read_bytes(reader, there);
            if (std::equal(there.begin(), there.end(), bytes.begin())) return true;
        }
        return false;
    }
};

// A member in a VIEW that the test writes itself.
struct Entry {
    unsigned id;
    bool follows, has_identity;
};

Bytes view(const Replica &host, uint16_t last_peer, uint16_t count,
           const std::vector<Entry> &entries)
{
    Bytes bytes(4096);
    BitWriter w = bits::writer(bytes);
    messages::write_kind(w, MessageKind::view);
    bits::write(w, host.term.view + 1, 32);
    bits::write(w, host.term.number, 16);
    bits::write(w, last_peer, 16);
    bits::write(w, count, 16);
    for (const Entry &entry : entries) {
        bits::write_bool(w, entry.follows);
        if (!entry.follows) bits::write(w, entry.id, 16);
        bits::write_bool(w, false); // No vote.
        bits::write_bool(w, entry.has_identity);
        if (entry.has_identity) messages::write_identity(w, {});
    }
    bytes.resize(bits::size_bytes(w));
    return bytes;
}

}

TEST_F(Views, WhoSomebodyIsIsToldOnce)
{
    admit();
    const std::vector<Bytes> first = pulled(4);
    ASSERT_EQ(first.size(), 1u);
    EXPECT_TRUE(tells_of(first[0], 5));
    EXPECT_FALSE(tells_of(first[0], 2));
    EXPECT_LT(first[0].size(), 20 + identity_bytes);
    EXPECT_EQ(replica::receive(group.at(4), peer(1), first[0]), Verdict::ok);
    EXPECT_TRUE(replica::is_member(group.at(4), peer(5)));
    admit();
    const std::vector<Bytes> second = pulled(4);
    ASSERT_EQ(second.size(), 2u); // The other is a LEASE, which asks for places for the newcomer.
    EXPECT_TRUE(tells_of(second[0], 6));
    EXPECT_FALSE(tells_of(second[0], 5));
    EXPECT_EQ(replica::receive(group.at(4), peer(1), second[0]), Verdict::ok);
}

TEST_F(Views, WhatWasNotAckedIsToldAgainOverANewConnection)
{
    admit();
    const std::vector<Bytes> lost = pulled(4);
    ASSERT_EQ(lost.size(), 1u);
    admit();
    replica::rewind(group.at(1), peer(4));
    const std::vector<Bytes> again = pulled(4);
    ASSERT_EQ(again.size(), 2u); // The VIEW and a LEASE.
    EXPECT_TRUE(tells_of(again[0], 5));
    EXPECT_TRUE(tells_of(again[0], 6));
    EXPECT_EQ(replica::receive(group.at(4), peer(1), again[0]), Verdict::ok);
    EXPECT_TRUE(replica::is_member(group.at(4), peer(6)));
    // Every WELCOME contains all identities, also the one that is sent again.
    for (int i = 0; i < 2; ++i) {
        const std::vector<Bytes> welcome = pulled(6);
        ASSERT_GE(welcome.size(), 1u);
        for (const unsigned id : {1u, 2u, 3u, 4u, 5u, 6u})
            EXPECT_TRUE(tells_of(welcome[0], id)) << id;
        replica::rewind(group.at(1), peer(6));
    }
}

TEST_F(Views, WhoHasMovedIsToldAgain)
{
    Address address = {};
    address.port = 99;
    replica::moved(group.at(1), peer(3), address);
    const std::vector<Bytes> said = pulled(4);
    ASSERT_EQ(said.size(), 1u);
    EXPECT_TRUE(tells_of(said[0], 3));
    EXPECT_EQ(replica::receive(group.at(4), peer(1), said[0]), Verdict::ok);
    EXPECT_EQ(group.at(4).members[replica::find_member(group.at(4), peer(3))].identity.address.port,
              99);
}

TEST_F(Views, ANewHostTellsOfAll)
{
    for (const unsigned id : {2u, 3u, 4u})
        replica::peer_gone(group.at(id), peer(1));
    for (int i = 0; i < 3; ++i) {
        for (size_t from = 1; from < 4; ++from)
            group.settle_and_pull(from);
        for (size_t from = 1; from < 4; ++from)
            for (size_t to = 1; to < 4; ++to)
                while (!group.wires[from][to].empty()) {
                    const Bytes message = group.wires[from][to].front();
                    if (message[0] == static_cast<std::byte>(MessageKind::view)) {
                        EXPECT_TRUE(tells_of(message, 2) && tells_of(message, 4));
                    }
                    group.deliver(from, to);
                }
    }
    EXPECT_EQ(replica::host(group.at(4)), peer(2));
}

TEST_F(Views, AHostileViewIsMalformedAndChangesNothing)
{
    const Replica &host = group.at(1);
    const std::vector<Entry> all = {
        {1, true, false}, {2, true, false}, {3, true, false}, {4, true, false}};
    ASSERT_EQ(replica::receive(*copy(group.at(4)), peer(1), view(host, 4, 4, all)), Verdict::ok);
    struct Case {
        const char *what;
        uint16_t last_peer, count;
        std::vector<Entry> entries;
    };
    std::vector<Entry> many = all; // peers_max is 6.
    for (unsigned id = 5; id <= 7; ++id)
        many.push_back({id, true, true});
    const std::vector<Case> cases = {
        {"more members than places", 7, 7, many},
        {"nobody", 4, 0, {}},
        {"not us", 4, 3, {{1, true, false}, {2, true, false}, {3, true, false}}},
        {"who is that?", 5, 5, {all[0], all[1], all[2], all[3], {5, true, false}}},
        {"an id that was never given", 4, 5, {all[0], all[1], all[2], all[3], {5, true, true}}},
        {"one twice", 4, 5, {all[0], all[1], all[2], all[3], {4, false, false}}},
        {"not ascending", 4, 4, {all[0], {3, false, false}, {2, false, false}, {4, false, false}}},
        {"written out though it follows", 4, 4, {all[0], {2, false, false}, all[2], all[3]}},
        {"nobody's id", 4, 5, {{0, false, false}, all[0], all[1], all[2], all[3]}},
        {"fewer than it says", 4, 5, all},
        {"more than it says", 4, 2, all}};
    for (const Case &c : cases) {
        ReplicaPointer listener = copy(group.at(4));
        const uint64_t before = replica::state_hash(*listener);
        const Bytes message = view(host, c.last_peer, c.count, c.entries);
        EXPECT_EQ(replica::receive(*listener, peer(1), message), Verdict::malformed) << c.what;
        EXPECT_EQ(replica::state_hash(*listener), before) << c.what;
        EXPECT_EQ(listener->log.events.count, 0u) << c.what;
    }
}

// --- Votes ---

namespace {

// Three members vote, and two newcomers have caught up before the host gives votes.
struct Votes : testing::Test {
    Group group = make_group(3);

    Member &member(unsigned at, unsigned id)
    {
        return group.at(at).members[replica::find_member(group.at(at), peer(id))];
    }

    uint32_t count(bool is_new)
    {
        uint32_t count = 0;
        for (const Member &each : group.at(1).members.all())
            count += each.votes && each.vote_is_new == is_new;
        return count;
    }

    // Delivers the messages between these, for several rounds.
    void flow(const std::vector<unsigned> &among)
    {
        for (int round = 0; round < 8; ++round)
            for (const unsigned from : among) {
                group.settle_and_pull(from - 1);
                for (const unsigned to : among)
                    while (group.deliver(from - 1, to - 1)) {
                    }
            }
    }

    // The host receives both CAUGHT_UP before it gives votes.
    void SetUp() override
    {
        for (unsigned id = 4; id <= 5; ++id) {
            group.add();
            replica::admit(group.at(1), replica::next_peer_id(group.at(1)), group.identity(id - 1));
        }
        for (int round = 0; round < 8; ++round) {
            group.pull(0);
            for (size_t to = 1; to < 5; ++to)
                while (group.deliver(0, to)) {
                }
            flow({2, 3, 4, 5});
        }
        for (size_t from = 1; from < 5; ++from)
            for (const Bytes &message : group.wires[from][0])
                replica::receive(group.at(1), peer(static_cast<unsigned>(from + 1)), message);
        for (size_t from = 1; from < 5; ++from)
            group.wires[from][0].clear();
        for (unsigned id = 1; id <= 5; ++id)
            group.at(id).rules.quorum = Quorum::majority;
        ASSERT_TRUE(member(1, 4).caught_up && member(1, 5).caught_up);
        ASSERT_EQ(count(false), 3u);
        replica::end_receive(group.at(1));
    }
};

}

TEST_F(Votes, OfManyAtOnceAreNewUntilAllKnow)
{
    EXPECT_EQ(count(false), 3u);
    EXPECT_EQ(count(true), 2u);
    replica::end_receive(group.at(1));
    EXPECT_EQ(count(true), 2u); // Nobody has acked that view.
    group.flow();
    EXPECT_EQ(count(false), 5u);
    EXPECT_TRUE(member(3, 5).votes);
    EXPECT_FALSE(member(3, 5).vote_is_new);
}

TEST_F(Votes, WhileSomeAreNewBothMajoritiesAreNeeded)
{
    const auto left_without = [&](std::initializer_list<unsigned> gone) {
        ReplicaPointer here = copy(group.at(1));
        for (const unsigned id : gone)
            here->members[replica::find_member(*here, peer(id))].fenced = true;
        return replica::has_quorum(*here);
    };
    EXPECT_TRUE(left_without({3}));
    EXPECT_TRUE(left_without({3, 5}));
    EXPECT_FALSE(
        left_without({2, 3})); // Left: three of all five votes, but one of the three old ones.
    EXPECT_FALSE(left_without({3, 4, 5})); // Left: two of the three old votes, but two of all five.
}

// Two members that do not know of the new votes are a majority of the votes that they know. The
// host and the newcomers would be a majority of all votes.
TEST_F(Votes, OfTwoHalvesOneGoesOnWhileVotesAreNew)
{
    flow({1, 4, 5});
    replica::peer_gone(group.at(1), peer(2));
    replica::peer_gone(group.at(1), peer(3));
    flow({1, 4, 5});
    EXPECT_EQ(group.at(1).fault, Fault::minority);
    for (const unsigned id : {2u, 3u})
        replica::peer_gone(group.at(id), peer(1));
    for (const unsigned gone : {4u, 5u})
        replica::peer_gone(group.at(2), peer(gone));
    flow({2, 3});
    EXPECT_EQ(group.at(2).fault, Fault::none);
    EXPECT_EQ(replica::host(group.at(2)), peer(2));
    EXPECT_EQ(replica::host(group.at(3)), peer(2));
}

// Member 5 has caught up and has no vote, so that four vote. 3 and 4 have gone.
TEST_F(Votes, WithHalfOfThemTheHostGoesOnIfAllKnowWhoVotes)
{
    group.flow();
    const auto goes_on = [&](unsigned at, bool is_known, bool is_fifth_there) {
        ReplicaPointer here = copy(group.at(at));
        Member &fifth = here->members[replica::find_member(*here, peer(5))];
        fifth.votes = false;
        fifth.fenced = !is_fifth_there;
        for (const unsigned id : {3u, 4u})
            here->members[replica::find_member(*here, peer(id))].fenced = true;
        here->duties.votes_known = is_known && here->duties.votes_known;
        return replica::has_quorum(*here);
    };
    EXPECT_TRUE(goes_on(1, true, true));
    EXPECT_FALSE(goes_on(1, false, true)); // Two that know other votes may be a majority of those.
    EXPECT_FALSE(goes_on(1, true, false)); // Two of five.
    EXPECT_FALSE(goes_on(2, true, true));  // It is not the host.
}

// A VIEW that a newer one replaces goes to the end of what waits, behind the refusals that followed
// it: star seed 60013 with two liars.
TEST_F(Views, ARefusalMayComeBeforeTheViewOfTheNextHost)
{
    const Thing thing = {};
    const ObjectId object = replica::create(group.at(2), 0, &thing);
    group.flow();
    replica::claim(group.at(4), object);
    std::byte buffer[16];
    BitWriter w = bits::writer(buffer);
    messages::write_kind(w, MessageKind::claim_refused);
    messages::write_object_id(w, object);
    bits::write(w, static_cast<uint64_t>(ClaimRefusal::overtaken), 8);
    const Bytes refusal(buffer, buffer + bits::size_bytes(w));
    EXPECT_EQ(replica::receive(group.at(4), peer(2), refusal), Verdict::forged);
    replica::peer_gone(group.at(4), peer(1));
    ASSERT_EQ(replica::host(group.at(4)), PeerId::none);
    EXPECT_EQ(replica::receive(group.at(4), peer(3), refusal), Verdict::forged);
    EXPECT_EQ(replica::receive(group.at(4), peer(2), refusal), Verdict::ignored);
    EXPECT_EQ(group.at(4).claims.count, 1u) << "it is asked again";
}
