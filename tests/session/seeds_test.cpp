// Whole sessions over a bad network, one per seed. In the end the remaining peers have the same
// world, byte for byte.
#include "tern/diagnostics.hpp"
#include "tern/ownership.hpp"
#include "tern/untyped.hpp"
#include "tests/session/sim_world.h"
#include <gtest/gtest.h>

using namespace tern;
using namespace tern::test;

namespace {

struct Counts {
    uint64_t created = 0, destroyed = 0, migrations = 0, updates = 0, refused = 0, calls = 0;
};

struct Game {
    SimWorld &world;
    Counts &counts;

    float coordinate() { return static_cast<float>(random::unit(world.random) * 200 - 100); }

    ObjectId pick(const Session *session, bool own)
    {
        std::vector<ObjectId> ids;
        for (TypeId type = BODY; type <= VAULT; ++type)
            for (ObjectId id : object_ids(session, type))
                if (exists(session, id) &&
                    (object_owner(session, id) == local_peer(session)) == own)
                    ids.push_back(id);
        return ids.empty() ? ObjectId::none : ids[random::below(world.random, ids.size())];
    }

    void change(Session *session, ObjectId id)
    {
        counts.updates += 1;
        if (object_type(session, id) == BODY) {
            Body body = get(session, Object<Body>{id});
            body.position[random::below(world.random, 3)] = coordinate();
            body.health = static_cast<int32_t>(random::below(world.random, 101));
            set(session, Object<Body>{id}, body);
            return;
        }
        Name name = {};
        std::snprintf(name.text, sizeof name.text, "%llu",
                      static_cast<unsigned long long>(random::below(world.random, 100000)));
        set(session, Object<Name>{id}, name);
    }

    void spawn(Session *session)
    {
        const auto type = static_cast<TypeId>(random::below(world.random, 4));
        ObjectId id = ObjectId::none;
        if (type == BODY)
            id = create(session, BODY, Body{{coordinate(), coordinate(), 0}, 50});
        else
            id = create(session, type, Name{"new"});
        counts.created += id != ObjectId::none;
    }

    void answer(Session *session, const std::vector<Event> &events)
    {
        for (const Event &event : events) {
            if (event.kind == EventKind::call) counts.calls += 1;
            if (event.kind == EventKind::claim_refused) counts.refused += 1;
            if (event.kind != EventKind::claim_asked) continue;
            if (random::chance(world.random, 0.7) &&
                migrate(session, event.claim.object, event.claim.claimer))
                continue;
            refuse_claim(session, event.claim.object, event.claim.claimer);
        }
    }

    void play(size_t i, const std::vector<Event> &events)
    {
        Session *session = world.nodes[i].session;
        if (session_state(session) != State::open) return;
        answer(session, events);
        for (int k = 0; k < 3; ++k) {
            const ObjectId own = pick(session, true);
            if (own != ObjectId::none && random::chance(world.random, 0.7)) change(session, own);
        }
        if (random::chance(world.random, 0.08)) spawn(session);
        const ObjectId own = pick(session, true), other = pick(session, false);
        if (own != ObjectId::none && random::chance(world.random, 0.04)) {
            destroy(session, own);
            counts.destroyed += 1;
        }
        if (other != ObjectId::none && random::chance(world.random, 0.08)) claim(session, other);
        if (other != ObjectId::none && host_peer(session) == local_peer(session) &&
            random::chance(world.random, 0.08))
            migrate(session, other, random_member(session));
        if (random::chance(world.random, 0.05)) call(session, PeerId::everyone, HIT, Hit{other, 1});
    }

    PeerId random_member(const Session *session)
    {
        const std::span<const PeerId> all = other_peers(session);
        const uint64_t k = random::below(world.random, all.size() + 1);
        return k == all.size() ? local_peer(session) : all[k];
    }
};

}

// Runs one seed and adds to the counts. A failure is reported to GoogleTest.
static void play_seed(uint64_t seed, Counts &counts)
{
    Random chance = random::from_seed(seed * 7919);
    const auto peer_count = static_cast<size_t>(3 + random::below(chance, 4));
    Impairment impairment = {};
    impairment.latency_ms_min = static_cast<uint32_t>(5 + random::below(chance, 40));
    impairment.latency_ms_max =
        impairment.latency_ms_min + static_cast<uint32_t>(random::below(chance, 120));
    impairment.loss = static_cast<float>(random::unit(chance) * 0.2);
    impairment.duplicate = static_cast<float>(random::unit(chance) * 0.1);
    SimWorld world(seed, impairment);
    world.tick_us = random::chance(chance, 0.5) ? 16'667 : 50'000;
    const uint64_t play_until = world.now_us + 4'000'000;
    const uint64_t departure = world.now_us + 1'500'000 + random::below(chance, 2'000'000);
    const size_t leaver = 1 + random::below(chance, peer_count - 1);
    const bool crashes = random::chance(chance, 0.6);
    bool departed = false;
    for (size_t i = 0; i < peer_count - 1; ++i)
        world.add();
    Game game = {world, counts};
    while (world.now_us < play_until) {
        world.step([&game](size_t i, const std::vector<Event> &events) { game.play(i, events); });
        if (world.nodes.size() < peer_count && random::chance(chance, 0.05)) world.add();
        if (departed || world.now_us < departure || leaver >= world.nodes.size()) continue;
        departed = true;
        Node &node = world.nodes[leaver];
        if (crashes)
            node.crashed = true;
        else if (session_state(node.session) == State::open ||
                 session_state(node.session) == State::joining)
            leave(node.session);
    }
    const bool converged = world.step_until_converged(static_cast<int>(40'000'000 / world.tick_us));
    EXPECT_TRUE(converged) << "seed " << seed << "\n" << world.describe();
    for (const Node &node : world.nodes) {
        if (node.crashed || session_state(node.session) == State::left) continue;
        EXPECT_EQ(session_state(node.session), State::open)
            << "seed " << seed << state_text(node.session);
        for (PeerId peer : other_peers(node.session))
            EXPECT_EQ(breach_count(peer_stats(node.session, peer)), 0u) << "seed " << seed;
        counts.migrations += session_stats(node.session).migrations;
    }
}

static void play_seeds(uint64_t first, uint64_t last)
{
    Counts counts;
    for (uint64_t seed = first; seed <= last && !testing::Test::HasFailure(); ++seed)
        play_seed(seed, counts);
    std::printf(
        "created %llu destroyed %llu migrations %llu updates %llu refused %llu calls %llu\n",
        static_cast<unsigned long long>(counts.created),
        static_cast<unsigned long long>(counts.destroyed),
        static_cast<unsigned long long>(counts.migrations),
        static_cast<unsigned long long>(counts.updates),
        static_cast<unsigned long long>(counts.refused),
        static_cast<unsigned long long>(counts.calls));
    EXPECT_GT(counts.migrations, 100u);
    EXPECT_GT(counts.destroyed, 100u);
    EXPECT_GT(counts.calls, 100u);
}

// Three tests, which ctest can run in parallel.
TEST(Seeds, AllThatAreLeftConverge1To100)
{
    play_seeds(1, 100);
}

TEST(Seeds, AllThatAreLeftConverge101To200)
{
    play_seeds(101, 200);
}

TEST(Seeds, AllThatAreLeftConverge201To300)
{
    play_seeds(201, 300);
}
