// The star topology as a game sees it: the API is that of a mesh, and the host relays everything.
#include "tern/calls.hpp"
#include "tern/diagnostics.hpp"
#include "tern/untyped.hpp"
#include "tests/session/sim_world.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace tern;
using namespace tern::test;

namespace {

constexpr Impairment steady = {20, 20, 0, 0}; // A round trip takes two ticks.

struct Heard {
    PeerId from;
    int32_t damage;
    friend bool operator==(const Heard &, const Heard &) = default;
};

struct Star : testing::Test {
    SimWorld world{21, steady};
    std::vector<Heard> heard[4];

    void SetUp() override
    {
        world.config.topology = Topology::star;
        world.add_all(4);
        ASSERT_TRUE(world.step_until_converged());
    }
    Session *at(size_t i) { return world.nodes[i].session; }
    PeerId id(size_t i) { return local_peer(at(i)); }
    void steps(int count)
    {
        world.steps(count, [&](size_t i, const Event &event) {
            if (event.kind == EventKind::call)
                heard[i].push_back({event.call.peer, call_arguments<Hit>(event).damage});
        });
    }
    void expect_why(const Explanation &found, Why expected)
    {
        EXPECT_STREQ(to_text(found.why), to_text(expected));
    }
    void damage(size_t place, ObjectId body, int32_t health)
    {
        set(at(place), Object<Body>{body}, Body{{0, 0, 0}, health});
    }
};

}

TEST_F(Star, ClientsHaveOneConnectionEach)
{
    EXPECT_GT(peer_stats(at(2), id(0)).received_datagrams, 0u);
    EXPECT_EQ(peer_stats(at(2), id(1)).received_datagrams, 0u);
    EXPECT_EQ(peer_stats(at(2), id(1)).rtt_us, 0u);
    EXPECT_EQ(other_peers(at(2)).size(), 3u);
}

TEST_F(Star, CallsReachWhomTheyAreForOnceAndInOrder)
{
    for (int32_t i = 0; i < 50; ++i) {
        EXPECT_TRUE(call(at(1), id(2), HIT, Hit{ObjectId::none, i}));
        EXPECT_TRUE(call(at(0), id(2), HIT, Hit{ObjectId::none, 100 + i}));
        EXPECT_TRUE(call(at(2), id(0), HIT, Hit{ObjectId::none, 200 + i}));
        steps(1);
    }
    steps(20);
    std::vector<Heard> of_client, of_host, by_host;
    for (const Heard &one : heard[2])
        (one.from == id(1) ? of_client : of_host).push_back(one);
    for (int32_t i = 0; i < 50; ++i)
        by_host.push_back({id(2), 200 + i});
    EXPECT_EQ(heard[0], by_host);
    ASSERT_EQ(of_client.size(), 50u);
    ASSERT_EQ(of_host.size(), 50u);
    for (int32_t i = 0; i < 50; ++i) {
        EXPECT_EQ(of_client[static_cast<size_t>(i)], (Heard{id(1), i}));
        EXPECT_EQ(of_host[static_cast<size_t>(i)], (Heard{id(0), 100 + i}));
    }
    EXPECT_TRUE(heard[1].empty() && heard[3].empty());
}

TEST_F(Star, ACallToEveryoneReachesAllOthers)
{
    EXPECT_TRUE(call(at(3), PeerId::everyone, HIT, Hit{ObjectId::none, 7}));
    EXPECT_TRUE(
        call(at(3), PeerId::everyone, HIT, Hit{ObjectId::none, 8}, Reliability::unreliable));
    EXPECT_TRUE(call(at(3), id(1), HIT, Hit{ObjectId::none, 9}, Reliability::unreliable));
    EXPECT_FALSE(call(at(3), static_cast<PeerId>(77), HIT, Hit{}));
    steps(20);
    for (const size_t place : {0u, 1u, 2u}) {
        const auto got = [&](int32_t damage) {
            return std::count(heard[place].begin(), heard[place].end(), Heard{id(3), damage});
        };
        EXPECT_EQ(got(7), 1) << place;
        EXPECT_EQ(got(8), 1) << place;
        EXPECT_EQ(got(9), place == 1 ? 1 : 0) << place;
    }
    EXPECT_TRUE(heard[3].empty());
}

TEST_F(Star, WhatIsLostWithAMigrationIsToldToClients)
{
    const ObjectId body = create(at(1), BODY, Body{{1, 2, 3}, 4});
    steps(10);
    EXPECT_TRUE(exists(at(2), body));
    claim(at(2), body);
    steps(20);
    EXPECT_EQ(object_owner(at(3), body), id(2));
    damage(2, body, 44);
    steps(10);
    EXPECT_EQ(get(at(3), Object<Body>{body}).health, 44);
    EXPECT_EQ(get(at(1), Object<Body>{body}).health, 44);
    destroy(at(2), body);
    steps(10);
    for (size_t i = 0; i < 4; ++i)
        EXPECT_FALSE(exists(at(i), body)) << i;
}

TEST_F(Star, TheHostSaysAgainWhatALossyClientMissed)
{
    const ObjectId body = create(at(1), BODY, Body{{1, 2, 3}, 4});
    steps(10);
    world.cut_one_way(0, 3, true);
    damage(1, body, 50);
    steps(5);
    EXPECT_EQ(get(at(2), Object<Body>{body}).health, 50);
    EXPECT_EQ(get(at(3), Object<Body>{body}).health, 4);
    world.cut_one_way(0, 3, false);
    // The owner sends nothing more. The host resends, because it tracks the client's acks itself.
    steps(40);
    EXPECT_EQ(get(at(3), Object<Body>{body}).health, 50);
}

TEST_F(Star, ExplainNamesWhoTellsIt)
{
    const ObjectId body = create(at(1), BODY, Body{{1, 2, 3}, 4});
    expect_why(explain(at(1), body, id(0)), Why::object_waits);
    expect_why(explain(at(1), body, id(2)), Why::sent_by_host);
    steps(10);
    expect_why(explain(at(1), body, id(0)), Why::has_it);
    expect_why(explain(at(0), body, id(1)), Why::has_it); // Peer id(1) owns the object.
    expect_why(explain(at(0), body, id(2)), Why::has_it);
    EXPECT_EQ(explain(at(0), body, id(2)).owner, id(1));
    expect_why(explain(at(3), body, id(2)), Why::sent_by_host);
    expect_why(explain(at(3), body, id(0)), Why::not_owned_here);
    damage(1, body, 50);
    steps(3); // The change has reached the host, and its datagrams to the clients are in flight.
    EXPECT_EQ(get(at(0), Object<Body>{body}).health, 50);
    const Explanation behind = explain(at(0), body, id(2));
    expect_why(behind, Why::change_unacked);
    EXPECT_GT(behind.behind_ticks, 0u);
}

TEST_F(Star, AnInviteOfAClientLeadsToTheHost)
{
    Node &guest = world.place(world.config);
    join(guest.session, world.the_invite_of(3));
    ASSERT_TRUE(world.step_until_converged());
    EXPECT_EQ(other_peers(world.nodes[4].session).size(), 4u);
    EXPECT_EQ(peer_stats(world.nodes[4].session, id(3)).received_datagrams, 0u);
}

TEST_F(Star, WhoComesWithAnotherTopologyIsToldSo)
{
    world.config.topology = Topology::mesh;
    world.add();
    steps(100);
    Session *guest = world.nodes[4].session;
    EXPECT_EQ(session_state(guest), State::refused_types);
    EXPECT_NE(std::string(state_text(guest)).find("its topology is star, here it is mesh"),
              std::string::npos)
        << state_text(guest);
}

TEST_F(Star, WhenTheHostGoesCallsAndChangesGoOnThroughTheNext)
{
    const ObjectId body = create(at(2), BODY, Body{{1, 2, 3}, 4});
    steps(10);
    world.nodes[0].crashed = true;
    damage(2, body, 60);
    ASSERT_TRUE(world.step_until_converged());
    EXPECT_EQ(host_peer(at(3)), id(1));
    EXPECT_EQ(get(at(3), Object<Body>{body}).health, 60);
    EXPECT_TRUE(call(at(3), id(2), HIT, Hit{ObjectId::none, 5}));
    steps(20);
    ASSERT_EQ(heard[2].size(), 1u);
    EXPECT_EQ(heard[2][0], (Heard{id(3), 5}));
    EXPECT_EQ(peer_stats(at(3), id(2)).rtt_us, 0u);
}
