// Networks that fall apart for longer than timeout_ms, and heal: who goes on, who waits, and that
// all are one session again.
#include "tern/host.hpp"
#include "tern/untyped.hpp"
#include "tests/session/sim_world.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <vector>

using namespace tern;
using namespace tern::test;

namespace {

constexpr uint64_t second_us = 1'000'000;

enum : TypeId { HELD = std::size(world_types) };

std::vector<Type> types_with_held()
{
    std::vector<Type> types(std::begin(world_types), std::end(world_types));
    types.push_back({"held", sizeof(Body), body_fields, 64, Orphan::hold});
    return types;
}

struct Case {
    uint64_t seed;
    Topology topology;
};

// Each peer has an object that it moves all the time, and one that is held for it. The games do not
// look at the state: what cannot be done while a peer is cut off does nothing.
struct Play {
    const std::vector<Type> types = types_with_held();
    SimWorld world;
    std::vector<ObjectId> own, held;
    std::vector<PeerId> ids;       // As members at first.
    std::map<size_t, PeerId> anew; // The new ids of those that came back, as others were told.
    int moves = 0;
    int came_back = 0; // Peers that began to join again, and could still read what they had.

    explicit Play(const Case &c) : world(c.seed, {20, 60, 0.02f, 0.01f})
    {
        world.config.topology = c.topology;
        world.tick_us = 16'667;
        world.config.types = types;
    }

    bool open(size_t count)
    {
        if (!world.open(count)) return false;
        for (const Node &node : world.nodes) {
            own.push_back(create(node.session, BODY, Body{{0, 0, 0}, 100}));
            held.push_back(create(node.session, HELD, Body{{0, 0, 0}, 50}));
            ids.push_back(local_peer(node.session));
        }
        run(second_us); // The host gives the votes.
        return world.step_until_converged();
    }

    void play(size_t i)
    {
        Session *session = world.nodes[i].session;
        const State state = session_state(session);
        if (state != State::open && state != State::cut_off) return;
        moves += 1;
        if (may_set(session, own[i]))
            set(session, Object<Body>{own[i]}, Body{{static_cast<float>(moves % 90), 1, 2}, 100});
        const bool is_in = other_peers(session).size() + 1 == world.nodes.size();
        if (state == State::cut_off && is_in && moves % 10 == 0) {
            EXPECT_EQ(create(session, BODY, Body{}), ObjectId::none);
            EXPECT_FALSE(claim(session, own[(i + 1) % own.size()]));
        }
    }

    void look(size_t i, const std::vector<Event> &events)
    {
        Session *session = world.nodes[i].session;
        bool joins_again = false; // The host may have been lost in the same tick before.
        for (const Event &event : events) {
            if (event.kind == EventKind::host_lost && session_state(session) == State::joining &&
                !joins_again) {
                ASSERT_TRUE(exists(session, held[i]));
                EXPECT_EQ(get(session, Object<Body>{held[i]}).health, 50);
                EXPECT_EQ(local_peer(session), anew.count(i) != 0 ? anew[i] : ids[i]);
                came_back += 1;
                joins_again = true;
            }
            if (event.kind != EventKind::peer_joined) continue;
            const Newcomer &newcomer = event.newcomer;
            const bool is_known = std::find(ids.begin(), ids.end(), newcomer.peer) != ids.end();
            const bool was_here = local_peer(session) == ids[i]; // When the other one was removed.
            if (is_known || !was_here) continue;
            const auto known = std::find(ids.begin(), ids.end(), newcomer.previous);
            ASSERT_NE(known, ids.end()) << static_cast<int>(newcomer.previous);
            anew[static_cast<size_t>(known - ids.begin())] = newcomer.peer;
        }
    }

    void run(uint64_t duration_us)
    {
        for (const uint64_t end_us = world.now_us + duration_us; world.now_us < end_us;)
            world.step([&](size_t node, const std::vector<Event> &events) {
                if (ids.size() == world.nodes.size()) look(node, events);
                if (own.size() == world.nodes.size()) play(node);
            });
    }

    // Everybody knows those that came back by the same ids, and they have what was held for them.
    bool all_have_theirs() const
    {
        for (const auto &[i, id] : anew)
            if (local_peer(world.nodes[i].session) != id) return false;
        for (size_t i = 0; i < held.size(); ++i)
            for (const Node &node : world.nodes)
                if (object_owner(node.session, held[i]) != local_peer(world.nodes[i].session))
                    return false;
        return true;
    }

    void cut(std::span<const size_t> one, std::span<const size_t> other, bool is_cut)
    {
        for (const size_t a : one)
            for (const size_t b : other)
                world.cut(a, b, is_cut);
    }

    size_t count(State state) const
    {
        return static_cast<size_t>(
            std::count_if(world.nodes.begin(), world.nodes.end(),
                          [&](const Node &node) { return session_state(node.session) == state; }));
    }

    bool are_one() const
    {
        const PeerId host = host_peer(world.nodes[0].session);
        return host != PeerId::none &&
               std::all_of(world.nodes.begin(), world.nodes.end(), [&](const Node &node) {
                   return session_state(node.session) == State::open &&
                          host_peer(node.session) == host &&
                          other_peers(node.session).size() + 1 == world.nodes.size();
               });
    }

    // How long it takes until all are open members of one session.
    uint64_t until_one_us(uint64_t most_us)
    {
        const uint64_t from_us = world.now_us;
        while (!are_one() && world.now_us - from_us < most_us)
            run(world.tick_us);
        return world.now_us - from_us;
    }
};

class Splits : public testing::TestWithParam<Case> {};

TEST_P(Splits, HalvesWaitAndAreOneAgainWithAllThatTheyHad)
{
    Play game(GetParam());
    ASSERT_TRUE(game.open(4));
    const size_t one[] = {0, 1}, other[] = {2, 3};
    game.cut(one, other, true);
    game.run(6 * second_us);
    EXPECT_EQ(game.count(State::cut_off), 4u);
    game.cut(one, other, false);
    EXPECT_LE(game.until_one_us(10 * second_us), 3 * second_us);
    ASSERT_TRUE(game.world.step_until_converged()) << game.world.describe();
    for (size_t i = 0; i < 4; ++i) {
        Session *session = game.world.nodes[i].session;
        EXPECT_EQ(local_peer(session), game.ids[i]);
        for (size_t k = 0; k < 4; ++k)
            EXPECT_EQ(object_owner(session, game.own[k]), game.ids[k]);
        EXPECT_NE(create(session, BODY, Body{}), ObjectId::none);
    }
    EXPECT_TRUE(game.world.step_until_converged()) << game.world.describe();
}

TEST_P(Splits, OfTwoTheHostGoesOnAndTheOtherOneComesBack)
{
    Play game(GetParam());
    ASSERT_TRUE(game.open(2));
    Session *host = game.world.nodes[0].session, *guest = game.world.nodes[1].session;
    game.world.cut(0, 1, true);
    game.run(6 * second_us);
    EXPECT_EQ(session_state(host), State::open);
    EXPECT_EQ(object_owner(host, game.own[1]), game.ids[0]);
    EXPECT_EQ(session_state(guest), State::cut_off);
    game.world.cut(0, 1, false);
    EXPECT_LE(game.until_one_us(20 * second_us), 5 * second_us);
    game.run(second_us);
    ASSERT_TRUE(game.world.step_until_converged()) << game.world.describe();
    EXPECT_EQ(local_peer(host), game.ids[0]);
    EXPECT_NE(local_peer(guest), game.ids[1]);
    EXPECT_EQ(object_owner(guest, game.own[1]), game.ids[0]);
    EXPECT_EQ(game.came_back, 1);
    EXPECT_EQ(game.anew.size(), 1u);
    EXPECT_TRUE(game.all_have_theirs());
}

// The host is among the two.
TEST_P(Splits, ThreeOfFiveGoOnAndTheOthersComeBack)
{
    Play game(GetParam());
    ASSERT_TRUE(game.open(5));
    const size_t few[] = {0, 1}, most[] = {2, 3, 4};
    const PeerId next = std::min({game.ids[2], game.ids[3], game.ids[4]});
    game.cut(few, most, true);
    game.run(6 * second_us);
    for (const size_t i : most) {
        Session *session = game.world.nodes[i].session;
        EXPECT_EQ(session_state(session), State::open) << i;
        EXPECT_EQ(host_peer(session), next) << i;
        EXPECT_EQ(object_owner(session, game.own[0]), next);
    }
    EXPECT_EQ(game.count(State::cut_off), 2u);
    game.cut(few, most, false);
    EXPECT_LE(game.until_one_us(20 * second_us), 8 * second_us) << game.world.describe();
    game.run(second_us);
    EXPECT_TRUE(game.world.step_until_converged()) << game.world.describe();
    EXPECT_EQ(host_peer(game.world.nodes[0].session), next);
    EXPECT_EQ(game.came_back, 2);
    EXPECT_EQ(game.anew.size(), 2u);
    EXPECT_TRUE(game.all_have_theirs());
}

// The host that took the objects of the two has left when they come back. In a star they find the
// next host by asking all that they know.
TEST_P(Splits, TheNextHostGivesBackWhatWasHeldToo)
{
    Play game(GetParam());
    ASSERT_TRUE(game.open(6));
    const size_t few[] = {4, 5}, most[] = {0, 1, 2, 3};
    game.cut(few, most, true);
    game.run(6 * second_us);
    Session *host = game.world.nodes[0].session;
    ASSERT_EQ(object_owner(host, game.held[4]), game.ids[0]);
    leave(host);
    game.run(3 * second_us);
    ASSERT_EQ(session_state(host), State::left);
    const PeerId next = std::min({game.ids[1], game.ids[2], game.ids[3]});
    ASSERT_EQ(object_owner(game.world.nodes[1].session, game.held[4]), next);
    game.cut(few, most, false);
    game.run(8 * second_us);
    EXPECT_EQ(game.came_back, 2);
    for (const size_t i : few)
        EXPECT_EQ(object_owner(game.world.nodes[1].session, game.held[i]),
                  local_peer(game.world.nodes[i].session));
    EXPECT_EQ(object_owner(game.world.nodes[4].session, game.held[0]), next);
}

// The host waits for the report of a member that is away, and too few are left while the removed
// one counts. When the report comes, its sender's path is too new for the sender to count as heard.
TEST_P(Splits, AHostThatWaitsGoesOnInTheTickInWhichADepartureEnds)
{
    Play game(GetParam());
    ASSERT_TRUE(game.open(4));
    const size_t here[] = {0, 1}, away[] = {2, 3};
    Session *host = game.world.nodes[0].session;
    game.cut(here, away, true);
    remove(host, game.ids[3]);
    game.run(3 * second_us);
    ASSERT_EQ(session_state(host), State::cut_off);
    ASSERT_EQ(object_owner(host, game.own[3]), game.ids[3]);
    game.cut(here, {away, 1}, false);
    for (int ticks = 0; ticks < 600 && object_owner(host, game.own[3]) != game.ids[0]; ++ticks)
        game.run(game.world.tick_us);
    ASSERT_EQ(object_owner(host, game.own[3]), game.ids[0]);
    EXPECT_EQ(session_state(host), State::open);
}

// --- Quorum::survivors: each part goes on, and they meet ---

TEST_P(Splits, TwoThatWentOnAloneAreOneAgain)
{
    Play game(GetParam());
    game.world.config.quorum = Quorum::survivors;
    ASSERT_TRUE(game.open(2));
    game.world.cut(0, 1, true);
    game.run(6 * second_us);
    EXPECT_EQ(game.count(State::open), 2u);
    Session *first = game.world.nodes[0].session, *second = game.world.nodes[1].session;
    const ObjectId late = create(second, BODY, Body{{7, 7, 7}, 70});
    game.world.cut(0, 1, false);
    EXPECT_LE(game.until_one_us(20 * second_us), 5 * second_us);
    game.run(second_us);
    ASSERT_TRUE(game.world.step_until_converged()) << game.world.describe();
    EXPECT_EQ(host_peer(first), game.ids[1]); // It had replaced a host.
    EXPECT_EQ(get(first, Object<Body>{late}).health, 70);
    EXPECT_EQ(game.came_back, 1);
    EXPECT_TRUE(game.all_have_theirs());
}

TEST_P(Splits, PartsThatWentOnAreOneAgain)
{
    Play game(GetParam());
    game.world.config.quorum = Quorum::survivors;
    ASSERT_TRUE(game.open(5));
    const size_t one[] = {0, 1}, two[] = {2, 3}, three[] = {4};
    game.cut(one, two, true);
    game.cut(one, three, true);
    game.cut(two, three, true);
    game.run(7 * second_us);
    EXPECT_EQ(game.count(State::open), 5u);
    game.cut(one, two, false);
    game.cut(one, three, false);
    game.cut(two, three, false);
    EXPECT_LE(game.until_one_us(30 * second_us), 12 * second_us) << game.world.describe();
    game.run(second_us);
    EXPECT_TRUE(game.world.step_until_converged()) << game.world.describe();
    EXPECT_EQ(game.count(State::open), 5u);
    EXPECT_TRUE(game.all_have_theirs());
}

// Paths break and come back at random, and at last all are there.
TEST_P(Splits, WhateverWasCutEndsInOneSession)
{
    Play game(GetParam());
    game.world.config.quorum = Quorum::survivors;
    game.world.config.join_timeout_ms = 60'000;
    ASSERT_TRUE(game.open(5));
    game.ids.clear(); // They change more than once.
    const auto cut_some = [&](uint32_t percent) {
        for (size_t a = 0; a < 5; ++a)
            for (size_t b = 0; b < a; ++b)
                game.world.cut(a, b, random::below(game.world.random, 100) < percent);
    };
    for (int i = 0; i < 12; ++i) {
        cut_some(i % 3 == 2 ? 0 : 60);
        game.run(2 * second_us + random::below(game.world.random, 3000) * 1000);
    }
    cut_some(0);
    EXPECT_LE(game.until_one_us(60 * second_us), 30 * second_us) << game.world.describe();
    EXPECT_TRUE(game.world.step_until_converged()) << game.world.describe();
}

std::vector<Case> cases()
{
    std::vector<Case> all;
    for (uint64_t seed = 1; seed <= 20; ++seed)
        for (const Topology topology : {Topology::mesh, Topology::star})
            all.push_back({seed, topology});
    all.push_back({74, Topology::star}); // A client closed its links to the relay of its host.
    return all;
}

INSTANTIATE_TEST_SUITE_P(In, Splits, testing::ValuesIn(cases()), [](const auto &in) {
    return std::string(in.param.topology == Topology::star ? "Star" : "Mesh") +
           std::to_string(in.param.seed);
});

}
