// Every result of explain(), each in its situation.
#include "tern/diagnostics.hpp"
#include "tern/ownership.hpp"
#include "tern/untyped.hpp"
#include "tests/session/sim_world.h"
#include <gtest/gtest.h>

using namespace tern;
using namespace tern::test;

namespace {

constexpr Impairment steady = {20, 20, 0, 0}; // A round trip takes two ticks.

PeerId peer(unsigned id)
{
    return static_cast<PeerId>(id);
}

struct Three {
    SimWorld world{11, steady};
    Three()
    {
        world.add_all(3);
        EXPECT_TRUE(world.step_until_converged());
    }
    Session *at(size_t i) { return world.nodes[i].session; }
    void steps(int count) { world.steps(count); }
};

std::string words(Why why)
{
    return to_text(why);
}

#define EXPECT_WHY(explanation, expected) EXPECT_EQ(words((explanation).why), words(expected))

}

TEST(Explain, AnAnnouncementOnItsWay)
{
    Three t;
    const ObjectId body = create(t.at(1), BODY, Body{{1, 2, 3}, 4});
    EXPECT_WHY(explain(t.at(1), body, peer(3)), Why::object_waits); // The next send() sends it.
    t.steps(1);
    const Explanation sent = explain(t.at(1), body, peer(3));
    EXPECT_WHY(sent, Why::object_unacked);
    EXPECT_EQ(sent.owner, peer(2));
    EXPECT_WHY(explain(t.at(0), body, peer(3)), Why::unknown);
    t.steps(10);
    EXPECT_WHY(explain(t.at(1), body, peer(3)), Why::has_it);
    EXPECT_WHY(explain(t.at(1), body, peer(2)), Why::has_it); // Peer 2 is the local peer.
}

TEST(Explain, ATransferOnItsWay)
{
    Three t;
    const ObjectId body = create(t.at(1), BODY, Body{{1, 2, 3}, 4});
    const ObjectId other = create(t.at(1), BODY, Body{{1, 2, 3}, 4});
    t.steps(10);
    t.world.cut_one_way(1, 2, true); // The acks of peer 2 are lost.
    ASSERT_TRUE(migrate(t.at(0), body, peer(3)));
    ASSERT_TRUE(migrate(t.at(0), other, peer(3))); // By the same grant
    t.steps(8);
    for (const ObjectId each : {body, other}) {
        const Explanation sent = explain(t.at(2), each, peer(2));
        EXPECT_WHY(sent, Why::object_unacked);
        EXPECT_EQ(sent.owner, peer(3));
        EXPECT_WHY(explain(t.at(2), each, peer(1)), Why::has_it);
    }
    t.world.cut_one_way(1, 2, false);
    t.steps(30);
    EXPECT_WHY(explain(t.at(2), body, peer(2)), Why::has_it);
}

TEST(Explain, AChangeOnItsWay)
{
    Three t;
    const ObjectId body = create(t.at(1), BODY, Body{{1, 2, 3}, 4});
    t.steps(10);
    set(t.at(1), Object<Body>{body}, Body{{1, 2, 3}, 5});
    EXPECT_WHY(explain(t.at(1), body, peer(3)), Why::change_waits);
    t.world.cut_one_way(2, 1, true); // The acks of peer 3 are lost.
    t.steps(8);
    const Explanation unacked = explain(t.at(1), body, peer(3));
    EXPECT_WHY(unacked, Why::change_unacked);
    EXPECT_GE(unacked.behind_ticks, 8u);
    EXPECT_WHY(explain(t.at(1), body, peer(1)), Why::has_it);
    t.world.cut_one_way(2, 1, false);
    t.steps(20);
    EXPECT_WHY(explain(t.at(1), body, peer(3)), Why::has_it);
}

TEST(Explain, AChangeThatWaitsForBytes)
{
    Three t;
    SimWorld &world = t.world;
    Config config = world.config;
    config.send_bytes_per_second_max = 4096;
    Node &node = world.place(config);
    join(node.session, world.the_invite());
    ASSERT_TRUE(world.step_until_converged());
    Session *slow = world.nodes[3].session;
    std::vector<ObjectId> bodies;
    for (int i = 0; i < 60; ++i)
        bodies.push_back(create(slow, BODY, Body{{1, 2, 3}, 4}));
    ASSERT_TRUE(world.step_until_converged());
    bool found = false;
    for (int i = 0; i < 60; ++i) {
        for (const ObjectId body : bodies)
            set(slow, Object<Body>{body}, Body{{static_cast<float>(i), -1, 5}, i});
        world.step();
        for (const ObjectId body : bodies)
            found = found || explain(slow, body, peer(1)).why == Why::no_budget;
    }
    EXPECT_TRUE(found);
}

TEST(Explain, WhoIsToBeAsked)
{
    Three t;
    const ObjectId body = create(t.at(1), BODY, Body{{1, 2, 3}, 4});
    t.steps(10);
    const Explanation foreign = explain(t.at(0), body, peer(3));
    EXPECT_WHY(foreign, Why::not_owned_here);
    EXPECT_EQ(foreign.owner, peer(2));
    const Explanation own = explain(t.at(0), body, peer(1));
    EXPECT_WHY(own, Why::not_owned_here);
    EXPECT_EQ(own.owner, peer(2));
    EXPECT_WHY(explain(t.at(1), body, peer(9)), Why::no_such_peer);
    EXPECT_WHY(explain(t.at(1), body, PeerId::none), Why::no_such_peer);
    EXPECT_WHY(explain(t.at(1), ObjectId::none, peer(3)), Why::unknown);
    EXPECT_WHY(explain(t.at(1), ObjectId::none, peer(2)), Why::unknown);
}

TEST(Explain, TheDead)
{
    Three t;
    const ObjectId body = create(t.at(1), BODY, Body{{1, 2, 3}, 4});
    t.steps(10);
    destroy(t.at(1), body);
    EXPECT_WHY(explain(t.at(1), body, peer(3)), Why::death_unacked);
    EXPECT_WHY(explain(t.at(1), body, peer(2)), Why::dead);
    t.steps(10);
    EXPECT_WHY(explain(t.at(1), body, peer(3)), Why::dead);
    EXPECT_WHY(explain(t.at(0), body, peer(3)), Why::dead);
}

TEST(Explain, AGameThatForgetsToSend)
{
    Three t;
    const ObjectId body = create(t.at(1), BODY, Body{{1, 2, 3}, 4});
    t.steps(10);
    claim(t.at(2), body);
    set(t.at(1), Object<Body>{body}, Body{{4, 3, 2}, 1});
    const uint64_t sent_us = t.world.now_us;
    for (Session *const silent : {t.at(1), t.at(2)})
        receive(silent, {}, sent_us + 999'999);
    EXPECT_WHY(explain(t.at(1), body, peer(1)), Why::change_waits);
    EXPECT_WHY(explain(t.at(2), body, peer(3)), Why::claim_unanswered);
    for (Session *const silent : {t.at(1), t.at(2)})
        receive(silent, {}, sent_us + 1'000'000);
    EXPECT_WHY(explain(t.at(1), body, peer(1)), Why::nothing_sent);
    EXPECT_WHY(explain(t.at(2), body, peer(3)), Why::nothing_sent);
    EXPECT_WHY(explain(t.at(1), body, peer(2)), Why::has_it); // Nothing is to be sent for that.
    (void)send(t.at(1), sent_us + 1'000'000);
    EXPECT_WHY(explain(t.at(1), body, peer(1)), Why::change_unacked);
}

TEST(Explain, Claims)
{
    Three t;
    const ObjectId body = create(t.at(1), BODY, Body{{1, 2, 3}, 4});
    const ObjectId vault = create(t.at(1), VAULT, Name{"v"});
    const ObjectId door = create(t.at(1), DOOR, Name{"d"});
    t.steps(10);
    for (const ObjectId object : {body, vault, door})
        claim(t.at(2), object);
    EXPECT_WHY(explain(t.at(2), body, peer(3)), Why::claim_unanswered);
    t.steps(10);
    EXPECT_WHY(explain(t.at(2), body, peer(3)), Why::has_it);
    // The host's game has not answered claim_asked yet.
    EXPECT_WHY(explain(t.at(2), door, peer(3)), Why::claim_unanswered);
    const Explanation refused = explain(t.at(2), vault, peer(3));
    EXPECT_WHY(refused, Why::claim_refused);
    EXPECT_EQ(refused.refusal, ClaimRefusal::policy);
    EXPECT_EQ(refused.owner, peer(2));
    EXPECT_GT(refused.refused_us, 1'000'000u);
    EXPECT_LT(refused.refused_us, t.world.now_us);
    refuse_claim(t.at(0), door, peer(3));
    t.steps(10);
    EXPECT_EQ(explain(t.at(2), door, peer(3)).refusal, ClaimRefusal::by_game);
    claim(t.at(2), door);
    t.steps(10);
    migrate(t.at(0), door, peer(3));
    t.steps(10);
    EXPECT_WHY(explain(t.at(2), door, peer(3)), Why::has_it);
    migrate(t.at(0), door, peer(2));
    t.steps(10);
    // The refusal is no longer reported, because peer 3 has owned the object since.
    EXPECT_WHY(explain(t.at(2), door, peer(3)), Why::not_owned_here);
}

TEST(Explain, ANewcomerAndALostConnection)
{
    Three t;
    std::vector<ObjectId> bodies;
    for (int i = 0; i < 8; ++i)
        bodies.push_back(create(t.at(0), BODY, Body{{1, 2, 3}, i}));
    const ObjectId of_second = create(t.at(1), BODY, Body{{1, 2, 3}, 4});
    t.steps(20);
    t.world.add();
    bool joining = false;
    for (int i = 0; i < 20; ++i) {
        t.steps(1);
        joining = joining || explain(t.at(0), bodies[7], peer(4)).why == Why::peer_joining;
    }
    EXPECT_TRUE(joining);
    ASSERT_TRUE(t.world.step_until_converged());
    EXPECT_WHY(explain(t.at(0), bodies[7], peer(4)), Why::has_it);
    t.world.cut(1, 2, true); // First, so that peer 2 notices before the host removes peer 3.
    t.steps(8);
    for (size_t other : {0u, 3u}) // No member is left that could relay to peer 3.
        t.world.cut(other, 2, true);
    bool lost = false;
    for (int i = 0; i < 120; ++i) {
        t.steps(1);
        lost = lost || explain(t.at(1), of_second, peer(3)).why == Why::no_connection;
    }
    EXPECT_TRUE(lost);
}
