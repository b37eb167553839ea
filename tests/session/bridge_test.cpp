// Members without a direct path to each other: relaying by another member, the return to the direct
// path, and addresses that change.
#include "session/bridge.h"
#include "session/peer_links.h"
#include "tern/calls.hpp"
#include "tern/diagnostics.hpp"
#include "tern/untyped.hpp"
#include "tests/session/sim_world.h"
#include "transport/little_endian.h"
#include "transport/sockets/addresses.h"
#include <gtest/gtest.h>

namespace tern {

using namespace test;

namespace {

bool is_bridged(SimWorld &world, size_t a, size_t b)
{
    return peer_stats(world.nodes[a].session, local_peer(world.nodes[b].session)).bridged;
}

// Opens a session of `count` nodes in which nodes 1 and 2 never had a path to each other.
void make(SimWorld &world, int count)
{
    for (int i = 0; i < count; ++i) {
        world.add();
        if (i == 2) world.cut(1, 2, true);
    }
    ASSERT_TRUE(world.step_until_open());
}

// In each step node `from` sends a numbered call to node `to`. All must arrive, and in order.
struct Talk {
    size_t from, to;
    int32_t said = 0, heard = 0;
    bool in_order = true;
};

void talk(SimWorld &world, Talk &t, int count, bool speaks = true)
{
    for (int i = 0; i < count; ++i) {
        const PeerId other = local_peer(world.nodes[t.to].session);
        const Hit hit = {ObjectId::none, t.said + 1};
        if (speaks && call(world.nodes[t.from].session, other, HIT, hit)) t.said += 1;
        world.step([&](size_t node, const std::vector<Event> &events) {
            if (node != t.to) return;
            for (const Event &event : events) {
                if (event.kind != EventKind::call) continue;
                const Hit *one = static_cast<const Hit *>(event.call.arguments);
                t.in_order = t.in_order && one->damage == t.heard + 1;
                t.heard += 1;
            }
        });
    }
}

}

TEST(Bridge, APairWithoutAPathIsBridgedByTheHostAndAgrees)
{
    SimWorld world(1, {20, 80, 0.05f, 0.01f});
    make(world, 4);
    const ObjectId body = create(world.nodes[1].session, BODY, Body{{1, 2, 3}, 4});
    ASSERT_TRUE(world.step_until_converged()) << world.describe();
    EXPECT_TRUE(is_bridged(world, 1, 2) && is_bridged(world, 2, 1));
    set(world.nodes[1].session, Object<Body>{body}, Body{{4, 5, 6}, 7});
    ASSERT_TRUE(world.step_until_converged()) << world.describe();
    EXPECT_EQ(get(world.nodes[2].session, Object<Body>{body}).health, 7);
    EXPECT_GT(session_stats(world.nodes[0].session).forwarded_datagrams, 10u);
    EXPECT_EQ(session_stats(world.nodes[0].session).not_forwarded, 0u);
}

TEST(Bridge, AnAnswerToNoChallengeOfOursChangesNoPath)
{
    SimWorld world(9);
    ASSERT_TRUE(world.open(3));
    Session &s = *world.nodes[1].session;
    const ConnectionIndex index = session::link_to(s, local_peer(world.nodes[2].session));
    const auto address_of = [&] { return connection::address(endpoint::at(*s.endpoint, index)); };
    const auto answer = [&](uint64_t nonce) {
        std::byte bytes[sizeof nonce];
        little_endian::store64(bytes, nonce);
        session::take_path_message(s, index, {UnreliableKind::answer, bytes},
                                   SimWorld::address_of(77));
    };
    const Address present = address_of();
    PathCandidates &candidates = session::peer_link(s, index).candidates;
    candidates.direct = SimWorld::address_of(88);
    for (const uint64_t nonce : {uint64_t{0}, uint64_t{1} << 63, uint64_t{0x123456789a0000}})
        answer(nonce); // No challenge is out.
    EXPECT_EQ(address_of(), present);
    candidates.nonce = uint64_t{1} << 63 | 0x10000;
    for (const uint64_t nonce : {uint64_t{0}, uint64_t{1} << 63, candidates.nonce ^ 0x20000})
        answer(nonce); // Another challenge is out.
    EXPECT_EQ(address_of(), present);
    EXPECT_NE(candidates.nonce, 0u); // It still awaits its answer.
    answer(candidates.nonce);
    EXPECT_EQ(address_of(), SimWorld::address_of(88));
}

TEST(Bridge, TheQueueOfATickIsBoundedInBytesAndDatagrams)
{
    for (const size_t size_bytes : {bridged_datagram_bytes_max, size_t{10}}) {
        SimWorld world(11);
        ASSERT_TRUE(world.open(3));
        Session &s = *world.nodes[1].session;
        const PeerId carrier = local_peer(world.nodes[0].session);
        const ConnectionIndex index = session::link_to(s, carrier);
        // A datagram of node 2 to node 1, which node 0 has forwarded.
        std::byte message[4 + bridged_datagram_bytes_max] = {};
        message[0] = static_cast<std::byte>(local_peer(world.nodes[2].session));
        message[2] = static_cast<std::byte>(local_peer(&s));
        for (uint32_t i = 0; i < 2 * bridged_max; ++i)
            session::take_path_message(
                s, index, {UnreliableKind::bridged, std::span(message, 4 + size_bytes)},
                world.nodes[0].address);
        const size_t most = std::min<size_t>(bridged_max, bridged_memory_bytes / size_bytes);
        EXPECT_EQ(s.bridge.count, most);
        EXPECT_EQ(s.bridge.used_bytes, most * size_bytes);
        session::clear_bridged(s);
    }
}

// Nodes 0 and 2 send to node 1 in each tick, until their paths to it are cut.
TEST(Bridge, ASilentMemberIsNoCandidate)
{
    SimWorld world(10, {20, 20, 0, 0});
    ASSERT_TRUE(world.open(3));
    const PeerId one = local_peer(world.nodes[1].session);
    const auto talk_to_one = [&](int count) {
        for (int i = 0; i < count; ++i) {
            for (const size_t from : {0u, 2u})
                call(world.nodes[from].session, one, HIT, Hit{}, Reliability::unreliable);
            world.step();
        }
    };
    const auto candidates_for = [&](size_t to) -> const PathCandidates & {
        Session &s = *world.nodes[1].session;
        const PeerId peer = local_peer(world.nodes[to].session);
        return session::peer_link(s, session::link_to(s, peer)).candidates;
    };
    talk_to_one(30);
    world.cut(0, 1, true);
    talk_to_one(4);
    world.cut(1, 2, true);
    talk_to_one(32);                                        // 1.1 s; the timeout is 2 s.
    EXPECT_GT(candidates_for(2).direct_count, 0u);          // The path is in doubt.
    EXPECT_EQ(candidates_for(2).relay_candidate_count, 0u); // The host has been silent for longer.
    EXPECT_GT(candidates_for(0).relay_candidate_count, 0u); // Node 2 was not silent yet.
}

TEST(Bridge, NothingIsLostWhenTheDirectPathGoesAndComesBack)
{
    for (uint64_t seed = 1; seed <= 5; ++seed) {
        SimWorld world(seed, {20, 60, 0.05f, 0});
        ASSERT_TRUE(world.open(3));
        Talk t = {1, 2};
        talk(world, t, 60);
        const ConnectionIndex before =
            session::link_to(*world.nodes[1].session, local_peer(world.nodes[2].session));
        const uint64_t key =
            connection::send_key_name(endpoint::at(*world.nodes[1].session->endpoint, before));
        world.cut(1, 2, true);
        talk(world, t, 150);
        EXPECT_TRUE(is_bridged(world, 1, 2) && is_bridged(world, 2, 1)) << "seed " << seed;
        world.cut(1, 2, false);
        talk(world, t, 240); // 8 s; the direct path is retried at least every 5 s.
        EXPECT_FALSE(is_bridged(world, 1, 2) || is_bridged(world, 2, 1)) << "seed " << seed;
        talk(world, t, 60, false);
        EXPECT_TRUE(t.in_order) << "seed " << seed;
        EXPECT_EQ(t.heard, t.said) << "seed " << seed;
        EXPECT_EQ(t.said, 450) << "seed " << seed;
        const ConnectionIndex after =
            session::link_to(*world.nodes[1].session, local_peer(world.nodes[2].session));
        EXPECT_EQ(key,
                  connection::send_key_name(endpoint::at(*world.nodes[1].session->endpoint, after)))
            << "it is the same connection";
    }
}

TEST(Bridge, EachDirectionHasItsOwnWay)
{
    SimWorld world(3);
    ASSERT_TRUE(world.open(3));
    world.cut_one_way(1, 2, true);
    world.steps(300);
    EXPECT_TRUE(is_bridged(world, 1, 2));
    EXPECT_FALSE(is_bridged(world, 2, 1)) << "what it sends arrives";
    EXPECT_TRUE(world.step_until_converged());
}

TEST(Bridge, WhenWhoBridgesDiesAnotherDoes)
{
    for (uint64_t seed = 1; seed <= 5; ++seed) {
        SimWorld world(seed, {20, 60, 0.02f, 0});
        make(world, 4);
        create(world.nodes[1].session, BODY, Body{{1, 2, 3}, 4});
        ASSERT_TRUE(world.step_until_converged());
        world.nodes[0].crashed = true;
        world.steps(200);
        ASSERT_TRUE(world.step_until_converged()) << "seed " << seed << world.describe();
        for (size_t i = 1; i < 4; ++i) {
            EXPECT_EQ(host_peer(world.nodes[i].session), PeerId{2});
            EXPECT_EQ(other_peers(world.nodes[i].session).size(), 2u) << "seed " << seed;
        }
        EXPECT_TRUE(is_bridged(world, 1, 2) && is_bridged(world, 2, 1));
    }
}

TEST(Bridge, WhoBridgesForwardsNoMoreThanItsLimit)
{
    SimWorld world(5, {20, 40, 0, 0});
    for (int i = 0; i < 3; ++i) {
        // Only the relaying host has the low limit, so it drops what the others send beyond it.
        world.config.bridge_bytes_per_second_max = i == 0 ? 8'000 : 100'000;
        world.add();
        if (i == 2) world.cut(1, 2, true);
    }
    ASSERT_TRUE(world.step_until_open());
    for (int i = 0; i < 40; ++i)
        create(world.nodes[1].session, BODY, Body{{1, 2, 3}, i});
    world.steps(100);
    const SessionStats before = session_stats(world.nodes[0].session);
    for (int i = 0; i < 300; ++i) { // 10 s
        for (const ObjectId body : object_ids(world.nodes[1].session, BODY))
            if (object_owner(world.nodes[1].session, body) == local_peer(world.nodes[1].session))
                set(world.nodes[1].session, Object<Body>{body},
                    Body{{static_cast<float>(i % 90), 2, 3}, i % 99});
        world.step();
    }
    const SessionStats after = session_stats(world.nodes[0].session);
    // Two directions, each 8,000 bytes a second for 10 s and a burst of 2,400.
    EXPECT_LT(after.forwarded_bytes - before.forwarded_bytes, 2 * (10 * 8'000u + 2'400u));
    EXPECT_GT(after.forwarded_bytes - before.forwarded_bytes, 40'000u);
    EXPECT_GT(after.not_forwarded, before.not_forwarded);
}

// Sends `bytes` from node 1 to the host as a datagram that the host is to relay.
static void say_bridged(SimWorld &world, PeerId from, PeerId to, std::span<const std::byte> bytes)
{
    Session &s = *world.nodes[1].session;
    s.bridge.datagrams[s.bridge.count] = {
        PeerId{1}, {}, from, to, s.bridge.used_bytes, static_cast<uint32_t>(bytes.size())};
    std::copy(bytes.begin(), bytes.end(), s.bridge.memory + s.bridge.used_bytes);
    s.bridge.used_bytes += static_cast<uint32_t>(bytes.size());
    s.bridge.count += 1;
    const std::span<const Datagram> sent = send(&s, world.now_us);
    world.nodes[1].socket->send(sent);
}

TEST(Bridge, AMemberHasOnlyItsOwnDatagramsForwardedAndOnlyToMembers)
{
    SimWorld world(6, {20, 20, 0, 0});
    for (int i = 0; i < 3; ++i) {
        world.add();
        ASSERT_TRUE(world.step_until_open());
    }
    const std::byte bytes[40] = {};
    Session *host = world.nodes[0].session;
    say_bridged(world, PeerId{2}, PeerId{3}, bytes);
    world.steps(5);
    EXPECT_EQ(session_stats(host).forwarded_datagrams, 1u) << "so that what follows can fail";
    say_bridged(world, PeerId{3}, PeerId{2}, bytes); // Node 1 is not peer 3.
    say_bridged(world, PeerId{9}, PeerId{3}, bytes);
    say_bridged(world, PeerId{2}, PeerId{2}, std::span(bytes).first(18)); // Its own address.
    say_bridged(world, PeerId{2}, PeerId{1}, bytes); // The host is the recipient, not the relay.
    world.steps(5);
    EXPECT_EQ(session_stats(host).forwarded_datagrams, 1u);
    EXPECT_EQ(session_stats(host).not_forwarded, 0u);
    say_bridged(world, PeerId{2}, PeerId{9}, bytes); // No member has this id.
    world.steps(5);
    EXPECT_EQ(session_stats(host).forwarded_datagrams, 1u);
    EXPECT_EQ(session_stats(host).not_forwarded, 1u);
}

TEST(Bridge, AConnectionFollowsAnAddressThatChanges)
{
    SimWorld world(7, {20, 60, 0.02f, 0});
    world.add_all(3);
    ASSERT_TRUE(world.step_until_converged());
    Talk t = {0, 2};
    talk(world, t, 30);
    const PeerId mover = local_peer(world.nodes[2].session);
    const ConnectionIndex index = session::link_to(*world.nodes[0].session, mover);
    const uint64_t key =
        connection::send_key_name(endpoint::at(*world.nodes[0].session->endpoint, index));
    // A NAT that has dropped its mapping causes such a change.
    const Address moved = SimWorld::address_of(40);
    world.nodes[2].socket = make_sim_socket(world.network, moved);
    world.nodes[2].address = moved;
    talk(world, t, 60); // 2 s, the timeout of a connection.
    const Connection &c = endpoint::at(*world.nodes[0].session->endpoint, index);
    EXPECT_EQ(connection::address(c), moved);
    EXPECT_EQ(connection::send_key_name(c), key);
    talk(world, t, 30, false);
    EXPECT_TRUE(t.in_order);
    EXPECT_EQ(t.heard, t.said);
    const Replica &other = inspect::replica(world.nodes[1].session);
    EXPECT_EQ(other.members[replica::find_member(other, mover)].identity.address, moved)
        << "the host has told it";
}

TEST(Bridge, AnAddressThatDoesNotAnswerIsNotFollowed)
{
    SimWorld world(8, {20, 20, 0, 0});
    world.add_all(2);
    ASSERT_TRUE(world.step_until_converged());
    // An on-path attacker copies each datagram and sends the copy from another address, which
    // arrives alone when the original is dropped.
    Socket *stranger = make_sim_socket(world.network, SimWorld::address_of(50));
    const ObjectId body = create(world.nodes[1].session, BODY, Body{{1, 2, 3}, 4});
    for (int i = 0; i < 60; ++i) {
        world.pass_tick_time();
        for (size_t n = 0; n < 2; ++n) {
            world.tick(world.nodes[n]);
            if (n == 1) set(world.nodes[1].session, Object<Body>{body}, Body{{1, 2, 3}, i});
            const std::span<const Datagram> sent = send(world.nodes[n].session, world.now_us);
            if (n == 1) stranger->send(sent);
            if (n == 0 || i % 3 == 0) world.nodes[n].socket->send(sent);
        }
        for (const Datagram &datagram : stranger->receive())
            EXPECT_EQ(datagram.bytes.size(), 34u) << "a challenge";
    }
    const ConnectionIndex index = session::link_to(*world.nodes[0].session, PeerId{2});
    EXPECT_EQ(connection::address(endpoint::at(*world.nodes[0].session->endpoint, index)),
              world.nodes[1].address);
    EXPECT_GT(get(world.nodes[0].session, Object<Body>{body}).health, 50) << "its copies are good";
}

// Nodes 1 and 3 have lost each other, and node 1 has a new address, which the host never saw: its
// path to node 1 is bridged by node 2, which has no path to node 3.
TEST(Bridge, TheEarlierOfAPairConnectsIfTheLaterOneKnowsAnOldAddress)
{
    SimWorld world(3);
    ASSERT_TRUE(world.open(4));
    Node &mover = world.nodes[1];
    mover.address = SimWorld::address_of(100);
    mover.socket = make_sim_socket(world.network, mover.address);
    world.cut(0, 1, true);
    world.cut(1, 3, true);
    world.cut(2, 3, true);
    for (int i = 0; i < 600; ++i)
        world.step();
    const PeerId earlier = local_peer(mover.session);
    ASSERT_EQ(peer_stats(world.nodes[3].session, earlier).received_datagrams, 0u);
    ASSERT_TRUE(is_bridged(world, 0, 1));
    world.cut(1, 3, false);
    const ObjectId body = create(mover.session, BODY, Body{{1, 2, 3}, 4});
    ASSERT_TRUE(world.step_until_converged()) << world.describe();
    EXPECT_TRUE(exists(world.nodes[3].session, body));
    EXPECT_FALSE(is_bridged(world, 1, 3));
}

// Each end knows only the address that the other one had for a while.
TEST(Bridge, TwoThatMoveBackAtOnceFindEachOther)
{
    SimWorld world(4);
    ASSERT_TRUE(world.open(2));
    Socket *homes[2], *away[2];
    for (size_t i = 0; i < 2; ++i) {
        homes[i] = world.nodes[i].socket;
        away[i] = make_sim_socket(world.network, SimWorld::address_of(60 + i));
    }
    const auto move = [&](size_t node, Socket *to, const Address &address) {
        world.nodes[node].socket = to;
        world.nodes[node].address = address;
    };
    const Address home[2] = {world.nodes[0].address, world.nodes[1].address};
    Talk t = {0, 1};
    for (size_t i = 0; i < 2; ++i) {
        move(i, away[i], SimWorld::address_of(60 + i));
        talk(world, t, 30);
    }
    for (size_t i = 0; i < 2; ++i)
        move(i, homes[i], home[i]);
    talk(world, t, 90); // 3 s; the timeout is 2 s.
    talk(world, t, 30, false);
    EXPECT_TRUE(t.in_order);
    EXPECT_EQ(t.heard, t.said);
    EXPECT_EQ(other_peers(world.nodes[0].session).size(), 1u);
}

// Only the fourth of five members has a path to the last one, and the newcomer has none.
TEST(Bridge, ANewcomerFindsTheOneRelayInTime)
{
    SimWorld world(6);
    world.config.join_timeout_ms = 3000;
    for (int i = 0; i < 5; ++i) {
        world.add();
        ASSERT_TRUE(world.step_until_open());
    }
    for (const size_t node : {0u, 1u, 2u})
        world.cut(node, 4, true);
    world.steps(120);
    Node &newcomer = world.place(world.config);
    world.cut(5, 4, true);
    join(newcomer.session, world.the_invite());
    world.steps(88); // Within 2.9 s.
    EXPECT_EQ(session_state(newcomer.session), State::open);
    EXPECT_TRUE(is_bridged(world, 5, 4));
}

// Neither the roster nor a packet names the new address of one to the other: their relay does.
TEST(Bridge, TwoRelayedOnesThatBothMoveFindADirectPathAgain)
{
    SimWorld world(5);
    ASSERT_TRUE(world.open(3));
    world.cut(0, 1, true);
    world.steps(90);
    ASSERT_TRUE(is_bridged(world, 0, 1) && is_bridged(world, 1, 0));
    for (size_t i = 0; i < 2; ++i) {
        world.nodes[i].address = SimWorld::address_of(60 + i);
        world.nodes[i].socket = make_sim_socket(world.network, world.nodes[i].address);
    }
    world.cut(0, 1, true);
    world.steps(90); // 3 s; the timeout is 2 s.
    ASSERT_TRUE(is_bridged(world, 0, 1) && is_bridged(world, 1, 0));
    world.cut(0, 1, false);
    world.steps(600);
    EXPECT_FALSE(is_bridged(world, 0, 1) || is_bridged(world, 1, 0));
}

TEST(Bridge, OnlyTheRelayOfAPathNamesTheAddressOfItsOtherEnd)
{
    SimWorld world(12, {20, 20, 0, 0});
    make(world, 4);   // The host relays between nodes 1 and 2.
    world.steps(180); // It names the addresses each 5 s.
    ASSERT_TRUE(is_bridged(world, 1, 2));
    Session &s = *world.nodes[1].session;
    const PeerId host = local_peer(world.nodes[0].session);
    const PeerId peer = local_peer(world.nodes[2].session);
    const PeerId other = local_peer(world.nodes[3].session);
    const auto relayed = [&](PeerId about) {
        return session::peer_link(s, session::link_to(s, about)).candidates.relayed;
    };
    EXPECT_EQ(relayed(peer), world.nodes[2].address);
    const auto take = [&](size_t by, PeerId about, const Address &address) {
        std::byte message[4 + 18] = {};
        message[0] = message[2] = static_cast<std::byte>(about);
        std::memcpy(message + 4, address.ip, sizeof address.ip);
        message[20] = static_cast<std::byte>(address.port);
        message[21] = static_cast<std::byte>(address.port >> 8);
        const UnreliableMessage whole = {UnreliableKind::bridged, message};
        EXPECT_TRUE(session::is_path_message(whole));
        EXPECT_FALSE(session::is_path_message({whole.kind, whole.bytes.first(21)}));
        const PeerId from = local_peer(world.nodes[by].session);
        session::take_path_message(s, session::link_to(s, from), whole, world.nodes[by].address);
    };
    take(3, peer, SimWorld::address_of(70));  // Another member.
    take(0, other, SimWorld::address_of(70)); // The path to it is direct.
    take(0, host, SimWorld::address_of(70));
    take(0, peer, address::bridged(host, peer));
    EXPECT_EQ(relayed(peer), world.nodes[2].address);
    EXPECT_EQ(relayed(other), Address{});
    EXPECT_EQ(relayed(host), Address{});
    take(0, peer, SimWorld::address_of(70));
    EXPECT_EQ(relayed(peer), SimWorld::address_of(70));
}

}
