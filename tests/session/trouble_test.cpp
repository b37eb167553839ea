// Failures that an ordinary game can meet, and the outcome that the library promises.
#include "migration/message_queue.h"
#include "migration/replica.h"
#include "tern/diagnostics.hpp"
#include "tern/host.hpp"
#include "tern/limits.hpp"
#include "tern/ownership.hpp"
#include "tern/untyped.hpp"
#include "tests/session/sim_world.h"
#include <gtest/gtest.h>

using namespace tern;
using namespace tern::test;

TEST(Trouble, TwoMembersThatLoseEachOtherAgreeAgainAfterwards)
{
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        SimWorld world(seed);
        ASSERT_TRUE(world.open(3));
        Session *b = world.nodes[1].session, *c = world.nodes[2].session;
        const ObjectId old = create(b, BODY, Body{{0, 0, 0}, 1});
        ASSERT_TRUE(world.step_until_converged());
        world.cut(1, 2, true);
        set(b, Object<Body>{old}, Body{{5, 5, 5}, 5});
        const ObjectId made = create(c, BODY, Body{{1, 1, 1}, 1});
        world.steps(100);                     // This is longer than timeout_ms.
        EXPECT_EQ(other_peers(b).size(), 2u); // Only the host removes members from the view.
        world.cut(1, 2, false);
        ASSERT_TRUE(world.step_until_converged()) << "seed " << seed << "\n" << world.describe();
        EXPECT_TRUE(exists(b, made));
        EXPECT_EQ(get(c, Object<Body>{old}).health, 5);
    }
}

// The host admits a newcomer, but the connection times out before the WELCOME gets through.
TEST(Trouble, ANewcomerThatAsksAgainOverANewConnectionIsNotBlamed)
{
    for (uint64_t seed = 1; seed <= 5; ++seed) {
        SimWorld world(seed);
        world.add();
        ASSERT_TRUE(world.step_until_open());
        world.add();
        const auto asked = static_cast<PeerId>(2);
        while (other_peers(world.nodes[0].session).empty())
            world.step();
        world.cut_one_way(0, 1, true);
        world.steps(66); // 2.2 s, a little longer than timeout_ms
        world.cut_one_way(0, 1, false);
        ASSERT_TRUE(world.step_until_open()) << "seed " << seed;
        EXPECT_EQ(local_peer(world.nodes[1].session), asked) << "seed " << seed;
        EXPECT_EQ(breach_count(peer_stats(world.nodes[0].session, asked)), 0u) << "seed " << seed;
    }
}

TEST(Trouble, ANewcomerThatLeavesAtOnceIsNoPhantom)
{
    SimWorld world(2);
    world.add();
    ASSERT_TRUE(world.step_until_open());
    world.tick_us = 300'000;
    world.add();
    for (int i = 0; i < 60 && other_peers(world.nodes[0].session).empty(); ++i)
        world.step();
    leave(world.nodes[1].session);
    world.tick_us = 33'333;
    world.steps(120);
    EXPECT_TRUE(other_peers(world.nodes[0].session).empty());
    world.add();
    world.steps(200);
    EXPECT_EQ(session_state(world.nodes[2].session), State::open);
}

// Star, seed 558678315: the JOIN of a peer that has crashed arrives after seconds.
TEST(Trouble, AJoinThatArrivesSecondsLateMakesNoMember)
{
    SimWorld world(4);
    world.add();
    ASSERT_TRUE(world.step_until_open());
    Node &newcomer = world.add();
    std::vector<std::vector<std::byte>> held; // Its data, from the JOIN on.
    for (int i = 0; i < 30; ++i) {
        world.pass_tick_time();
        for (Node &node : world.nodes) {
            world.tick(node);
            for (const Datagram &datagram : send(node.session, world.now_us)) {
                if (&node == &newcomer && datagram.bytes[0] == std::byte{4})
                    held.emplace_back(datagram.bytes.begin(), datagram.bytes.end());
                else
                    node.socket->send(std::span(&datagram, 1));
            }
        }
    }
    ASSERT_FALSE(held.empty());
    newcomer.crashed = true;
    world.steps(40); // 1.3 s, less than timeout_ms.
    for (const std::vector<std::byte> &bytes : held) {
        const Datagram datagram = {world.nodes[0].address, bytes};
        newcomer.socket->send(std::span(&datagram, 1));
    }
    for (int i = 0; i < 150; ++i) {
        world.step();
        ASSERT_TRUE(other_peers(world.nodes[0].session).empty()) << "tick " << i;
    }
    EXPECT_EQ(session_stats(world.nodes[0].session).bad_datagrams, 0u);
}

TEST(Trouble, AdmittingTwiceIsAdmittingOnce)
{
    SimWorld world(3);
    world.config.admission = Admission::ask_game;
    world.add_all(2);
    world.steps(100, [&](size_t node, const Event &event) {
        if (event.kind != EventKind::join_asked) return;
        admit(world.nodes[node].session, event.newcomer.peer);
        admit(world.nodes[node].session, event.newcomer.peer);
        refuse(world.nodes[node].session, event.newcomer.peer, "too late");
    });
    EXPECT_EQ(session_state(world.nodes[1].session), State::open);
    EXPECT_EQ(other_peers(world.nodes[0].session).size(), 1u);
}

TEST(Trouble, WhatIsSaidBeforeLeavingArrives)
{
    SimWorld world(4, {20, 90, 0.2f, 0});
    ASSERT_TRUE(world.open(2));
    Session *leaver = world.nodes[1].session;
    const ObjectId id = create(leaver, BODY, Body{});
    ASSERT_TRUE(world.step_until_converged());
    ASSERT_TRUE(call(leaver, host_peer(leaver), HIT, Hit{id, 7}));
    set(leaver, Object<Body>{id}, Body{{0, 0, 0}, 77});
    leave(leaver);
    int calls = 0;
    world.steps(200, [&](size_t node, const Event &event) {
        calls += node == 0 && event.kind == EventKind::call;
    });
    EXPECT_EQ(calls, 1);
    ASSERT_TRUE(exists(world.nodes[0].session, id));
    EXPECT_EQ(get(world.nodes[0].session, Object<Body>{id}).health, 77);
}

TEST(Trouble, ADestroyedObjectStaysReadableWhileOthersAreCreated)
{
    SimWorld world(5);
    ASSERT_TRUE(world.open(2));
    Session *a = world.nodes[0].session, *b = world.nodes[1].session;
    const ObjectId id = create(a, BODY, Body{{0, 0, 0}, 42});
    ASSERT_TRUE(world.step_until_converged());
    destroy(a, id);
    bool seen = false;
    world.steps(60, [&](size_t node, const Event &event) {
        if (node != 1 || event.kind != EventKind::object_destroyed) return;
        const Body &old = get(b, Object<Body>{id});
        const ObjectId next = create(b, BODY, old);
        EXPECT_EQ(get(b, Object<Body>{next}).health, 42);
        EXPECT_EQ(old.health, 42);
        seen = true;
    });
    EXPECT_TRUE(seen);
}

TEST(Trouble, WhenTheGameGivesAnObjectToAnotherTheClaimersAreRefused)
{
    SimWorld world(6);
    ASSERT_TRUE(world.open(3));
    const ObjectId door = create(world.nodes[0].session, DOOR, Name{"door"});
    ASSERT_TRUE(world.step_until_converged());
    claim(world.nodes[1].session, door);
    std::vector<ClaimRefusal> refusals;
    world.steps(100, [&](size_t node, const Event &event) {
        if (node == 0 && event.kind == EventKind::claim_asked)
            migrate(world.nodes[0].session, door, local_peer(world.nodes[2].session));
        if (node == 1 && event.kind == EventKind::claim_refused)
            refusals.push_back(event.claim.refusal);
    });
    EXPECT_EQ(refusals, std::vector<ClaimRefusal>{ClaimRefusal::overtaken});
    EXPECT_EQ(object_owner(world.nodes[1].session, door), local_peer(world.nodes[2].session));
}

TEST(Trouble, OtherLimitsAreRefusedWithWords)
{
    SimWorld world(7);
    world.add();
    world.config.peers_max = 2;
    world.add();
    world.steps(100);
    EXPECT_EQ(session_state(world.nodes[1].session), State::refused_types);
    EXPECT_NE(std::string(state_text(world.nodes[1].session)).find("peers_max is 16"),
              std::string::npos)
        << state_text(world.nodes[1].session);
}

TEST(Trouble, TheLastAddressOfAnInviteIsTriedToo)
{
    SimWorld world(8);
    world.add();
    world.add_by_last_address(4);
    EXPECT_TRUE(world.step_until_open(900));
}

TEST(Trouble, AFloodOfCallsDoesNotKeepTheHostFromTheOthers)
{
    SimWorld world(9);
    ASSERT_TRUE(world.open(3));
    const ObjectId id = create(world.nodes[2].session, BODY, Body{});
    int seen_at = -1;
    for (int i = 0; i < 60; ++i) {
        world.step([&](size_t node, const std::vector<Event> &) {
            if (node != 1) return;
            for (int k = 0; k < 5000; ++k)
                if (!call(world.nodes[1].session, host_peer(world.nodes[1].session), HIT,
                          Hit{id, k}))
                    break;
        });
        if (seen_at < 0 && exists(world.nodes[0].session, id)) seen_at = i;
    }
    EXPECT_GE(seen_at, 0);
    EXPECT_LT(seen_at, 10);
}

// Ticks during which this node sends no reliable message to the host, though its connection stays
// alive.
static void steps_in_silence(SimWorld &world, size_t silent, int count)
{
    for (int i = 0; i < count; ++i)
        world.step([&](size_t node, const std::vector<Event> &) {
            Session *session = world.nodes[silent].session;
            auto &r = const_cast<Replica &>(inspect::replica(session));
            const MemberSlot host = replica::find_member(r, replica::host(r));
            if (node == silent && host != no_member) message_queue::clear(r, host);
        });
}

TEST(Trouble, AMemberThatAnswersNoQueryIsGivenUpAndTheDepartureEnds)
{
    SimWorld world(31);
    ASSERT_TRUE(world.open(5));
    Session *host_part = world.nodes[0].session;
    const ObjectId orphan = create(world.nodes[2].session, BODY, Body{});
    ASSERT_TRUE(world.step_until_converged());
    steps_in_silence(world, 1,
                     120); // No member awaits an answer of it, so its silence has no effect.
    EXPECT_EQ(other_peers(host_part).size(), 4u);
    world.nodes[2].crashed = true;
    steps_in_silence(world, 1, 90); // After timeout_ms the crash is noticed.
    EXPECT_EQ(other_peers(host_part).size(), 3u);
    EXPECT_EQ(object_owner(host_part, orphan), local_peer(world.nodes[2].session));
    const PeerId former = local_peer(world.nodes[1].session);
    for (int i = 0; i < 200 && other_peers(host_part).size() == 3; ++i)
        steps_in_silence(world, 1, 1); // It may take three times timeout_ms to answer a QUERY.
    EXPECT_EQ(other_peers(host_part).size(), 2u);
    world.steps(60);
    EXPECT_EQ(session_state(world.nodes[1].session), State::open);
    EXPECT_NE(local_peer(world.nodes[1].session), former);
    ASSERT_TRUE(world.step_until_converged()) << world.describe();
    EXPECT_EQ(object_owner(world.nodes[3].session, orphan), local_peer(host_part));
}

TEST(Trouble, ANewcomerThatNeverCatchesUpIsGivenUp)
{
    SimWorld world(32);
    world.config.join_timeout_ms = 3000;
    ASSERT_TRUE(world.open(2));
    Config patient = world.config;
    patient.join_timeout_ms = 60'000;
    Session *newcomer = world.place(patient).session;
    join(newcomer, world.the_invite());
    for (int i = 0; i < 100 && local_peer(newcomer) == PeerId::none; ++i)
        world.step();
    ASSERT_EQ(session_state(newcomer), State::joining);
    const PeerId former = local_peer(newcomer);
    steps_in_silence(world, 2, 60);
    EXPECT_EQ(other_peers(world.nodes[0].session).size(), 2u);
    for (int i = 0; i < 60 && other_peers(world.nodes[0].session).size() == 2; ++i)
        steps_in_silence(world, 2, 1);
    EXPECT_EQ(other_peers(world.nodes[0].session).size(), 1u);
    world.steps(60);
    EXPECT_EQ(session_state(newcomer), State::open); // It has joined again.
    EXPECT_NE(local_peer(newcomer), former);
}

// Keeps node 1 from its own session, and sends the host a ping of it now and then.
static void steps_without_acks(SimWorld &world, int count)
{
    Node &node = world.nodes[1];
    node.crashed = true;
    const std::byte ping[] = {std::byte{4}};
    for (int i = 0; i < count; ++i) {
        std::byte buffer[datagram_bytes_max];
        if (i % 10 == 0) {
            const Datagram sealed =
                inspect::seal(node.session, local_peer(world.nodes[0].session), ping, buffer);
            node.socket->send(std::span(&sealed, 1));
        }
        world.step();
    }
}

TEST(Trouble, WhoAcksNoViewOfANewcomerIsGivenUpInItsPlace)
{
    for (const Topology topology : {Topology::mesh, Topology::star}) {
        SimWorld world(35, {20, 60, 0, 0});
        world.config.topology = topology;
        world.config.join_timeout_ms = 6000;
        ASSERT_TRUE(world.open(4));
        Session *host_part = world.nodes[0].session;
        const PeerId stalling = local_peer(world.nodes[1].session);
        steps_without_acks(world, 300);
        EXPECT_EQ(other_peers(host_part).size(), 3u) << "nobody waits for it";
        Node &newcomer = world.place(world.config);
        join(newcomer.session, world.the_invite());
        steps_without_acks(world, 80);
        EXPECT_EQ(session_state(newcomer.session), State::joining);
        steps_without_acks(world, 30);
        EXPECT_EQ(session_state(newcomer.session), State::open);
        EXPECT_FALSE(replica::is_member(inspect::replica(host_part), stalling));
        EXPECT_EQ(other_peers(host_part).size(), 3u);
    }
}

// Others leave one after the other, and each departure has a query of its own.
// One that takes no calls keeps those that call it waiting, until it is removed.
TEST(Trouble, WhoTakesNoCallsOfAStarIsGivenUp)
{
    SimWorld world(36, {20, 60, 0, 0});
    world.config.topology = Topology::star;
    ASSERT_TRUE(world.open(4));
    Session *caller = world.nodes[2].session;
    const PeerId stalling = local_peer(world.nodes[1].session);
    steps_without_acks(world, 200);
    ASSERT_TRUE(replica::is_member(inspect::replica(world.nodes[0].session), stalling))
        << "nobody waits for it";
    int32_t calls = 0;
    while (call(caller, stalling, HIT, Hit{ObjectId::none, calls}))
        calls += 1;
    EXPECT_GT(calls, 1000);
    int removed_after = 0, in_vain = 0;
    for (int step = 1; step < 400 && removed_after == 0; ++step) {
        steps_without_acks(world, 1);
        in_vain += !call(caller, stalling, HIT, Hit{ObjectId::none, 0});
        if (!replica::is_member(inspect::replica(world.nodes[0].session), stalling))
            removed_after = step;
    }
    EXPECT_GT(in_vain, 0);
    EXPECT_GT(removed_after, 3 * static_cast<int>(world.config.timeout_ms) / 34);
    EXPECT_LT(removed_after, 4 * static_cast<int>(world.config.timeout_ms) / 33);
    world.steps(5);
    EXPECT_EQ(other_peers(caller).size(), 2u);
    EXPECT_TRUE(call(caller, local_peer(world.nodes[3].session), HIT, Hit{ObjectId::none, 1}));
}

TEST(Trouble, FurtherDeparturesGiveNoTimeToWhoAnswersNoQuery)
{
    SimWorld world(36);
    ASSERT_TRUE(world.open(8));
    Session *host_part = world.nodes[0].session;
    const PeerId silent = local_peer(world.nodes[1].session);
    steps_in_silence(world, 1, 30);
    for (size_t node = 2; node < 6; ++node) {
        leave(world.nodes[node].session);
        steps_in_silence(world, 1, 44); // 1.5 s; three times timeout_ms are 6 s.
    }
    EXPECT_TRUE(replica::is_member(inspect::replica(host_part), silent));
    steps_in_silence(world, 1, 30);
    EXPECT_FALSE(replica::is_member(inspect::replica(host_part), silent));
    world.steps(30);
    EXPECT_EQ(session_state(world.nodes[6].session), State::open);
}

struct Photo {
    uint8_t pixels[600];
};
static const Field photo_fields[] = {{"pixels", FieldKind::bytes, 0, sizeof(Photo::pixels)}};
static const Type photo_types[] = {{"photo", sizeof(Photo), photo_fields, 256}};

// The answer takes far longer than timeout_ms. As long as parts of it arrive, the member is alive.
TEST(Trouble, AMemberWithALongAnswerAndASlowLineIsWaitedFor)
{
    SimWorld world(33);
    world.config.types = photo_types;
    world.add_all(2);
    Config slow = world.config;
    slow.send_bytes_per_second_max = 4096;
    join(world.place(slow).session, world.the_invite());
    ASSERT_TRUE(world.step_until_open());
    Session *host_part = world.nodes[0].session, *rich = world.nodes[1].session;
    for (int i = 0; i < 60; ++i)
        create(rich, 0, Photo{{static_cast<uint8_t>(i)}});
    ASSERT_TRUE(world.step_until_converged());
    world.nodes[1].crashed = true;
    // Twice timeout_ms: the departure is noticed, and the answer takes longer than timeout_ms.
    world.steps(120);
    EXPECT_EQ(other_peers(host_part).size(), 1u);
    // The host still waits for the answer, so it has not adopted the orphans.
    EXPECT_NE(object_owner(host_part, object_ids(host_part, 0)[0]), local_peer(host_part));
    for (int i = 0; i < 600 && session_stats(host_part).owned < 60; ++i)
        world.step();
    EXPECT_EQ(session_stats(host_part).owned, 60u);
    ASSERT_TRUE(world.step_until_converged()) << world.describe();
    EXPECT_EQ(other_peers(host_part).size(), 1u);
    EXPECT_EQ(session_state(world.nodes[2].session), State::open);
}
