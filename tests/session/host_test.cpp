// The host leaves, dies or is cut off, and another member takes over.
#include "migration/replica.h"
#include "tern/diagnostics.hpp"
#include "tern/invites.hpp"
#include "tern/ownership.hpp"
#include "tern/prediction.hpp"
#include "tern/untyped.hpp"
#include "tests/session/sim_world.h"
#include <gtest/gtest.h>

using namespace tern;
using namespace tern::test;

namespace {

constexpr auto first = static_cast<PeerId>(1), second = static_cast<PeerId>(2),
               third = static_cast<PeerId>(3), fourth = static_cast<PeerId>(4);

struct Hosts : testing::Test {
    // The events of each node since the vector was last cleared.
    std::vector<std::vector<Event>> heard;

    void step(SimWorld &world)
    {
        world.step([&](size_t node, const std::vector<Event> &events) {
            heard.resize(std::max(heard.size(), node + 1));
            heard[node].insert(heard[node].end(), events.begin(), events.end());
        });
    }
    void steps(SimWorld &world, int count)
    {
        for (int i = 0; i < count; ++i)
            step(world);
    }
    bool steps_until_host(SimWorld &world, PeerId wanted, int steps_max)
    {
        for (int i = 0; i < steps_max; ++i) {
            bool all = true;
            for (const Node &node : world.nodes)
                all = all && (!node.active() || host_peer(node.session) == wanted);
            if (all) return true;
            step(world);
        }
        return false;
    }
    int count(size_t node, EventKind kind) const
    {
        int count = 0;
        for (const Event &event : heard[node])
            count += event.kind == kind;
        return count;
    }
    size_t place(size_t node, EventKind kind) const
    {
        size_t i = 0;
        while (i < heard[node].size() && heard[node][i].kind != kind)
            ++i;
        return i;
    }
    void expect_one_change_of_host(size_t node) const
    {
        EXPECT_EQ(count(node, EventKind::host_lost), 1) << "node " << node;
        EXPECT_EQ(count(node, EventKind::host_changed), 1) << "node " << node;
        const size_t lost = place(node, EventKind::host_lost);
        const size_t changed = place(node, EventKind::host_changed);
        EXPECT_LT(lost, changed) << "node " << node;
        EXPECT_LT(changed, place(node, EventKind::owner_changed)) << "node " << node;
    }
};

// Adds nodes one after the other, so node i is peer i + 1. Returns false if one does not open.
bool make(SimWorld &world, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        world.add();
        if (!world.step_until_open()) return false;
    }
    return world.step_until_converged();
}

// Does the same and then creates a body with health 1 at node `owner`, which all nodes get. Returns
// none if that fails.
ObjectId make_with_body(SimWorld &world, size_t count, size_t owner)
{
    if (!make(world, count)) return ObjectId::none;
    const ObjectId body = create(world.nodes[owner].session, BODY, Body{{0, 0, 0}, 1});
    return world.step_until_converged() ? body : ObjectId::none;
}

// world_types, with this rule for the orphans of BODY.
std::vector<Type> types_with(Orphan orphan)
{
    std::vector<Type> types(std::begin(world_types), std::end(world_types));
    types[BODY].orphan = orphan;
    return types;
}

}

TEST_F(Hosts, AHostThatLeavesLosesNothing)
{
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        SimWorld world(seed, {20, 80, 0.1f, 0.05f});
        ASSERT_TRUE(make(world, 4));
        Session *old = world.nodes[0].session;
        const ObjectId body = create(old, BODY, Body{{0, 0, 0}, 1});
        ASSERT_TRUE(world.step_until_converged());
        set(old, Object<Body>{body}, Body{{9, 9, 9}, 99});
        const ObjectId late = create(old, BODY, Body{{1, 1, 1}, 7});
        leave(old);
        heard.clear();
        const uint64_t left_us = world.now_us;
        ASSERT_TRUE(steps_until_host(world, second, 120)) << "seed " << seed << world.describe();
        // The host announces its departure, so the others need not wait for a timeout.
        EXPECT_LT(world.now_us - left_us, 2'500'000u);
        steps(world, 60);
        EXPECT_EQ(session_state(old), State::left);
        ASSERT_TRUE(world.step_until_converged()) << "seed " << seed << world.describe();
        for (size_t i = 1; i < 4; ++i) {
            Session *here = world.nodes[i].session;
            ASSERT_TRUE(exists(here, body) && exists(here, late)) << "seed " << seed;
            EXPECT_EQ(get(here, Object<Body>{body}).health, 99);
            EXPECT_EQ(object_owner(here, body), second);
            expect_one_change_of_host(i);
            for (const Event &event : heard[i]) {
                EXPECT_TRUE(event.kind != EventKind::owner_changed || event.owner.lost_ticks == 0);
            }
        }
    }
}

TEST_F(Hosts, WhenTheHostDiesTheNextFollows)
{
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        SimWorld world(seed, {20, 80, 0.1f, 0});
        ASSERT_TRUE(make(world, 4));
        const ObjectId body = create(world.nodes[0].session, BODY, Body{{0, 0, 0}, 1});
        create(world.nodes[2].session, BODY, Body{{0, 0, 0}, 3});
        ASSERT_TRUE(world.step_until_converged());
        world.nodes[0].crashed = true;
        heard.clear();
        const uint64_t died_us = world.now_us;
        ASSERT_TRUE(steps_until_host(world, second, 300)) << world.describe();
        // timeout_ms, and 1.2 s in which the members notice it and the QUERY is answered.
        EXPECT_LT(world.now_us - died_us, 2'000'000u + 1'200'000u) << "seed " << seed;
        steps(world, 60);
        ASSERT_TRUE(world.step_until_converged()) << world.describe();
        for (size_t i = 1; i < 4; ++i) {
            EXPECT_EQ(object_owner(world.nodes[i].session, body), second);
            EXPECT_EQ(other_peers(world.nodes[i].session).size(), 2u);
            expect_one_change_of_host(i);
        }
        // The session still works: a newcomer joins and claims an object.
        Node &late = world.place(world.config);
        const Address at = world.nodes[1].address;
        join(late.session, make_invite(world.nodes[1].session, std::span(&at, 1)));
        ASSERT_TRUE(world.step_until_open()) << state_text(late.session);
        claim(late.session, body);
        ASSERT_TRUE(world.step_until_converged());
        EXPECT_EQ(object_owner(world.nodes[2].session, body), local_peer(late.session));
    }
}

TEST_F(Hosts, TheHostAndTheNextDie)
{
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        SimWorld world(seed, {20, 80, 0.05f, 0});
        const ObjectId body = make_with_body(world, 6, 1);
        ASSERT_NE(body, ObjectId::none);
        world.nodes[seed % 2].crashed = true;
        steps(world, 3); // 100 ms
        world.nodes[1 - seed % 2].crashed = true;
        heard.clear();
        const uint64_t died_us = world.now_us;
        ASSERT_TRUE(steps_until_host(world, third, 300)) << "seed " << seed << world.describe();
        EXPECT_LT(world.now_us - died_us, 2'000'000u + 2'200'000u) << "seed " << seed;
        steps(world, 60);
        ASSERT_TRUE(world.step_until_converged()) << "seed " << seed << world.describe();
        for (size_t i = 2; i < 6; ++i) {
            EXPECT_EQ(object_owner(world.nodes[i].session, body), third);
            EXPECT_EQ(other_peers(world.nodes[i].session).size(), 3u);
            EXPECT_EQ(count(i, EventKind::host_lost), 1) << "node " << i;
            EXPECT_EQ(count(i, EventKind::host_changed), 1) << "node " << i;
        }
    }
}

TEST_F(Hosts, OfTwoTheGuestWaitsAndThenGoesOn)
{
    SimWorld world(3);
    world.config.go_on_after_ms = 2000;
    ASSERT_TRUE(make(world, 2));
    Session *left = world.nodes[1].session;
    const ObjectId body = create(world.nodes[0].session, BODY, Body{{0, 0, 0}, 1});
    ASSERT_TRUE(world.step_until_converged());
    world.nodes[0].crashed = true;
    steps(world, 90);
    ASSERT_EQ(session_state(left), State::cut_off) << state_text(left);
    EXPECT_EQ(get(left, Object<Body>{body}).health, 1);
    EXPECT_EQ(create(left, BODY, Body{}), ObjectId::none);
    EXPECT_EQ(creations_left(left, BODY), 0u);
    EXPECT_FALSE(claim(left, body));
    EXPECT_FALSE(may_set(left, body));
    steps(world, 120);
    EXPECT_EQ(session_state(left), State::open);
    EXPECT_EQ(host_peer(left), second);
    EXPECT_EQ(object_owner(left, body), second);
    set(left, Object<Body>{body}, Body{{0, 0, 0}, 2});
    expect_one_change_of_host(1);
}

TEST_F(Hosts, TheMajorityGoesOnAndTheSingleHostWaits)
{
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        SimWorld world(seed);
        ASSERT_TRUE(make(world, 3));
        Session *alone = world.nodes[0].session;
        const ObjectId own = create(alone, BODY, Body{{0, 0, 0}, 1});
        const ObjectId others = create(world.nodes[1].session, BODY, Body{{0, 0, 0}, 2});
        claim(world.nodes[2].session, own); // The first host grants `own` before it is cut off.
        ASSERT_TRUE(world.step_until_converged());
        world.cut(0, 1, true);
        world.cut(0, 2, true);
        heard.clear();
        steps(world, 200);
        EXPECT_EQ(session_state(alone), State::cut_off) << state_text(alone);
        ASSERT_TRUE(world.step_until_converged()) << "seed " << seed << world.describe();
        EXPECT_EQ(host_peer(world.nodes[2].session), second);
        EXPECT_EQ(object_owner(world.nodes[1].session, own), third);

        heard.clear();
        const std::string former = to_text(world.the_invite_of(1)).text;
        go_on(alone);
        EXPECT_EQ(session_state(alone), State::open);
        steps(world, 10);
        EXPECT_EQ(session_state(alone), State::open) << state_text(alone);
        EXPECT_TRUE(other_peers(alone).empty());
        EXPECT_EQ(host_peer(alone), local_peer(alone));
        EXPECT_EQ(object_owner(alone, own), first);
        EXPECT_EQ(object_owner(alone, others), first);
        EXPECT_EQ(count(0, EventKind::owner_changed), 2);
        set(alone, Object<Body>{others}, Body{{0, 0, 0}, 22});
        EXPECT_NE(to_text(world.the_invite()).text, former);
        // A newcomer can join it, and receives what happened since.
        Session *newcomer = world.place(world.config).session;
        join(newcomer, world.the_invite());
        for (int i = 0; i < 200 && session_state(newcomer) != State::open; ++i)
            step(world);
        ASSERT_EQ(session_state(newcomer), State::open) << state_text(newcomer);
        EXPECT_EQ(get(newcomer, Object<Body>{others}).health, 22);
        EXPECT_EQ(object_owner(newcomer, own), first);
        EXPECT_EQ(other_peers(world.nodes[1].session).size(), 1u);
    }
}

TEST_F(Hosts, WithSurvivorsEverybodyGoesOn)
{
    SimWorld world(5);
    world.config.quorum = Quorum::survivors;
    ASSERT_TRUE(make(world, 4));
    world.nodes[0].crashed = world.nodes[1].crashed = world.nodes[2].crashed = true;
    steps(world, 200);
    EXPECT_EQ(session_state(world.nodes[3].session), State::open);
    EXPECT_EQ(host_peer(world.nodes[3].session), fourth);
}

TEST_F(Hosts, WhoAloneDoesNotHearTheHostIsCountedOut)
{
    for (const size_t deaf : {size_t{1}, size_t{2}, size_t{3}}) {
        SimWorld world(7 + deaf);
        const ObjectId body = make_with_body(world, 4, deaf);
        ASSERT_NE(body, ObjectId::none);
        // No datagram reaches it, so no member could relay to it either.
        for (size_t i = 0; i < 4; ++i)
            if (i != deaf) world.cut_one_way(i, deaf, true);
        heard.clear();
        steps(world, 300);
        const State end = session_state(world.nodes[deaf].session);
        EXPECT_TRUE(end == State::removed || end == State::cut_off) << static_cast<int>(end);
        ASSERT_TRUE(world.step_until_converged()) << "deaf " << deaf << world.describe();
        for (size_t i = 0; i < 4; ++i) {
            if (i == deaf) continue;
            EXPECT_EQ(host_peer(world.nodes[i].session), first) << "deaf " << deaf;
            EXPECT_EQ(object_owner(world.nodes[i].session, body), first);
            EXPECT_EQ(count(i, EventKind::host_lost), 0) << "deaf " << deaf << " node " << i;
        }
    }
}

TEST_F(Hosts, ANewcomerWhoseHostDiesStartsOverAndComesIn)
{
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        SimWorld world(seed);
        const ObjectId body = make_with_body(world, 3, 1);
        ASSERT_NE(body, ObjectId::none);
        Node &node = world.add();
        Session *newcomer = node.session;
        // The host admits the newcomer, but the third member cannot send it its world sync.
        world.cut(2, 3, true);
        for (int i = 0; i < 60 && local_peer(newcomer) == PeerId::none; ++i)
            step(world);
        ASSERT_EQ(session_state(newcomer), State::joining) << "seed " << seed;
        steps(world, static_cast<int>(seed % 7));
        world.nodes[0].crashed = true;
        world.cut(2, 3, false);
        heard.clear();
        for (int i = 0; i < 400 && session_state(newcomer) == State::joining; ++i)
            step(world);
        ASSERT_EQ(session_state(newcomer), State::open) << "seed " << seed << state_text(newcomer);
        ASSERT_TRUE(world.step_until_converged()) << "seed " << seed << world.describe();
        EXPECT_EQ(host_peer(newcomer), second);
        EXPECT_EQ(get(newcomer, Object<Body>{body}).health, 1);
        EXPECT_EQ(other_peers(world.nodes[1].session).size(), 2u);
        EXPECT_EQ(breach_count(peer_stats(world.nodes[1].session, local_peer(newcomer))), 0u);
    }
}

TEST_F(Hosts, ANewcomerThatKnowsNobodyElseIsToldSo)
{
    SimWorld world(6);
    world.config.send_bytes_per_second_max = 4096; // The world sync takes many ticks.
    world.add();
    ASSERT_TRUE(world.step_until_open());
    for (int i = 0; i < 64; ++i) {
        create(world.nodes[0].session, NAME, Name{"a name of 15 .."});
        create(world.nodes[0].session, BODY, Body{{1, 2, 3}, i});
    }
    Session *newcomer = world.add().session;
    for (int i = 0; i < 60 && inspect::replica(newcomer).phase == Phase::outside; ++i)
        world.step();
    ASSERT_EQ(inspect::replica(newcomer).phase, Phase::joining);
    world.nodes[0].crashed = true;
    heard.assign(2, {});
    steps(world, 120);
    EXPECT_EQ(session_state(newcomer), State::unreachable);
    EXPECT_NE(std::string(state_text(newcomer)).find("host was lost"), std::string::npos);
    // The newcomer discards everything that it received from that host.
    EXPECT_EQ(count(1, EventKind::host_lost), 1);
}

TEST_F(Hosts, AnInviteMayNameAnyMember)
{
    for (uint64_t seed = 1; seed <= 5; ++seed) {
        SimWorld world(seed, {20, 80, 0.1f, 0});
        ASSERT_TRUE(make(world, 3));
        Session *newcomer = world.place(world.config).session;
        join(newcomer, world.the_invite_of(2));
        ASSERT_TRUE(world.step_until_open()) << state_text(newcomer);
        ASSERT_TRUE(world.step_until_converged()) << world.describe();
        EXPECT_EQ(other_peers(newcomer).size(), 3u);
        // Joining through another member works even if the host is dead and nobody has noticed yet.
        world.nodes[0].crashed = true;
        Session *late = world.place(world.config).session;
        join(late, world.the_invite_of(2));
        for (int i = 0; i < 290 && session_state(late) == State::joining; ++i)
            step(world);
        EXPECT_EQ(session_state(late), State::open) << "seed " << seed << state_text(late);
        EXPECT_EQ(host_peer(late), second);
    }
}

TEST_F(Hosts, WhileTheHostLeavesNewcomersWaitForTheNext)
{
    for (uint64_t seed = 1; seed <= 5; ++seed) {
        SimWorld world(seed);
        ASSERT_TRUE(make(world, 3));
        Session *newcomer = world.place(world.config).session;
        join(newcomer, world.the_invite_of(1));
        steps(world, static_cast<int>(3 * seed));
        leave(world.nodes[0].session);
        for (int i = 0; i < 290 && session_state(newcomer) == State::joining; ++i)
            step(world);
        EXPECT_EQ(session_state(newcomer), State::open) << "seed " << seed << state_text(newcomer);
        ASSERT_TRUE(world.step_until_converged()) << "seed " << seed << world.describe();
    }
}

TEST_F(Hosts, AnotherQuorumIsRefusedWithWords)
{
    SimWorld world(9);
    world.add();
    world.config.quorum = Quorum::survivors;
    world.add();
    steps(world, 100);
    const std::string text = state_text(world.nodes[1].session);
    EXPECT_EQ(session_state(world.nodes[1].session), State::refused_types);
    EXPECT_NE(text.find("quorum is majority, here it is survivors"), std::string::npos) << text;
}

TEST_F(Hosts, ClaimsThatTheDeadHostDidNotAnswerAreAnsweredByTheNext)
{
    for (uint64_t seed = 1; seed <= 5; ++seed) {
        SimWorld world(seed);
        const ObjectId door = make_with_body(world, 4, 3);
        ASSERT_NE(door, ObjectId::none);
        world.nodes[0].crashed = true;
        claim(world.nodes[2].session, door);
        steps(world, 150);
        claim(world.nodes[1].session, door);
        heard.clear();
        ASSERT_TRUE(world.step_until_converged());
        EXPECT_TRUE(inspect::replica(world.nodes[2].session).claims.count == 0);
        // The third member owned the object in between.
        EXPECT_EQ(object_owner(world.nodes[3].session, door), second);
        EXPECT_GE(session_stats(world.nodes[3].session).migrations, 2u);
    }
}

TEST_F(Hosts, OrphansAreSpread)
{
    SimWorld world(12);
    const std::vector<Type> types = types_with(Orphan::spread);
    world.config.types = types;
    ASSERT_TRUE(make(world, 4));
    for (int i = 0; i < 9; ++i)
        create(world.nodes[0].session, BODY, Body{{0, 0, 0}, i});
    ASSERT_TRUE(world.step_until_converged());
    world.nodes[0].crashed = true;
    steps(world, 120);
    ASSERT_TRUE(world.step_until_converged()) << world.describe();
    for (size_t i = 1; i < 4; ++i)
        EXPECT_EQ(session_stats(world.nodes[i].session).owned, 3u) << "node " << i;
}

TEST_F(Hosts, TheNewHostsGameIsAskedAboutOrphans)
{
    SimWorld world(13);
    const std::vector<Type> types = types_with(Orphan::ask_game);
    world.config.types = types;
    const ObjectId body = make_with_body(world, 3, 0);
    ASSERT_NE(body, ObjectId::none);
    world.nodes[0].crashed = true;
    int asked = 0;
    world.steps(200, [&](size_t node, const Event &event) {
        if (event.kind != EventKind::object_orphaned) return;
        EXPECT_EQ(node, 1u);
        EXPECT_EQ(event.owner.object, body);
        asked += 1;
        EXPECT_TRUE(migrate(world.nodes[1].session, body, third));
    });
    EXPECT_EQ(asked, 1);
    EXPECT_EQ(object_owner(world.nodes[2].session, body), third);
}

TEST_F(Hosts, TheClockGoesOn)
{
    SimWorld world(14);
    ASSERT_TRUE(make(world, 3));
    steps(world, 100);
    const uint64_t begun_us = world.now_us - session_clock_us(world.nodes[0].session, world.now_us);
    world.nodes[0].crashed = true;
    for (int i = 0; i < 300; ++i) {
        step(world);
        for (size_t node = 1; node < 3; ++node) {
            const uint64_t clock_us = session_clock_us(world.nodes[node].session, world.now_us);
            const auto error_us = static_cast<int64_t>(world.now_us - clock_us - begun_us);
            ASSERT_LT(std::abs(error_us), 60'000) << "node " << node << " step " << i;
        }
    }
}
