// Priorities: objects that are hidden from a peer, and objects that it is updated about less often.
#include "tern/diagnostics.hpp"
#include "tern/interest.hpp"
#include "tests/session/three_peers.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

using namespace tern;
using namespace tern::test;

namespace {

constexpr Impairment no_loss = {20, 20, 0, 0};
constexpr Impairment lossy = {20, 90, 0.25f, 0.05f};

std::span<const Type> types_of(bool predicted)
{
    static Type types[2] = {{"body", sizeof(Body), body_fields, 1600},
                            {"body", sizeof(Body), body_fields, 1600}};
    types[1].predicted = true;
    return std::span(types).subspan(predicted ? 1 : 0, 1);
}

struct Way {
    Topology topology;
    bool predicted;
    Impairment impairment;
};

struct Interests : testing::TestWithParam<Way> {
    SimWorld world{12, GetParam().impairment};
    void SetUp() override
    {
        world.config.topology = GetParam().topology;
        world.config.types = types_of(GetParam().predicted);
        world.add_all(3);
        ASSERT_TRUE(world.step_until_converged());
    }
    Session *at(size_t i) { return world.nodes[i].session; }
    PeerId id(size_t i) { return local_peer(at(i)); }
    // A body of node 0 that all peers have.
    ObjectId settled_body()
    {
        const ObjectId body = create(at(0), BODY, Body{{0, 2, 3}, 40});
        EXPECT_TRUE(world.step_until_converged());
        return body;
    }
    float x(size_t i, ObjectId body) { return get(at(i), Object<Body>{body}).position[0]; }
    size_t count(size_t i, EventKind kind, ObjectId object)
    {
        size_t found = 0;
        for (const Event &event : world.nodes[i].events)
            found += event.kind == kind && object_of(event) == object;
        return found;
    }
    // Counts the events of this kind at node i while node 0 sets its object in each of `ticks`
    // ticks.
    size_t play(size_t i, ObjectId body, EventKind kind, int ticks)
    {
        size_t heard = 0;
        for (int tick = 0; tick < ticks; ++tick) {
            moved += 0.25f;
            set(at(0), Object<Body>{body}, Body{{moved, 2, 3}, 40});
            world.step();
            heard += count(i, kind, body);
        }
        return heard;
    }
    float moved = 0;

    // Returns how often another peer receives an update of each of 330 objects in 300 ticks in
    // which all change; a packet holds a third of them. The first 30 objects have this priority.
    std::vector<size_t> hear_on_a_full_link(float priority)
    {
        SimWorld slow_world(12, GetParam().impairment); // The host may send only 8,192 bytes/s.
        slow_world.config = world.config;
        Config config = slow_world.config;
        config.send_bytes_per_second_max = 8192;
        Session *slow = slow_world.place(config).session;
        start(slow);
        slow_world.add();
        EXPECT_TRUE(slow_world.step_until_converged());
        std::vector<ObjectId> bodies;
        for (size_t i = 0; i < 330; ++i)
            bodies.push_back(create(slow, BODY, Body{{1, 2, 3}, 4}));
        EXPECT_TRUE(slow_world.step_until_converged());
        for (size_t i = 0; priority != 1 && i < bodies.size(); ++i)
            EXPECT_TRUE(set_priority(slow, bodies[i], local_peer(slow_world.nodes[1].session),
                                     i < 30 ? priority : 1));
        const auto anywhere = [&] {
            return static_cast<float>(random::below(slow_world.random, 200)) - 100;
        };
        std::vector<size_t> heard(bodies.size());
        for (int tick = 0; tick < 300; ++tick) {
            for (const ObjectId body : bodies)
                set(slow, Object<Body>{body},
                    Body{{anywhere(), anywhere(), anywhere()}, tick % 90});
            slow_world.step();
            for (const Event &event : slow_world.nodes[1].events)
                if (event.kind == EventKind::object_changed)
                    heard[object_id::serial(event.object.id) - object_id::serial(bodies[0])] += 1;
        }
        return heard;
    }
};

}

TEST_P(Interests, WhatIsHiddenStaysAsItWasAndIsShownAgain)
{
    const ObjectId body = settled_body();
    play(2, body, EventKind::object_changed, 20);
    ASSERT_TRUE(set_priority(at(0), body, id(2), 0));
    EXPECT_EQ(play(2, body, EventKind::object_hidden, 60), 1u);
    EXPECT_TRUE(is_hidden(at(2), body));
    EXPECT_FALSE(is_hidden(at(1), body));
    EXPECT_FALSE(is_hidden(at(0), body));
    EXPECT_EQ(explain(at(0), body, id(2)).why, Why::hidden);
    const float kept = x(2, body);
    EXPECT_EQ(play(2, body, EventKind::object_changed, 60), 0u);
    EXPECT_EQ(x(2, body), kept);
    EXPECT_GT(x(1, body), kept + 15);

    ASSERT_TRUE(set_priority(at(0), body, id(2), 1));
    size_t shown = 0;
    world.steps(90, [&](size_t node, const Event &event) {
        shown += node == 2 && event.kind == EventKind::object_shown && event.object.id == body;
    });
    EXPECT_EQ(shown, 1u);
    EXPECT_FALSE(is_hidden(at(2), body));
    EXPECT_EQ(world_digest(at(2)), world_digest(at(0)));
}

TEST_P(Interests, ShownAgainWithoutAChangeIsToldAllTheSame)
{
    const ObjectId body = settled_body();
    for (const float priority : {0.0f, 1.0f, 0.0f, 0.5f}) {
        ASSERT_TRUE(set_priority(at(0), body, id(1), priority));
        world.steps(90);
        EXPECT_EQ(is_hidden(at(1), body), priority == 0);
        EXPECT_EQ(world_digest(at(1)), world_digest(at(0)));
    }
}

TEST_P(Interests, ANewTenureIsShownToAll)
{
    const ObjectId body = settled_body();
    ASSERT_TRUE(set_priority(at(0), body, id(1), 0));
    ASSERT_TRUE(set_priority(at(0), body, id(2), 0));
    EXPECT_GE(play(2, body, EventKind::object_hidden, 60), 1u);
    EXPECT_TRUE(is_hidden(at(1), body) && is_hidden(at(2), body));
    ASSERT_TRUE(migrate(at(0), body, id(1)));
    ASSERT_TRUE(world.step_until_converged());
    EXPECT_EQ(object_owner(at(2), body), id(1));
    EXPECT_FALSE(is_hidden(at(1), body) || is_hidden(at(2), body));
    EXPECT_EQ(x(2, body), moved);
}

TEST_P(Interests, ANewcomerIsToldAllUntilItIsHiddenFromIt)
{
    const ObjectId body = create(at(0), BODY, Body{{0, 2, 3}, 40});
    set_priority(at(0), body, id(1), 0);
    world.steps(60);
    ASSERT_TRUE(is_hidden(at(1), body));
    world.add();
    for (int i = 0; i < 200 && session_state(at(3)) != State::open; ++i)
        world.step();
    play(3, body, EventKind::object_changed, 30);
    EXPECT_FALSE(is_hidden(at(3), body));
    EXPECT_GT(x(3, body), 0);
    ASSERT_TRUE(set_priority(at(0), body, id(3), 0));
    EXPECT_EQ(play(3, body, EventKind::object_hidden, 60), 1u);
    EXPECT_TRUE(is_hidden(at(3), body));
}

TEST_P(Interests, OnlyWhoTellsAnObjectHasASay)
{
    const ObjectId body = create(at(1), BODY, Body{{0, 2, 3}, 40});
    ASSERT_TRUE(world.step_until_converged());
    const bool star = GetParam().topology == Topology::star;
    EXPECT_EQ(set_priority(at(0), body, id(2), 0), star);
    EXPECT_EQ(set_priority(at(1), body, id(2), 0), !star);
    EXPECT_FALSE(set_priority(at(2), body, id(0), 0));
    EXPECT_FALSE(set_priority(at(0), body, id(0), 0));
    EXPECT_FALSE(set_priority(at(0), body, id(1), 0));
    EXPECT_FALSE(set_priority(at(1), body, static_cast<PeerId>(99), 0));
    EXPECT_FALSE(set_priority(at(1), ObjectId::none, id(2), 0));
    for (int i = 0; i < 60; ++i) {
        set(at(1), Object<Body>{body}, Body{{static_cast<float>(i), 2, 3}, 40});
        world.step();
    }
    EXPECT_TRUE(is_hidden(at(2), body));
    EXPECT_GT(x(0, body), 40);
    EXPECT_LT(x(2, body), 10);
    ASSERT_TRUE(set_priority(at(star ? 0 : 1), body, id(2), 1));
    EXPECT_TRUE(world.step_until_converged());
    EXPECT_EQ(world_digest(at(2)), world_digest(at(1)));
}

TEST_P(Interests, ALowPriorityIsAnInterval)
{
    const ObjectId often = settled_body();
    ASSERT_TRUE(set_priority(at(0), often, id(1), 0.125f));
    world.steps(30);
    const size_t heard = play(1, often, EventKind::object_changed, 160);
    EXPECT_LE(heard, 21u);
    EXPECT_GE(heard, GetParam().impairment.loss > 0 ? 8u : 18u);
    ASSERT_TRUE(world.step_until_converged());
    EXPECT_EQ(x(1, often), moved); // The last change arrives, only later.
}

TEST_P(Interests, WhereBytesAreShortNothingStarves)
{
    const std::vector<size_t> heard = hear_on_a_full_link(1);
    const auto [least, most] = std::minmax_element(heard.begin(), heard.end());
    EXPECT_GT(*least, 4u);
    EXPECT_GT(*least * 3, *most);
}

TEST_P(Interests, WhereBytesAreShortPrioritiesShareThem)
{
    const std::vector<size_t> heard = hear_on_a_full_link(8);
    const size_t first = std::accumulate(heard.begin(), heard.begin() + 30, size_t{0});
    const size_t others = std::accumulate(heard.begin() + 30, heard.end(), size_t{0});
    EXPECT_GT(*std::min_element(heard.begin(), heard.end()), 4u);
    // Each of the 30 is updated at least 1.5 times as often as one of the 300 others.
    EXPECT_GT(first * 10 * 2, others * 3);
}

TEST_P(Interests, ByDistance)
{
    std::vector<ObjectId> bodies;
    for (int i = 0; i < 20; ++i)
        bodies.push_back(create(at(0), BODY, Body{{static_cast<float>(i) * 5, 0, 0}, 40}));
    ASSERT_TRUE(world.step_until_converged());
    const auto look = [&](float from, int ticks) {
        const Viewpoint viewpoints[] = {{id(1), {from, 0, 0}}};
        for (int i = 0; i < ticks; ++i) {
            set_interest(at(0), BODY, 0, viewpoints, 10, 22);
            world.step();
        }
    };
    look(0, 60);
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(is_hidden(at(1), bodies[static_cast<size_t>(i)]), i > 4) << i;
        EXPECT_FALSE(is_hidden(at(2), bodies[static_cast<size_t>(i)])) << i;
    }
    // The sixth body was hidden and is 20 away. A hidden object is shown again within 0.9 * 22.
    look(5, 60);
    EXPECT_TRUE(is_hidden(at(1), bodies[5]));
    look(6, 60);
    EXPECT_FALSE(is_hidden(at(1), bodies[5]));
    look(95, 90);
    for (int i = 0; i < 20; ++i)
        EXPECT_EQ(is_hidden(at(1), bodies[static_cast<size_t>(i)]), i < 16) << i;
}

TEST_P(Interests, ByDistanceEachRingIsUpdatedLessOften)
{
    if (GetParam().impairment.loss > 0) return; // Then the counts are not exact.
    std::vector<ObjectId> bodies;
    for (const float x : {5.0f, 15.0f, 25.0f, 35.0f})
        bodies.push_back(create(at(0), BODY, Body{{x, 0, 0}, 40}));
    ASSERT_TRUE(world.step_until_converged());
    const Viewpoint viewpoints[] = {{id(1), {}}};
    set_interest(at(0), BODY, 0, viewpoints, 10, 100);
    std::vector<size_t> heard(bodies.size());
    for (int tick = 0; tick < 120; ++tick) {
        for (const ObjectId body : bodies)
            set(at(0), Object<Body>{body},
                Body{{get(at(0), Object<Body>{body}).position[0], 0, 0}, tick % 100});
        world.step();
        for (size_t i = 0; i < bodies.size(); ++i)
            heard[i] += count(1, EventKind::object_changed, bodies[i]);
    }
    for (size_t i = 0; i < bodies.size(); ++i)
        EXPECT_NEAR(static_cast<double>(heard[i]), 120.0 / static_cast<double>(i + 1), 4) << i;
}

INSTANTIATE_TEST_SUITE_P(
    All, Interests,
    testing::Values(Way{Topology::mesh, false, no_loss}, Way{Topology::star, false, no_loss},
                    Way{Topology::mesh, true, no_loss}, Way{Topology::mesh, false, lossy},
                    Way{Topology::star, false, lossy}, Way{Topology::mesh, true, lossy},
                    Way{Topology::star, true, lossy}),
    [](const testing::TestParamInfo<Way> &way) {
        return std::string(way.param.topology == Topology::star ? "Star" : "Mesh") +
               (way.param.predicted ? "Predicted" : "") +
               (way.param.impairment.loss > 0 ? "Lossy" : "");
    });
