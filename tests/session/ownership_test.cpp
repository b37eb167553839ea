#include "tern/diagnostics.hpp"
#include "tern/ownership.hpp"
#include "tests/session/three_peers.h"

using namespace tern;
using namespace tern::test;

// --- release_ownership() ---

TEST_F(ThreePeers, AReleasedObjectGoesToTheHost)
{
    const ObjectId id = settled_body(b);
    release_ownership(b, id);
    release_ownership(b, id); // A second call has no effect.
    EXPECT_EQ(object_owner(b, id), local_peer(b));
    const std::vector<Event> seen = watch(1, id);
    ASSERT_EQ(kinds(seen), (Kinds{EventKind::owner_changed}));
    EXPECT_EQ(seen[0].owner.owner, local_peer(a));
    EXPECT_EQ(seen[0].owner.previous, local_peer(b));
    for (Session *session : {a, b, c})
        EXPECT_EQ(object_owner(session, id), local_peer(a));
    const uint64_t tenure = object_stamp(a, id);
    release_ownership(a, id); // The host owns the object already, so this has no effect.
    EXPECT_TRUE(watch(0, id).empty());
    EXPECT_EQ(object_stamp(a, id), tenure);
}

TEST_F(ThreePeers, WhatIsSetAfterTheReleaseIsLostAndTheFormerOwnerIsTold)
{
    const ObjectId id = settled_body(b);
    release_ownership(b, id);
    Body body = get(b, Object<Body>{id});
    std::vector<Event> seen;
    for (int i = 0; i < 60; ++i)
        world.step([&](size_t node, const std::vector<Event> &events) {
            if (node != 1) return;
            for (const Event &event : events)
                if (object_of(event) == id) seen.push_back(event);
            if (object_owner(b, id) != local_peer(b)) return;
            body.health += 1;
            set(b, Object<Body>{id}, body);
        });
    ASSERT_EQ(kinds(seen), (Kinds{EventKind::owner_changed}));
    EXPECT_GT(seen[0].owner.lost_ticks, 0u);
    EXPECT_TRUE(world.converged());
}

TEST_F(ThreePeers, AReleaseIsToldToTheNextHost)
{
    const ObjectId id = settled_body(c);
    world.nodes[0].crashed = true;
    world.step();
    release_ownership(c, id); // No host can grant the object yet.
    ASSERT_TRUE(world.step_until_converged());
    EXPECT_EQ(object_owner(b, id), local_peer(b));
    EXPECT_EQ(object_owner(c, id), local_peer(b));
}

TEST_F(ThreePeers, WhoReleasesAndIsTheNextHostKeepsTheObject)
{
    const ObjectId id = settled_body(b);
    world.nodes[0].crashed = true;
    world.step();
    release_ownership(b, id);
    std::vector<Event> seen;
    world.steps(300, [&](size_t node, const Event &event) {
        if (node == 1 && object_of(event) == id) seen.push_back(event);
    });
    // The new host grants the released object to itself.
    ASSERT_EQ(kinds(seen), (Kinds{EventKind::owner_changed}));
    EXPECT_EQ(seen[0].owner.previous, local_peer(b));
    EXPECT_EQ(object_owner(b, id), local_peer(b));
    EXPECT_TRUE(world.converged());
}

TEST_F(ThreePeers, AClaimOfOnesOwnObjectDoesNothing)
{
    const ObjectId id = create(b, BODY, Body{{1, 2, 3}, 1});
    settle();
    EXPECT_TRUE(claim(b, id));
    EXPECT_TRUE(claim(b, id, ClaimMode::optimistic));
    EXPECT_EQ(kinds(watch(1, id)), Kinds{});
    EXPECT_EQ(object_owner(a, id), local_peer(b));
    set(b, Object<Body>{id}, Body{{4, 5, 6}, 2});
    settle();
    EXPECT_EQ(get(a, Object<Body>{id}).health, 2);
}

// --- lock() ---

TEST_F(ThreePeers, ALockedObjectIsNotGrantedUntilItIsUnlocked)
{
    const ObjectId id = locked_body(b);
    claim(c, id);
    const std::vector<Event> seen = watch(2, id);
    ASSERT_EQ(kinds(seen), (Kinds{EventKind::claim_refused}));
    EXPECT_EQ(seen[0].claim.refusal, ClaimRefusal::locked);
    lock(b, id, false);
    settle();
    claim(c, id);
    EXPECT_EQ(kinds(watch(2, id)), (Kinds{EventKind::owner_changed, EventKind::claim_granted}));
}

TEST_F(ThreePeers, TheHostsGameGivesAwayWhatIsLockedAndTheLockEndsWithTheTenure)
{
    const ObjectId id = locked_body(b);
    ASSERT_TRUE(migrate(a, id, local_peer(c)));
    EXPECT_EQ(kinds(watch(2, id)), (Kinds{EventKind::owner_changed}));
    claim(b, id);
    EXPECT_EQ(kinds(watch(1, id)), (Kinds{EventKind::owner_changed, EventKind::claim_granted}));
}

TEST_F(ThreePeers, TheHostLocksItsOwnObjectsLikeOthers)
{
    const ObjectId id = locked_body(a);
    claim(b, id);
    EXPECT_EQ(kinds(watch(1, id)), (Kinds{EventKind::claim_refused}));
    lock(a, id, false);
    claim(b, id);
    EXPECT_EQ(kinds(watch(1, id)), (Kinds{EventKind::owner_changed, EventKind::claim_granted}));
}

TEST_F(ThreePeers, ALockIsToldToTheNextHost)
{
    world.add();
    ASSERT_TRUE(world.step_until_open());
    const ObjectId id = locked_body(c);
    world.nodes[0].crashed = true;
    ASSERT_TRUE(world.step_until_converged());
    claim(world.nodes[3].session, id);
    EXPECT_EQ(kinds(watch(3, id)), (Kinds{EventKind::claim_refused}));
}

// --- balance() ---

TEST_F(ThreePeers, ABalancedTypeIsSpreadEvenlyAndTheLockedStay)
{
    std::vector<ObjectId> ids;
    for (int i = 0; i < 12; ++i)
        ids.push_back(create(b, BODY, Body{{1, 2, 3}, i}));
    create(c, NAME, Name{"another type"});
    lock(b, ids[0], true);
    settle();
    balance(a, BODY);
    ASSERT_TRUE(world.step_until_converged());
    for (Session *of : {a, b, c}) {
        int owned = 0;
        for (const ObjectId id : object_ids(a, BODY))
            owned += object_owner(a, id) == local_peer(of);
        EXPECT_EQ(owned, 4);
    }
    EXPECT_EQ(object_owner(a, ids[0]), local_peer(b));
    const uint64_t before = session_stats(a).migrations;
    balance(a, BODY);
    ASSERT_TRUE(world.step_until_converged());
    EXPECT_EQ(session_stats(a).migrations, before);
}

// --- A destroy that crosses a migration ---

namespace {

// Checks the events that one peer receives about an object that was claimed and destroyed. A peer
// that claimed gets exactly one answer, object_destroyed comes at most once, and only a refusal may
// follow it. A peer that destroyed the object itself gets no object_destroyed.
void check_story(const std::vector<Event> &seen, bool claimed, bool destroyed_itself)
{
    int answers = 0, deaths = 0;
    for (size_t i = 0; i < seen.size(); ++i) {
        const EventKind kind = seen[i].kind;
        const bool granted = kind == EventKind::claim_granted;
        const bool refused = kind == EventKind::claim_refused;
        answers += granted || refused;
        if (granted) {
            ASSERT_GT(i, 0u);
            EXPECT_EQ(seen[i - 1].kind, EventKind::owner_changed);
        }
        EXPECT_TRUE(!refused || seen[i].claim.refusal == ClaimRefusal::dead);
        EXPECT_TRUE(deaths == 0 || refused);
        deaths += kind == EventKind::object_destroyed;
    }
    EXPECT_EQ(answers, claimed ? 1 : 0);
    EXPECT_EQ(deaths, destroyed_itself ? 0 : 1);
}

struct Crossing {
    // Ticks from the claim to the former owner's destroy(), and from the change of owner to the new
    // owner's; -1: that owner does not destroy it.
    int former_after, new_after;
    bool by_host = false; // The host's game migrates the object, and nobody claims it.
};

// Moves an object from node 1 to node 2 while one of the two destroys it. The second counter counts
// the runs in which node 2 received owner_changed, the first one the other runs.
void cross(uint64_t seed, const Crossing &crossing, int (&heard)[2])
{
    SimWorld world(seed, {10, 150, 0.1f, 0.1f});
    ASSERT_TRUE(world.open(3));
    Session *peers[3] = {world.nodes[0].session, world.nodes[1].session, world.nodes[2].session};
    const ObjectId id = create(peers[1], BODY, Body{{1, 2, 3}, 4});
    ASSERT_TRUE(world.step_until_converged());
    if (crossing.by_host)
        EXPECT_TRUE(migrate(peers[0], id, local_peer(peers[2])));
    else
        claim(peers[2], id);
    std::vector<Event> seen[3];
    bool destroyed[3] = {};
    int owned_since = -1;
    for (int tick = 0; tick < 120; ++tick)
        world.step([&](size_t node, const std::vector<Event> &events) {
            for (const Event &event : events)
                if (object_of(event) == id) seen[node].push_back(event);
            Session *session = peers[node];
            if (!exists(session, id) || object_owner(session, id) != local_peer(session)) return;
            if (node == 2 && owned_since < 0) owned_since = tick;
            const bool due = node == 1 ? crossing.former_after == tick
                                       : node == 2 && crossing.new_after >= 0 &&
                                             tick >= owned_since + crossing.new_after;
            if (!due) return;
            destroy(session, id);
            destroyed[node] = true;
        });
    // The object had left its former owner before the planned destroy().
    if (!destroyed[1] && !destroyed[2]) return;
    for (size_t node = 0; node < 3; ++node) {
        SCOPED_TRACE(node);
        EXPECT_FALSE(exists(peers[node], id));
        check_story(seen[node], node == 2 && !crossing.by_host, destroyed[node]);
    }
    heard[has(seen[2], EventKind::owner_changed)] += 1;
    EXPECT_TRUE(world.step_until_converged());
}

}

struct Crossings : testing::TestWithParam<bool> {};

TEST_P(Crossings, ADestroyIsFinalAndEverybodyIsToldOnce)
{
    int owned[2] = {};
    for (uint64_t seed = 1; seed <= 8; ++seed)
        for (int former_after = 0; former_after < 10; ++former_after)
            for (const int new_after : {-1, 0, 2}) {
                SCOPED_TRACE(testing::Message() << "seed " << seed << ", former owner after "
                                                << former_after << ", new one after " << new_after);
                cross(seed, {former_after, new_after, GetParam()}, owned);
                if (HasFailure()) return;
            }
    // Both orders occur: destroyed before node 2 owned the object, and afterwards.
    EXPECT_GT(owned[0], 0);
    EXPECT_GT(owned[1], 0);
}

TEST_P(Crossings, TheNewOwnersDestroyToo)
{
    int owned[2] = {};
    for (uint64_t seed = 1; seed <= 8; ++seed)
        for (int new_after = 0; new_after < 6; ++new_after) {
            SCOPED_TRACE(testing::Message() << "seed " << seed << ", after " << new_after);
            cross(seed, {-1, new_after, GetParam()}, owned);
            if (HasFailure()) return;
        }
    EXPECT_EQ(owned[0], 0);
    EXPECT_EQ(owned[1], 48);
}

INSTANTIATE_TEST_SUITE_P(ByHost, Crossings, testing::Bool());

// --- Claims of objects that no peer knows ---

TEST_F(ThreePeers, ClaimsOfUnknownObjectsHaveABoundAndEachOneTakenIsAnswered)
{
    constexpr uint64_t unknown = uint64_t{9} << 32 | 1;
    for (const size_t node : {0u, 1u}) {
        Session *s = world.nodes[node].session;
        uint64_t taken = 0;
        while (claim(s, static_cast<ObjectId>(unknown + taken), ClaimMode::optimistic))
            ASSERT_LT(++taken, 100'000u);
        EXPECT_GE(taken, 64u);
        EXPECT_TRUE(claim(s, static_cast<ObjectId>(unknown))) << "it is asked already";
        uint64_t answered = 0;
        world.steps(120, [&](size_t at, const Event &event) {
            if (at != node || event.kind != EventKind::claim_refused) return;
            answered += 1;
            EXPECT_EQ(event.claim.refusal, ClaimRefusal::unknown);
            EXPECT_EQ(event.claim.claimer, local_peer(s));
            EXPECT_EQ(event.claim.type, no_type);
        });
        EXPECT_EQ(answered, taken);
        EXPECT_TRUE(claim(s, static_cast<ObjectId>(unknown)));
    }
}

TEST_F(ThreePeers, WhatNobodyCanHaveCreatedIsNotSpokenOf)
{
    refuse_claim(a, ObjectId::none, local_peer(b));
    for (const uint64_t id : {uint64_t{5}, uint64_t{9} << 32, uint64_t{0xffff} << 32 | 1,
                              uint64_t{1} << 48 | uint64_t{1} << 32 | 1}) {
        EXPECT_FALSE(claim(b, static_cast<ObjectId>(id))) << id;
        refuse_claim(a, static_cast<ObjectId>(id), local_peer(b));
    }
    settle();
    EXPECT_EQ(breach_count(peer_stats(a, local_peer(b))), 0u);
    EXPECT_EQ(breach_count(peer_stats(b, local_peer(a))), 0u);
}

// --- claim_cooldown_ms ---

TEST(Cooldown, AnObjectIsGrantedAgainWhenTheTimeHasPassedAndNotBefore)
{
    Type types[std::size(world_types)];
    std::copy(std::begin(world_types), std::end(world_types), types);
    types[BODY].claim_cooldown_ms = 2000;
    SimWorld world(78, {20, 20, 0, 0});
    world.config.types = types;
    ASSERT_TRUE(world.open(3));
    const ObjectId id = create(world.nodes[0].session, BODY, Body{});
    ASSERT_TRUE(world.step_until_converged());
    int granted = 0, refused = 0;
    const auto steps = [&](int count) {
        world.steps(count, [&](size_t, const Event &event) {
            granted += event.kind == EventKind::claim_granted;
            if (event.kind != EventKind::claim_refused) return;
            refused += 1;
            EXPECT_EQ(event.claim.refusal, ClaimRefusal::cooldown);
        });
    };
    claim(world.nodes[1].session, id);
    steps(9);
    EXPECT_EQ(granted, 1); // 0.2 to 0.3 s ago.
    for (int i = 1; i <= 5; ++i) {
        claim(world.nodes[2].session, id);
        steps(9); // 0.3 s
        EXPECT_EQ(refused, i);
    }
    steps(9);
    claim(world.nodes[2].session, id);
    steps(9);
    EXPECT_EQ(granted, 2);
    EXPECT_EQ(refused, 5);
}

// --- owned_max, claims_per_second_max ---

class Quotas : public testing::Test {
  protected:
    // Three members, of which the first has made 8 objects.
    void begin(uint32_t owned_max, uint16_t claims_per_second_max)
    {
        std::copy(std::begin(world_types), std::end(world_types), types);
        types[BODY].owned_max = owned_max;
        types[BODY].claims_per_second_max = claims_per_second_max;
        world.config.types = types;
        ASSERT_TRUE(world.open(3));
        for (ObjectId &object : objects)
            object = create(session(0), BODY, Body{});
        ASSERT_TRUE(world.step_until_converged());
    }

    Session *session(size_t place) { return world.nodes[place].session; }

    void steps(int count)
    {
        world.steps(count, [&](size_t, const Event &event) {
            granted += event.kind == EventKind::claim_granted;
            if (event.kind != EventKind::claim_refused) return;
            refused += 1;
            EXPECT_EQ(event.claim.refusal, ClaimRefusal::quota);
        });
    }

    SimWorld world{79, {20, 20, 0, 0}};
    Type types[std::size(world_types)];
    ObjectId objects[8];
    int granted = 0, refused = 0;
};

TEST_F(Quotas, NobodyClaimsMoreThanAPeerMayOwn)
{
    begin(3, 0);
    const ObjectId made = create(session(1), BODY, Body{}); // Counts as one of three.
    for (const ObjectId object : objects)
        claim(session(1), object);
    steps(15);
    EXPECT_EQ(granted, 2);
    EXPECT_EQ(refused, 6);
    // The host has eight, and gets no more, but what it gives away is taken.
    EXPECT_TRUE(claim(session(0), made));
    steps(15);
    EXPECT_EQ(refused, 7);
    migrate(session(0), objects[7], local_peer(session(1)));
    steps(15);
    EXPECT_EQ(object_owner(session(2), objects[7]), local_peer(session(1)));
    // A peer that has lost one may claim another.
    destroy(session(1), made);
    release_ownership(session(1), objects[7]);
    steps(15);
    claim(session(1), objects[6]);
    steps(15);
    EXPECT_EQ(granted, 3);
    ASSERT_TRUE(world.step_until_converged());
}

TEST_F(Quotas, NobodyClaimsFasterThanATypeAllows)
{
    begin(0, 5);
    for (const ObjectId object : objects)
        claim(session(1), object);
    steps(15); // 0.5 s
    EXPECT_EQ(granted, 5);
    EXPECT_EQ(refused, 3);
    steps(30);
    for (const ObjectId object : objects)
        if (object_owner(session(1), object) != local_peer(session(1))) claim(session(1), object);
    steps(15);
    EXPECT_EQ(granted, 8);
    EXPECT_EQ(refused, 3);
}
