// Failures that an ordinary game can meet, and the outcome that the library promises.
#include "migration/replica.h"
#include "tests/session/sim_world.h"
#include <gtest/gtest.h>

using namespace tern;
using namespace tern::test;

static void cut_both_ways(SimWorld &world, size_t a, size_t b, bool cut)
{
    set_cut(world.network, world.nodes[a].address, world.nodes[b].address, cut);
    set_cut(world.network, world.nodes[b].address, world.nodes[a].address, cut);
}

static void steps(SimWorld &world, int count)
{
    for (int i = 0; i < count; ++i)
        world.step();
}

TEST(Trouble, TwoMembersThatLoseEachOtherAgreeAgainAfterwards)
{
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        SimWorld world(seed);
        for (int i = 0; i < 3; ++i)
            world.add();
        ASSERT_TRUE(world.step_until_open());
        Session *b = world.nodes[1].session, *c = world.nodes[2].session;
        const ObjectId old = create(b, BODY, Body{{0, 0, 0}, 1});
        ASSERT_TRUE(world.step_until_converged());
        cut_both_ways(world, 1, 2, true);
        set(b, old, Body{{5, 5, 5}, 5});
        const ObjectId made = create(c, BODY, Body{{1, 1, 1}, 1});
        steps(world, 100);                    // This is longer than timeout_ms.
        EXPECT_EQ(other_peers(b).size(), 2u); // Only the host removes members from the view.
        cut_both_ways(world, 1, 2, false);
        ASSERT_TRUE(world.step_until_converged()) << "seed " << seed << "\n" << world.describe();
        EXPECT_TRUE(exists(b, made));
        EXPECT_EQ(get<Body>(c, old).health, 5);
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
        set_cut(world.network, world.nodes[0].address, world.nodes[1].address, true);
        steps(world, 66); // 2.2 s, a little longer than timeout_ms
        set_cut(world.network, world.nodes[0].address, world.nodes[1].address, false);
        ASSERT_TRUE(world.step_until_open()) << "seed " << seed;
        EXPECT_EQ(local_peer(world.nodes[1].session), asked) << "seed " << seed;
        EXPECT_EQ(peer_stats(world.nodes[0].session, asked).bad_messages, 0u) << "seed " << seed;
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
    steps(world, 120);
    EXPECT_TRUE(other_peers(world.nodes[0].session).empty());
    world.add();
    for (int i = 0; i < 200; ++i)
        world.step();
    EXPECT_EQ(session_state(world.nodes[2].session), State::open);
}

TEST(Trouble, AdmittingTwiceIsAdmittingOnce)
{
    SimWorld world(3);
    world.config.admission = Admission::ask_game;
    world.add();
    world.add();
    for (int i = 0; i < 100; ++i)
        world.step([&](size_t node, const std::vector<Event> &events) {
            for (const Event &event : events) {
                if (event.kind != EventKind::join_asked) continue;
                admit(world.nodes[node].session, event.peer);
                admit(world.nodes[node].session, event.peer);
                refuse(world.nodes[node].session, event.peer, "too late");
            }
        });
    EXPECT_EQ(session_state(world.nodes[1].session), State::open);
    EXPECT_EQ(other_peers(world.nodes[0].session).size(), 1u);
}

TEST(Trouble, WhatIsSaidBeforeLeavingArrives)
{
    SimWorld world(4, {20, 90, 0.2f, 0});
    world.add();
    world.add();
    ASSERT_TRUE(world.step_until_open());
    Session *leaver = world.nodes[1].session;
    const ObjectId id = create(leaver, BODY, Body{});
    ASSERT_TRUE(world.step_until_converged());
    ASSERT_TRUE(call(leaver, host_peer(leaver), HIT, Hit{id, 7}));
    set(leaver, id, Body{{0, 0, 0}, 77});
    leave(leaver);
    int calls = 0;
    for (int i = 0; i < 200; ++i)
        world.step([&](size_t node, const std::vector<Event> &events) {
            for (const Event &event : events)
                calls += node == 0 && event.kind == EventKind::call;
        });
    EXPECT_EQ(calls, 1);
    ASSERT_TRUE(exists(world.nodes[0].session, id));
    EXPECT_EQ(get<Body>(world.nodes[0].session, id).health, 77);
}

TEST(Trouble, ADestroyedObjectStaysReadableWhileOthersAreCreated)
{
    SimWorld world(5);
    world.add();
    world.add();
    ASSERT_TRUE(world.step_until_open());
    Session *a = world.nodes[0].session, *b = world.nodes[1].session;
    const ObjectId id = create(a, BODY, Body{{0, 0, 0}, 42});
    ASSERT_TRUE(world.step_until_converged());
    destroy(a, id);
    bool seen = false;
    for (int i = 0; i < 60; ++i)
        world.step([&](size_t node, const std::vector<Event> &events) {
            for (const Event &event : events) {
                if (node != 1 || event.kind != EventKind::object_destroyed) continue;
                const Body &old = get<Body>(b, id);
                const ObjectId next = create(b, BODY, old);
                EXPECT_EQ(get<Body>(b, next).health, 42);
                EXPECT_EQ(old.health, 42);
                seen = true;
            }
        });
    EXPECT_TRUE(seen);
}

TEST(Trouble, WhenTheGameGivesAnObjectToAnotherTheClaimersAreRefused)
{
    SimWorld world(6);
    for (int i = 0; i < 3; ++i)
        world.add();
    ASSERT_TRUE(world.step_until_open());
    const ObjectId door = create(world.nodes[0].session, DOOR, Name{"door"});
    ASSERT_TRUE(world.step_until_converged());
    claim(world.nodes[1].session, door);
    std::vector<ClaimRefusal> refusals;
    for (int i = 0; i < 100; ++i)
        world.step([&](size_t node, const std::vector<Event> &events) {
            for (const Event &event : events) {
                if (node == 0 && event.kind == EventKind::claim_asked)
                    migrate(world.nodes[0].session, door, local_peer(world.nodes[2].session));
                if (node == 1 && event.kind == EventKind::claim_refused)
                    refusals.push_back(event.refusal);
            }
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
    steps(world, 100);
    EXPECT_EQ(session_state(world.nodes[1].session), State::refused_types);
    EXPECT_NE(std::string(state_text(world.nodes[1].session)).find("peers_max is 16"),
              std::string::npos)
        << state_text(world.nodes[1].session);
}

TEST(Trouble, TheLastAddressOfAnInviteIsTriedToo)
{
    SimWorld world(8);
    world.add();
    Node &newcomer = world.place(world.config);
    Invite invite = world.the_invite();
    invite.address_count = 4;
    invite.addresses[3] = invite.addresses[0];
    for (size_t i = 0; i < 3; ++i)
        invite.addresses[i] = SimWorld::address_of(200 + i); // Nobody listens at these addresses.
    join(newcomer.session, invite);
    EXPECT_TRUE(world.step_until_open(900));
}

TEST(Trouble, AFloodOfCallsDoesNotKeepTheHostFromTheOthers)
{
    SimWorld world(9);
    for (int i = 0; i < 3; ++i)
        world.add();
    ASSERT_TRUE(world.step_until_open());
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

// From here on the session sends no reliable message to the host, but its connection stays alive.
static void fall_silent(Session *session)
{
    auto &r = const_cast<Replica &>(inspect::replica(session));
    ItemRing &ring = r.rings[replica::find_member(r, replica::host(r))];
    ring.overflow = ring.given_up = true;
}

TEST(Trouble, AMemberThatAnswersNoQueryIsGivenUpAndTheDepartureEnds)
{
    SimWorld world(31);
    for (int i = 0; i < 5; ++i)
        world.add();
    ASSERT_TRUE(world.step_until_open());
    Session *host_part = world.nodes[0].session;
    const ObjectId orphan = create(world.nodes[2].session, BODY, Body{});
    ASSERT_TRUE(world.step_until_converged());
    fall_silent(world.nodes[1].session);
    steps(world, 120); // No member awaits an answer of it, so its silence has no effect.
    EXPECT_EQ(other_peers(host_part).size(), 4u);
    world.nodes[2].crashed = true;
    steps(world, 90); // After timeout_ms the crash is noticed.
    EXPECT_EQ(other_peers(host_part).size(), 3u);
    EXPECT_EQ(object_owner(host_part, orphan), local_peer(world.nodes[2].session));
    steps(world, 200); // A member may take three times timeout_ms to answer a QUERY.
    EXPECT_EQ(other_peers(host_part).size(), 2u);
    EXPECT_EQ(session_state(world.nodes[1].session), State::removed);
    ASSERT_TRUE(world.step_until_converged()) << world.describe();
    EXPECT_EQ(object_owner(world.nodes[3].session, orphan), local_peer(host_part));
}

TEST(Trouble, ANewcomerThatNeverCatchesUpIsGivenUp)
{
    SimWorld world(32);
    world.config.join_timeout_ms = 3000;
    world.add();
    world.add();
    ASSERT_TRUE(world.step_until_open());
    Config patient = world.config;
    patient.join_timeout_ms = 60'000;
    Session *newcomer = world.place(patient).session;
    join(newcomer, world.the_invite());
    for (int i = 0; i < 100 && local_peer(newcomer) == PeerId::none; ++i)
        world.step();
    ASSERT_EQ(session_state(newcomer), State::joining);
    fall_silent(newcomer);
    steps(world, 60);
    EXPECT_EQ(other_peers(world.nodes[0].session).size(), 2u);
    steps(world, 60);
    EXPECT_EQ(other_peers(world.nodes[0].session).size(), 1u);
    EXPECT_EQ(session_state(newcomer), State::removed);
}

struct Photo {
    uint8_t pixels[600];
};
static const Field photo_fields[] = {{"pixels", FieldKind::bytes, 0, sizeof(Photo::pixels)}};
static const Type photo_types[] = {{"photo", sizeof(Photo), photo_fields, 64}};

// The answer takes far longer than timeout_ms. As long as parts of it arrive, the member is alive.
TEST(Trouble, AMemberWithALongAnswerAndASlowLineIsWaitedFor)
{
    SimWorld world(33);
    world.config.types = photo_types;
    for (int i = 0; i < 2; ++i)
        world.add();
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
    steps(world, 120);
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
