#include "tern/calls.hpp"
#include "tern/ownership.hpp"
#include "tern/untyped.hpp"
#include "tests/session/three_peers.h"

using namespace tern;
using namespace tern::test;

namespace {

struct Three : ThreePeers {
    // Runs 60 ticks and returns the events of one kind that node `i` receives in them.
    std::vector<Event> watch(size_t i, EventKind kind)
    {
        std::vector<Event> seen;
        world.steps(60, [&](size_t node, const Event &event) {
            if (node == i && event.kind == kind) seen.push_back(event);
        });
        return seen;
    }
};

}

TEST_F(Three, AnObjectIsCreatedChangedAndDestroyedEverywhere)
{
    const ObjectId id = create(b, BODY, Body{{1, 2, 3}, 4});
    EXPECT_EQ(watch(2, EventKind::object_created).size(), 1u);
    Body body = get(b, Object<Body>{id});
    body.health = 99;
    set(b, Object<Body>{id}, body);
    const std::vector<Event> changed = watch(2, EventKind::object_changed);
    ASSERT_EQ(changed.size(), 1u);
    EXPECT_EQ(changed[0].object.id, id);
    EXPECT_EQ(changed[0].object.changed_fields, 2u);
    EXPECT_EQ(changed[0].object.owner, local_peer(b));
    EXPECT_EQ(get(c, Object<Body>{id}).health, 99);
    destroy(b, id);
    EXPECT_FALSE(exists(b, id));
    EXPECT_EQ(watch(2, EventKind::object_destroyed).size(), 1u);
    EXPECT_FALSE(exists(a, id));
    EXPECT_FALSE(exists(c, id));
}

TEST_F(Three, ADestroyedObjectCanBeReadUntilTheNextReceive)
{
    const ObjectId id = create(b, BODY, Body{{1, 2, 3}, 4});
    watch(2, EventKind::object_created);
    destroy(b, id);
    bool read = false;
    world.steps(60, [&](size_t node, const Event &event) {
        if (node != 2 || event.kind != EventKind::object_destroyed) return;
        EXPECT_FALSE(exists(c, id));
        EXPECT_EQ(get(c, Object<Body>{id}).health, 4);
        EXPECT_TRUE(object_ids(c, BODY).empty());
        read = true;
    });
    EXPECT_TRUE(read);
}

TEST_F(Three, AClaimIsGrantedOnceAndAllSeeTheNewOwner)
{
    const ObjectId id = create(b, BODY, Body{{1, 2, 3}, 4});
    watch(2, EventKind::object_created);
    claim(c, id);
    EXPECT_EQ(watch(2, EventKind::claim_granted).size(), 1u);
    for (Session *session : {a, b, c})
        EXPECT_EQ(object_owner(session, id), local_peer(c));
    EXPECT_EQ(object_stamp(a, id), object_stamp(b, id));
    EXPECT_GT(object_stamp(a, id), 0u);
    EXPECT_EQ(get(a, Object<Body>{id}).health, 4);
}

TEST_F(Three, TheLoserOfAnObjectLearnsWhatWasLost)
{
    const ObjectId id = create(b, BODY, Body{{0, 0, 0}, 0});
    watch(2, EventKind::object_created);
    claim(c, id);
    std::vector<Event> seen;
    for (int step = 0; step < 60; ++step)
        world.step([&](size_t node, const std::vector<Event> &events) {
            if (node != 1) return;
            for (const Event &event : events)
                if (event.kind == EventKind::owner_changed) seen.push_back(event);
            if (object_owner(b, id) != local_peer(b)) return;
            Body body = get(b, Object<Body>{id});
            body.health += 1;
            set(b, Object<Body>{id}, body);
        });
    ASSERT_EQ(seen.size(), 1u);
    EXPECT_EQ(seen[0].owner.previous, local_peer(b));
    EXPECT_EQ(seen[0].owner.owner, local_peer(c));
    EXPECT_GT(seen[0].owner.lost_ticks, 0u);
    EXPECT_LT(seen[0].owner.lost_ticks, 30u);
    EXPECT_TRUE(world.converged());
}

TEST_F(Three, ClaimsAreRefusedByPolicyByTheGameAndByDeath)
{
    const ObjectId vault = create(a, VAULT, Name{"gold"});
    const ObjectId door = create(a, DOOR, Name{"door"});
    const ObjectId body = create(a, BODY, Body{});
    watch(2, EventKind::object_created);
    claim(c, vault);
    claim(c, door);
    destroy(a, body);
    claim(c, body);
    std::vector<Event> refused;
    world.steps(60, [&](size_t node, const Event &event) {
        if (node == 0 && event.kind == EventKind::claim_asked)
            refuse_claim(a, event.claim.object, event.claim.claimer);
        if (node == 2 && event.kind == EventKind::claim_refused) refused.push_back(event);
    });
    ASSERT_EQ(refused.size(), 3u);
    for (const Event &event : refused) {
        const ClaimRefusal expected = event.claim.object == vault  ? ClaimRefusal::policy
                                      : event.claim.object == door ? ClaimRefusal::by_game
                                                                   : ClaimRefusal::dead;
        EXPECT_EQ(event.claim.refusal, expected);
        EXPECT_EQ(event.claim.claimer, local_peer(c));
    }
}

TEST_F(Three, TheHostsOwnClaimsAreAnsweredLikeOthers)
{
    const ObjectId vault = create(b, VAULT, Name{"gold"});
    const ObjectId body = create(b, BODY, Body{});
    watch(0, EventKind::object_created);
    claim(a, vault);
    claim(a, body);
    std::vector<Event> seen;
    world.steps(60, [&](size_t node, const Event &event) {
        if (node == 0 &&
            (event.kind == EventKind::claim_refused || event.kind == EventKind::claim_granted))
            seen.push_back(event);
    });
    ASSERT_EQ(seen.size(), 2u);
    EXPECT_EQ(object_owner(b, body), local_peer(a));
    EXPECT_EQ(object_owner(b, vault), local_peer(b));
}

TEST_F(Three, OrphansAreAdoptedOrDestroyedByTheirType)
{
    const ObjectId adopted = create(c, BODY, Body{{1, 1, 1}, 1});
    const ObjectId destroyed = create(c, NAME, Name{"mine"});
    watch(0, EventKind::object_created);
    world.nodes[2].crashed = true;
    ASSERT_TRUE(world.step_until_converged());
    for (Session *session : {a, b}) {
        ASSERT_TRUE(exists(session, adopted));
        EXPECT_EQ(object_owner(session, adopted), local_peer(a));
        EXPECT_FALSE(exists(session, destroyed));
        EXPECT_EQ(other_peers(session).size(), 1u);
    }
}

TEST_F(Three, CallsArriveInOrderAndWithTheirArguments)
{
    for (int32_t i = 0; i < 100; ++i)
        EXPECT_TRUE(call(b, local_peer(c), HIT, Hit{ObjectId::none, i}));
    EXPECT_TRUE(call(b, PeerId::everyone, HIT, Hit{ObjectId::none, 1000}));
    EXPECT_FALSE(call(b, static_cast<PeerId>(77), HIT, Hit{}));
    std::vector<int32_t> at_c, at_a;
    world.steps(60, [&](size_t node, const Event &event) {
        if (event.kind != EventKind::call) return;
        EXPECT_EQ(event.call.peer, local_peer(b));
        (node == 2 ? at_c : at_a).push_back(call_arguments<Hit>(event).damage);
    });
    ASSERT_EQ(at_c.size(), 101u);
    for (int32_t i = 0; i < 100; ++i)
        EXPECT_EQ(at_c[static_cast<size_t>(i)], i);
    EXPECT_EQ(at_a, std::vector<int32_t>{1000});
}

TEST_F(Three, UnreliableCallsArriveOnACleanNetwork)
{
    EXPECT_TRUE(call(b, PeerId::everyone, HIT, Hit{ObjectId::none, 5}, Reliability::unreliable));
    EXPECT_EQ(watch(2, EventKind::call).size(), 1u);
}

TEST_F(Three, CreateSaysNoneWhenNoPlaceIsLeft)
{
    uint32_t made = 0;
    for (int i = 0; i < 60; ++i) {
        const uint32_t left = creations_left(a, VAULT);
        for (uint32_t k = 0; k < left; ++k)
            EXPECT_NE(create(a, VAULT, Name{"x"}), ObjectId::none);
        EXPECT_EQ(create(a, VAULT, Name{"x"}), ObjectId::none);
        made += left;
        world.step();
    }
    EXPECT_EQ(made, 16u) << "the others have created nothing";
    EXPECT_EQ(creations_left(b, VAULT), 0u);
    const ObjectId one = object_ids(a, VAULT)[3];
    destroy(a, one);
    EXPECT_NE(create(a, VAULT, Name{"y"}), ObjectId::none) << "its own place it may use at once";
    ASSERT_TRUE(world.step_until_converged());
    EXPECT_EQ(object_ids(b, VAULT).size(), 16u);
}

TEST_F(Three, AValueIsStoredAsItTravels)
{
    const ObjectId id = create(a, BODY, Body{{0.123456f, 1000.0f, -0.0f}, 1000});
    const Body body = get(a, Object<Body>{id});
    EXPECT_FLOAT_EQ(body.position[0], 0.12f);
    EXPECT_FLOAT_EQ(body.position[1], 100.0f);
    EXPECT_EQ(body.health, 100);
    ASSERT_TRUE(world.step_until_converged());
    EXPECT_EQ(std::memcmp(&get(b, Object<Body>{id}), &body, sizeof body), 0);
}
