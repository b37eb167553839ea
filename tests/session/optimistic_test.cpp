#include "tern/diagnostics.hpp"
#include "tern/host.hpp"
#include "tern/many.hpp"
#include "tern/prediction.hpp"
#include "tern/untyped.hpp"
#include "tests/session/three_peers.h"

using namespace tern;
using namespace tern::test;

namespace {

Body with_health(const Session *session, ObjectId id, int32_t health)
{
    Body body = get(session, Object<Body>{id});
    body.health = health;
    return body;
}

void expect_moved(const Session *session, ObjectId id)
{
    EXPECT_FLOAT_EQ(get(session, Object<Body>{id}).position[0], 9);
    EXPECT_EQ(get(session, Object<Body>{id}).health, 50);
}

constexpr uint64_t position_field = 1; // The bit of Body's first field in changed_fields

}

TEST_F(ThreePeers, WhatAnOptimisticClaimSetsShowsHereAloneUntilItIsGranted)
{
    const ObjectId id = settled_body(b);
    const uint64_t before = world_digest(c);
    claim(c, id, ClaimMode::optimistic);
    set(c, Object<Body>{id}, with_health(c, id, 50));
    EXPECT_EQ(get(c, Object<Body>{id}).health, 50);
    EXPECT_EQ(object_values<Body>(c, BODY)[0].health, 50);
    EXPECT_EQ(static_cast<const Body *>(find_value(c, id).value)->health, 50);
    Body copy = {};
    EXPECT_EQ(get_many(c, BODY, std::span(&id, 1), std::span(&copy, 1)), 1u);
    EXPECT_EQ(copy.health, 50);
    EXPECT_TRUE(sample(c, Object<Body>{id}, 0, copy));
    EXPECT_EQ(copy.health, 50);
    EXPECT_EQ(object_owner(c, id), local_peer(b));
    EXPECT_EQ(world_digest(c), before);
    EXPECT_EQ(static_cast<const Body *>(inspect::replicated(c, id))->health, 4);
    bool granted = false;
    for (int i = 0; i < 60; ++i)
        world.step([&](size_t node, const std::vector<Event> &events) {
            granted = granted || (node == 2 && has(events, EventKind::claim_granted));
            EXPECT_EQ(get(c, Object<Body>{id}).health, 50);
            for (Session *other : {a, b})
                EXPECT_EQ(get(other, Object<Body>{id}).health,
                          object_owner(other, id) == local_peer(b) ? 4 : 50);
        });
    EXPECT_TRUE(granted);
    for (Session *session : {a, b, c}) {
        EXPECT_EQ(object_owner(session, id), local_peer(c));
        EXPECT_EQ(get(session, Object<Body>{id}).health, 50);
    }
    EXPECT_TRUE(world.converged());
}

TEST_F(ThreePeers, OnlyTheFieldsThatWereSetAreTheNewOwnersFirstChange)
{
    const ObjectId id = settled_body(b);
    claim(c, id, ClaimMode::optimistic);
    set(c, Object<Body>{id}, with_health(c, id, 50));
    Body moved = get(b, Object<Body>{id});
    moved.position[0] = 9;
    moved.health = 7;
    set(b, Object<Body>{id}, moved); // The update reaches the host before it grants the claim.
    const std::vector<Event> seen = watch(2, id);
    EXPECT_EQ(kinds(seen), (Kinds{EventKind::object_changed, EventKind::owner_changed,
                                  EventKind::claim_granted}));
    // The change of health is hidden behind the optimistic value.
    EXPECT_EQ(seen[0].object.changed_fields, position_field);
    for (Session *session : {a, b, c})
        expect_moved(session, id);
    EXPECT_TRUE(world.converged());
}

TEST_F(ThreePeers, ASecondSetAddsToWhatTheFirstHasSet)
{
    const ObjectId id = settled_body(b);
    claim(c, id, ClaimMode::optimistic);
    set(c, Object<Body>{id}, with_health(c, id, 50));
    Body moved = get(c, Object<Body>{id});
    moved.position[0] = 9;
    set(c, Object<Body>{id}, moved); // Changes another field than the first.
    EXPECT_EQ(kinds(watch(2, id)), (Kinds{EventKind::owner_changed, EventKind::claim_granted}));
    for (Session *session : {a, b, c})
        expect_moved(session, id);
}

TEST_F(ThreePeers, AfterARefusalWhatIsReplicatedShowsAgainAndTheGameHearsOfIt)
{
    const ObjectId id = door_opened_by_c();
    refusing = true;
    const std::vector<Event> seen = watch(2, id);
    EXPECT_EQ(kinds(seen), (Kinds{EventKind::claim_refused, EventKind::object_changed}));
    EXPECT_EQ(seen[0].claim.refusal, ClaimRefusal::by_game);
    EXPECT_EQ(seen[1].object.changed_fields, 1u);
    EXPECT_EQ(seen[1].object.owner, local_peer(b));
    for (Session *session : {a, b, c})
        EXPECT_STREQ(get(session, Object<Name>{id}).text, "shut");
}

TEST_F(ThreePeers, ARefusalThatChangesNothingMakesNoSecondEvent)
{
    const ObjectId id = door_opened_by_c();
    set(b, Object<Name>{id}, Name{"open"}); // No event: c already shows this value.
    EXPECT_TRUE(watch(2, id).empty());
    refusing = true;
    const std::vector<Event> seen = watch(2, id);
    EXPECT_EQ(kinds(seen), (Kinds{EventKind::claim_refused}));
    EXPECT_STREQ(get(c, Object<Name>{id}).text, "open");
}

TEST_F(ThreePeers, WhatTheOwnerChangesBehindAnOptimisticValueIsHeardWithTheRefusal)
{
    const ObjectId id = door_opened_by_c();
    set(b, Object<Name>{id}, Name{"broken"});
    EXPECT_TRUE(watch(2, id).empty());
    EXPECT_STREQ(get(c, Object<Name>{id}).text, "open");
    refusing = true;
    EXPECT_EQ(kinds(watch(2, id)), (Kinds{EventKind::claim_refused, EventKind::object_changed}));
    EXPECT_STREQ(get(c, Object<Name>{id}).text, "broken");
}

TEST_F(ThreePeers, AnObjectThatDiesWhileItIsClaimedIsRefusedAsDead)
{
    const ObjectId id = create(b, DOOR, Name{"shut"});
    const ObjectId other = create(b, DOOR, Name{"other"});
    settle();
    for (const ObjectId each : {other, id}) {
        claim(c, each, ClaimMode::optimistic);
        set(c, Object<Name>{each}, Name{"open"});
    }
    destroy(b, id);
    const std::vector<Event> seen = watch(2, id);
    EXPECT_EQ(kinds(seen), (Kinds{EventKind::object_destroyed, EventKind::claim_refused}));
    EXPECT_EQ(seen[1].claim.refusal, ClaimRefusal::dead);
    EXPECT_FALSE(exists(c, id));
    EXPECT_STREQ(get(c, Object<Name>{other}).text, "open"); // The claim on `other` is still open.
    EXPECT_TRUE(world.converged());
}

TEST_F(ThreePeers, TheHostsOwnOptimisticClaimsAreLikeOthers)
{
    const auto [body, vault] = claimed_by(a);
    set(a, Object<Body>{body}, with_health(a, body, 60));
    set(a, Object<Name>{vault}, Name{"tin"});
    std::vector<Event> seen;
    world.step([&](size_t node, const std::vector<Event> &events) {
        if (node == 0) seen = events;
    });
    EXPECT_EQ(kinds(seen), (Kinds{EventKind::claim_refused, EventKind::object_changed,
                                  EventKind::owner_changed, EventKind::claim_granted}));
    EXPECT_STREQ(get(a, Object<Name>{vault}).text, "gold");
    EXPECT_EQ(get(a, Object<Body>{body}).health, 60);
    ASSERT_TRUE(world.step_until_converged());
    EXPECT_EQ(get(c, Object<Body>{body}).health, 60);
}

TEST_F(ThreePeers, AHostThatIsAskedSpeaksOfItsOwnCopyAndNotOfWhatItHasSet)
{
    const ObjectId id = create(b, DOOR, Name{"shut"});
    settle();
    claim(a, id, ClaimMode::optimistic);
    step(); // The host's game receives claim_asked, and then migrates the object to c.
    set(a, Object<Name>{id}, Name{"mine"});
    ASSERT_TRUE(migrate(a, id, local_peer(c)));
    bool leaked = false, refused = false;
    for (int i = 0; i < 60; ++i)
        world.step([&](size_t node, const std::vector<Event> &events) {
            refused = refused || (node == 0 && has(events, EventKind::claim_refused));
            leaked = leaked || std::strcmp(get(b, Object<Name>{id}).text, "mine") == 0 ||
                     std::strcmp(get(c, Object<Name>{id}).text, "mine") == 0;
        });
    EXPECT_TRUE(refused);
    EXPECT_FALSE(leaked);
    for (Session *session : {a, b, c})
        EXPECT_STREQ(get(session, Object<Name>{id}).text, "shut");
    EXPECT_EQ(object_owner(a, id), local_peer(c));
}

TEST_F(ThreePeers, AClaimThatWaitsMayBecomeOptimistic)
{
    const ObjectId id = create(b, DOOR, Name{"shut"});
    settle();
    claim(c, id);
    world.step();
    claim(c, id, ClaimMode::optimistic);
    claim(c, id); // A plain claim does not undo the optimistic one.
    set(c, Object<Name>{id}, Name{"open"});
    set(c, Object<Name>{id}, Name{"wide open"});
    granting = true;
    EXPECT_EQ(kinds(watch(2, id)), (Kinds{EventKind::owner_changed, EventKind::claim_granted}));
    EXPECT_STREQ(get(a, Object<Name>{id}).text, "wide open");
    EXPECT_TRUE(world.converged());
}

TEST_F(ThreePeers, AnOptimisticClaimThatSetNothingIsAClaim)
{
    const auto [granted, refused] = claimed_by(c);
    std::vector<Event> of_refused;
    EXPECT_EQ(kinds(watch(2, granted, &of_refused, refused)),
              (Kinds{EventKind::owner_changed, EventKind::claim_granted}));
    EXPECT_EQ(kinds(of_refused), (Kinds{EventKind::claim_refused}));
    EXPECT_EQ(get(c, Object<Body>{granted}).health, 4);
}

TEST_F(ThreePeers, OptimisticValuesStayWhileTheHostChanges)
{
    const ObjectId id = settled_body(c);
    world.nodes[0].crashed = true;
    world.steps(10);
    claim(b, id, ClaimMode::optimistic); // The host is dead, but b has not noticed yet.
    set(b, Object<Body>{id}, with_health(b, id, 70));
    std::vector<Event> seen;
    for (int i = 0; i < 300 && object_owner(c, id) != local_peer(b); ++i)
        world.step([&](size_t node, const std::vector<Event> &events) {
            EXPECT_EQ(get(b, Object<Body>{id}).health, 70);
            for (const Event &event : events)
                if (node == 1 && object_of(event) == id) seen.push_back(event);
        });
    EXPECT_EQ(kinds(seen), (Kinds{EventKind::owner_changed, EventKind::claim_granted}));
    ASSERT_TRUE(world.step_until_converged());
    EXPECT_EQ(get(c, Object<Body>{id}).health, 70);
}

TEST_F(ThreePeers, InAMinorityTheyWaitAndGoOnGrantsThem)
{
    world.add();
    ASSERT_TRUE(world.step_until_open());
    const ObjectId id = settled_body(b);
    for (const size_t other : {0u, 1u, 3u})
        world.cut(2, other, true);
    claim(c, id, ClaimMode::optimistic);
    set(c, Object<Body>{id}, with_health(c, id, 80));
    for (int i = 0; i < 600 && session_state(c) == State::open; ++i)
        world.step();
    ASSERT_EQ(session_state(c), State::cut_off);
    EXPECT_EQ(get(c, Object<Body>{id}).health, 80);
    go_on(c);
    EXPECT_EQ(kinds(watch(2, id)), (Kinds{EventKind::owner_changed, EventKind::claim_granted}));
    EXPECT_EQ(get(c, Object<Body>{id}).health, 80);
    EXPECT_EQ(static_cast<const Body *>(inspect::replicated(c, id))->health, 80);
}

TEST_F(ThreePeers, WhoIsRemovedShowsWhatWasReplicated)
{
    const ObjectId id = door_opened_by_c();
    world.steps(10);
    remove(a, local_peer(c));
    for (int i = 0; i < 200 && session_state(c) == State::open; ++i)
        world.step();
    ASSERT_EQ(session_state(c), State::removed);
    EXPECT_STREQ(get(c, Object<Name>{id}).text, "shut");
}

TEST_F(ThreePeers, ManyOptimisticClaimsAreAnsweredEachForItself)
{
    std::vector<ObjectId> ids;
    for (int i = 0; i < 30; ++i)
        ids.push_back(create(b, i % 3 == 0 ? DOOR : NAME, Name{"begun"}));
    settle();
    for (size_t i = 0; i < ids.size(); ++i) {
        claim(c, ids[i], ClaimMode::optimistic);
        if (i % 5 != 0) set(c, Object<Name>{ids[i]}, Name{"set"});
    }
    refusing = true;
    destroy(b, ids[1]);
    watch(2, ids[0]);
    ASSERT_TRUE(world.step_until_converged());
    for (size_t i = 0; i < ids.size(); ++i) {
        if (i == 1) continue;
        const bool ours = i % 3 != 0;
        const bool changed = ours && i % 5 != 0;
        ASSERT_TRUE(exists(a, ids[i]));
        EXPECT_EQ(object_owner(a, ids[i]), ours ? local_peer(c) : local_peer(b)) << i;
        for (Session *session : {a, b, c})
            EXPECT_STREQ(get(session, Object<Name>{ids[i]}).text, changed ? "set" : "begun") << i;
        EXPECT_FALSE(inspect::is_optimistic(c, ids[i]));
    }
    EXPECT_FALSE(exists(a, ids[1]));
}
