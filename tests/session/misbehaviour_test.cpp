// Members that break the rules: who is charged, who is told, and who removes them.
#include "migration/messages.h"
#include "migration/work.h"
#include "session/session_types.h"
#include "tern/diagnostics.hpp"
#include "tern/host.hpp"
#include "tern/ownership.hpp"
#include "tern/untyped.hpp"
#include "tests/session/sim_world.h"
#include <gtest/gtest.h>
#include <map>

using namespace tern;
using namespace tern::test;

namespace {

void say_nonsense(Session *liar, PeerId to)
{
    const std::byte nonsense[] = {std::byte{0x3f}};
    EXPECT_TRUE(inspect::lie(liar, to, StreamId::world, nonsense));
}

void accuse_falsely(Session *liar, PeerId to, PeerId accused)
{
    std::byte buffer[16];
    BitWriter w = bits::writer(buffer);
    messages::write_kind(w, MessageKind::accuse);
    messages::write_peer(w, accused);
    bits::write(w, 1u << static_cast<uint32_t>(Breach::forged), breach_kinds);
    EXPECT_TRUE(
        inspect::lie(liar, to, StreamId::world, std::span(buffer).first(bits::size_bytes(w))));
}

// Every second id of the liar's own below this serial is dead. Returns the last serial.
uint32_t say_deaths_below(Session *liar, PeerId to, uint32_t serial)
{
    std::byte buffer[512];
    BitWriter w = bits::writer(buffer);
    messages::write_kind(w, MessageKind::dead);
    for (size_t i = 0; i < dead_ranges_max; ++i) {
        const auto object = static_cast<uint64_t>(object_id::make(local_peer(liar), serial -= 2));
        bits::write_bool(w, true);
        messages::write_range(w, {object, object});
    }
    bits::write_bool(w, false);
    EXPECT_TRUE(
        inspect::lie(liar, to, StreamId::world, std::span(buffer).first(bits::size_bytes(w))));
    return serial;
}

struct Charged {
    Breach breach;
    PeerId peer, reporter;
    friend bool operator==(const Charged &, const Charged &) = default;
};

struct BreachTest : testing::TestWithParam<Topology> {
    SimWorld world{1};
    std::map<size_t, std::vector<Charged>> charged; // By node.

    bool open(size_t count)
    {
        world.config.topology = GetParam();
        for (size_t i = 0; i < count; ++i) { // One by one, so that the ids are in order.
            world.add();
            if (!world.step_until_open()) return false;
        }
        return true;
    }
    Session *session(size_t node) { return world.nodes[node].session; }
    PeerId id(size_t node) { return local_peer(session(node)); }
    void run(int ticks)
    {
        world.steps(ticks, [&](size_t node, const Event &event) {
            if (event.kind == EventKind::misbehaved)
                charged[node].push_back(
                    {event.misbehaved.breach, event.misbehaved.peer, event.misbehaved.reporter});
        });
    }
    // The host, node 0, grants one object to nodes 1 and 2 under one stamp.
    ObjectId grant_twice()
    {
        const ObjectId object = create(session(0), BODY, Body{{1, 2, 3}, 4});
        run(30);
        migrate(session(0), object, id(1));
        run(1);
        session(0)->replica->term.grant_count -= 1;
        migrate(session(0), object, id(2));
        run(1);
        return object;
    }
    size_t members_of(size_t node) { return other_peers(session(node)).size() + 1; }
    void expect_open(std::initializer_list<size_t> nodes)
    {
        for (const size_t node : nodes)
            EXPECT_EQ(session_state(session(node)), State::open)
                << node << ": " << state_text(session(node));
    }
};

struct BreachesInAMesh : BreachTest {};
INSTANTIATE_TEST_SUITE_P(Mesh, BreachesInAMesh, testing::Values(Topology::mesh));

struct Breaches : BreachTest {};
INSTANTIATE_TEST_SUITE_P(MeshAndStar, Breaches, testing::Values(Topology::mesh, Topology::star));

}

TEST_P(Breaches, TheHostRemovesWhoBreaksTheRules)
{
    ASSERT_TRUE(open(4));
    const PeerId liar = id(3);
    say_nonsense(session(3), id(0));
    run(30); // A second.
    EXPECT_EQ(charged[0], (std::vector<Charged>{{Breach::malformed, liar, PeerId::none}}));
    EXPECT_EQ(session_state(session(3)), State::removed);
    run(60);
    expect_open({0, 1, 2});
    for (const size_t node : std::initializer_list<size_t>{0, 1, 2})
        EXPECT_EQ(members_of(node), 3u) << node;
}

TEST_P(Breaches, WithAskGameTheGameDecides)
{
    world.config.misbehaviour = Misbehaviour::ask_game;
    ASSERT_TRUE(open(3));
    for (int i = 0; i < 5; ++i)
        say_nonsense(session(2), id(0));
    run(90);
    EXPECT_EQ(charged[0], (std::vector<Charged>{{Breach::malformed, id(2), PeerId::none}}));
    EXPECT_EQ(peer_stats(session(0), id(2)).breaches[static_cast<size_t>(Breach::malformed)], 5u);
    expect_open({0, 1, 2});
    remove(session(0), id(2));
    run(60);
    EXPECT_EQ(session_state(session(2)), State::removed);
}

TEST_P(Breaches, BeyondItsLeaseNobodyCreates)
{
    ASSERT_TRUE(open(4));
    const uint32_t lease = creations_left(session(3), VAULT);
    ASSERT_GT(lease, 0u);
    ASSERT_LT(lease, 16u);
    // A modified client takes all places for its own.
    auto &places = session(3)->replica->room.places[VAULT];
    places.held = 16;
    for (int i = 0; i < 16; ++i)
        ASSERT_NE(create(session(3), VAULT, Name{"mine"}), ObjectId::none);
    run(60);
    ASSERT_FALSE(charged[0].empty());
    EXPECT_EQ(charged[0][0], (Charged{Breach::over_quota, id(3), PeerId::none}));
    EXPECT_EQ(session_state(session(3)), State::removed);
    run(60);
    expect_open({0, 1, 2});
    EXPECT_LE(object_ids(session(0), VAULT).size(), lease);
    // The others have room, and agree.
    for (const size_t node : std::initializer_list<size_t>{0, 1, 2})
        EXPECT_NE(create(session(node), VAULT, Name{"ours"}), ObjectId::none) << node;
    run(60);
    for (const size_t node : std::initializer_list<size_t>{1, 2})
        EXPECT_EQ(world_digest(session(node)), world_digest(session(0))) << node;
}

TEST_P(BreachesInAMesh, OneWitnessIsNotEnoughAndTwoOfFiveAre)
{
    ASSERT_TRUE(open(5));
    const PeerId liar = id(4);
    say_nonsense(session(4), id(1));
    run(90);
    const Charged by_itself = {Breach::malformed, liar, PeerId::none};
    EXPECT_EQ(charged[1], std::vector{by_itself});
    EXPECT_EQ(charged[0], (std::vector<Charged>{{Breach::malformed, liar, id(1)}}));
    EXPECT_TRUE(charged[2].empty());
    expect_open({0, 1, 2, 3, 4});
    say_nonsense(session(4), id(2));
    run(30);
    EXPECT_EQ(charged[0].size(), 2u);
    EXPECT_EQ(session_state(session(4)), State::removed);
    run(60);
    expect_open({0, 1, 2, 3});
}

TEST_P(BreachesInAMesh, ALiarsWordRemovesNobody)
{
    ASSERT_TRUE(open(4));
    for (const size_t node : std::initializer_list<size_t>{1, 2})
        accuse_falsely(session(3), id(0), id(node));
    run(90);
    EXPECT_EQ(charged[0].size(), 2u);
    expect_open({0, 1, 2, 3});
    EXPECT_EQ(members_of(0), 4u);
    accuse_falsely(session(3), id(0), id(0)); // The host is never accused to itself.
    run(30);
    EXPECT_EQ(session_state(session(3)), State::removed);
    expect_open({0, 1, 2});
}

TEST_P(BreachesInAMesh, ANewHostIsToldAgain)
{
    ASSERT_TRUE(open(5));
    const PeerId liar = id(4);
    say_nonsense(session(4), id(2));
    run(30);
    EXPECT_EQ(charged[0].size(), 1u);
    leave(session(0));
    run(90);
    ASSERT_EQ(host_peer(session(2)), id(1));
    EXPECT_EQ(charged[1], (std::vector<Charged>{{Breach::malformed, liar, id(2)}}));
    say_nonsense(session(4), id(3));
    run(30);
    EXPECT_EQ(session_state(session(4)), State::removed);
    expect_open({1, 2, 3});
}

// Each check of a signature takes about 60 us.
TEST_P(BreachesInAMesh, WhoSendsWrongSignaturesWaitsInItsOwnStream)
{
    ASSERT_TRUE(open(4));
    const ObjectId object = create(session(1), BODY, Body{{1, 2, 3}, 4});
    ASSERT_TRUE(world.step_until_converged());
    Grant grant = {};
    grant.stamp = stamps::make({1, id(0), 9});
    grant.owner = id(3);
    grant.object_count = 1;
    grant.objects[0] = object;
    std::byte buffer[256];
    BitWriter w = bits::writer(buffer);
    messages::write_kind(w, MessageKind::migrate);
    messages::write_grant(w, grant);
    const std::span<const std::byte> lie = std::span(buffer).first(bits::size_bytes(w));
    for (int i = 0; i < 300; ++i)
        ASSERT_TRUE(inspect::lie(session(3), id(2), StreamId::world, lie));
    const auto forged = [&] {
        return peer_stats(session(2), id(3)).breaches[static_cast<size_t>(Breach::forged)];
    };
    run(30); // 1 s.
    EXPECT_GT(forged(), 0u);
    EXPECT_LE(forged(), 2 * forged_per_second_max);
    set(session(1), Object<Body>{object}, Body{{4, 5, 6}, 7});
    run(30);
    EXPECT_EQ(get(session(2), Object<Body>{object}).health, 7) << "the others are not held up";
    expect_open({0, 1, 2});
}

// Member 2 calls all objects of many later peers dead, before it lets the newcomer have its own.
TEST_P(BreachesInAMesh, ANewcomerBelievesNoDeathsOfPeersThatAreFarFromJoining)
{
    ASSERT_TRUE(open(3));
    std::byte buffer[64];
    BitWriter w = bits::writer(buffer);
    messages::write_kind(w, MessageKind::dead);
    for (const uint16_t creator : {uint16_t{30}, uint16_t{3000}}) {
        const auto first = static_cast<uint64_t>(object_id::make(PeerId{creator}, 1));
        bits::write_bool(w, true);
        messages::write_range(w, {first, first + 1000});
    }
    bits::write_bool(w, false);
    const std::span<const std::byte> lie = std::span(buffer).first(bits::size_bytes(w));
    Session *newcomer = world.add().session;
    bool has_lied = false;
    for (int step = 0; step < 100 && !has_lied; ++step)
        world.step([&](size_t node, const std::vector<Event> &) {
            if (node == 2 && !has_lied && other_peers(session(2)).size() == 3)
                has_lied =
                    inspect::lie(session(2), other_peers(session(2)).back(), StreamId::world, lie);
        });
    ASSERT_TRUE(has_lied);
    ASSERT_EQ(session_state(newcomer), State::joining);
    ASSERT_TRUE(world.step_until_open());
    const auto &dead = inspect::replica(newcomer).world.dead;
    EXPECT_TRUE(tern::dead::contains(dead, object_id::make(PeerId{30}, 7)));
    EXPECT_FALSE(tern::dead::contains(dead, object_id::make(PeerId{3000}, 7)));
}

// Each of these deaths moves all ranges of destroyed ids that another peer knows.
TEST_P(BreachesInAMesh, WhoMovesManyRangesOfTheDeadWaitsInItsOwnStream)
{
    ASSERT_TRUE(open(4));
    const ObjectId object = create(session(1), BODY, Body{{1, 2, 3}, 4});
    ASSERT_TRUE(world.step_until_converged());
    const Replica &victim = inspect::replica(session(2));
    uint64_t most_ns = 0, ticks = 0;
    uint32_t serial = 40'000'000;
    for (int tick = 0; tick < 120; ++tick) {
        for (int i = 0; i < 32 && tick < 20; ++i)
            serial = say_deaths_below(session(3), id(2), serial);
        run(1);
        most_ns = std::max(most_ns, victim.work_ns);
        ticks += victim.work_ns >= work_per_tick_max_ns;
    }
    EXPECT_GT(victim.world.dead.count, 10'000u);
    EXPECT_GT(ticks, 10u) << "the bound was reached";
    const uint64_t one_message_ns = dead_ranges_max * victim.world.dead.count;
    EXPECT_LE(most_ns, work_per_tick_max_ns + 2 * one_message_ns);
    set(session(1), Object<Body>{object}, Body{{4, 5, 6}, 7});
    run(30);
    EXPECT_EQ(get(session(2), Object<Body>{object}).health, 7) << "the others are not held up";
    expect_open({0, 1, 2, 3});
}

// Each tick an object changes its owner, with a signature of its own, and one peer stands still.
TEST_P(BreachesInAMesh, ManySignaturesOfATickAreVerifiedInTheNextOnes)
{
    constexpr int count = 60; // 2 s
    world.config.timeout_ms = 6000;
    ASSERT_TRUE(open(4));
    std::vector<ObjectId> objects;
    for (int i = 0; i < count; ++i)
        objects.push_back(create(session(1), BODY, Body{{1, 2, 3}, i}));
    ASSERT_TRUE(world.step_until_converged());
    const Replica &third = inspect::replica(session(2));
    const uint64_t first = third.term.migrations;
    world.nodes[2].crashed = true;
    for (const ObjectId object : objects) {
        claim(session(3), object);
        run(1);
    }
    world.nodes[2].crashed = false;
    run(1);
    EXPECT_GE(third.work_ns, work_per_tick_max_ns);
    EXPECT_LE(third.work_ns, work_per_tick_max_ns + 2 * work::signature_ns);
    const uint64_t in_first_tick = third.term.migrations - first;
    EXPECT_GE(in_first_tick, work_per_tick_max_ns / (2 * work::signature_ns));
    run(1);
    EXPECT_GT(third.term.migrations - first, in_first_tick);
    ASSERT_TRUE(world.step_until_converged());
    for (const ObjectId object : objects)
        ASSERT_EQ(object_owner(session(2), object), id(3));
    expect_open({0, 1, 2, 3});
}

TEST_P(BreachesInAMesh, AHostThatGrantsTheSameTwiceIsRemoved)
{
    ASSERT_TRUE(open(5));
    const PeerId liar = id(0);
    const ObjectId object = grant_twice();
    run(60);
    for (const size_t node : std::initializer_list<size_t>{1, 2, 3, 4}) {
        EXPECT_EQ(charged[node], (std::vector<Charged>{{Breach::equivocated, liar, PeerId::none}}));
        EXPECT_EQ(host_peer(session(node)), id(1)) << node;
        EXPECT_EQ(members_of(node), 4u) << node;
    }
    EXPECT_EQ(session_state(session(0)), State::refused_by_game);
    expect_open({1, 2, 3, 4});
    for (const size_t node : std::initializer_list<size_t>{1, 2, 3, 4}) {
        EXPECT_EQ(object_owner(session(node), object), object_owner(session(1), object)) << node;
        EXPECT_EQ(world_digest(session(node)), world_digest(session(1))) << node;
    }
}

TEST_P(BreachesInAMesh, WithAskGameAHostThatLiesStays)
{
    world.config.misbehaviour = Misbehaviour::ask_game;
    ASSERT_TRUE(open(4));
    grant_twice();
    run(90);
    expect_open({0, 1, 2, 3});
    for (const size_t node : std::initializer_list<size_t>{1, 2, 3}) {
        EXPECT_EQ(charged[node],
                  (std::vector<Charged>{{Breach::equivocated, id(0), PeerId::none}}));
        EXPECT_EQ(host_peer(session(node)), id(0)) << node;
        EXPECT_EQ(members_of(node), 4u) << node;
        const Stats stats = peer_stats(session(node), id(0));
        EXPECT_EQ(stats.breaches[static_cast<size_t>(Breach::equivocated)], 1u) << node;
    }
}

// The second grant may come so late that its owner knows the first tenure. Then it is void, and
// nobody notices the lie. Otherwise all leave the host, in whichever order they get the proof.
TEST(Equivocation, WhateverIsLostAllLeaveTheHostOrNobodyDoes)
{
    int removed = 0;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        SimWorld world(seed, {20, 80, 0.1f, 0.02f});
        ASSERT_TRUE(world.open(5)) << seed;
        size_t host = 0;
        while (host_peer(world.nodes[host].session) != local_peer(world.nodes[host].session))
            host += 1;
        Session *liar = world.nodes[host].session;
        const PeerId id = local_peer(liar);
        const ObjectId object = create(liar, BODY, Body{{1, 2, 3}, 4});
        world.steps(30);
        for (const size_t to : {(host + 1) % 5, (host + 2) % 5}) {
            if (to == (host + 2) % 5) liar->replica->term.grant_count -= 1;
            migrate(liar, object, local_peer(world.nodes[to].session));
            world.steps(1);
        }
        std::map<size_t, int> events;
        world.steps(180, [&](size_t node, const Event &event) {
            if (event.kind != EventKind::misbehaved) return;
            EXPECT_EQ(event.misbehaved.peer, id) << seed;
            EXPECT_EQ(event.misbehaved.breach, Breach::equivocated) << seed;
            events[node] += 1;
        });
        const size_t left = events.empty() ? 5 : 4;
        const Session *first = world.nodes[(host + 1) % 5].session;
        removed += left == 4;
        for (size_t node = 0; node < 5; ++node) {
            if (node == host && left == 4) continue;
            EXPECT_EQ(events[node], left == 4 ? 1 : 0) << seed << ": " << node;
            const Session *session = world.nodes[node].session;
            EXPECT_EQ(session_state(session), State::open) << seed << ": " << node;
            EXPECT_EQ(other_peers(session).size() + 1, left) << seed << ": " << node;
            EXPECT_EQ(world_digest(session), world_digest(first)) << seed << ": " << node;
        }
    }
    EXPECT_GT(removed, 10);
}

// The game of node 3 would decide itself, but the next host has decided.
TEST_P(BreachesInAMesh, WhoWouldAskItsGameFollowsTheNextHost)
{
    ASSERT_TRUE(open(3));
    world.config.misbehaviour = Misbehaviour::ask_game;
    world.add();
    ASSERT_TRUE(world.step_until_open());
    grant_twice();
    run(60);
    expect_open({1, 2, 3});
    EXPECT_EQ(host_peer(session(3)), id(1));
    EXPECT_EQ(members_of(3), 3u);
}

// Without those that are away the others could not go on, so nobody leaves the host before they
// are back.
TEST_P(BreachesInAMesh, TooFewDoNotLeaveAHostThatLies)
{
    world.config.timeout_ms = 6000;
    ASSERT_TRUE(open(5));
    const PeerId liar = id(0);
    for (const size_t away : std::initializer_list<size_t>{3, 4})
        world.nodes[away].crashed = true;
    run(105); // More than half of a timeout.
    grant_twice();
    run(15);
    for (const size_t node : std::initializer_list<size_t>{1, 2}) {
        EXPECT_EQ(charged[node].size(), 1u) << node;
        EXPECT_EQ(host_peer(session(node)), liar) << node;
    }
    for (const size_t away : std::initializer_list<size_t>{3, 4})
        world.nodes[away].crashed = false;
    run(60);
    expect_open({1, 2, 3, 4});
    for (const size_t node : std::initializer_list<size_t>{1, 2, 3, 4})
        EXPECT_EQ(host_peer(session(node)), id(1)) << node;
    EXPECT_EQ(session_state(session(0)), State::refused_by_game);
}
