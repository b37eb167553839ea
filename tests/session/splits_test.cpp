// Networks that fall apart for longer than timeout_ms, and heal: who goes on, who waits, and that
// all are one session again.
#include "tests/session/sim_world.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace tern;
using namespace tern::test;

namespace {

constexpr uint64_t second_us = 1'000'000;

struct Case {
    uint64_t seed;
    Topology topology;
};

// Each peer has an object that it moves all the time. The games do not look at the state: what
// cannot be done while a peer is cut off does nothing.
struct Play {
    SimWorld world;
    std::vector<ObjectId> own;
    std::vector<PeerId> ids;
    int moves = 0;

    explicit Play(const Case &c) : world(c.seed, {20, 60, 0.02f, 0.01f})
    {
        world.config.topology = c.topology;
        world.tick_us = 16'667;
    }

    bool open(size_t count)
    {
        if (!world.open(count)) return false;
        for (const Node &node : world.nodes) {
            own.push_back(create(node.session, BODY, Body{{0, 0, 0}, 100}));
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
            set(session, own[i], Body{{static_cast<float>(moves % 90), 1, 2}, 100});
        const bool is_in = other_peers(session).size() + 1 == world.nodes.size();
        if (state == State::cut_off && is_in && moves % 10 == 0) {
            EXPECT_EQ(create(session, BODY, Body{}), ObjectId::none);
            EXPECT_FALSE(claim(session, own[(i + 1) % own.size()]));
        }
    }

    void run(uint64_t duration_us)
    {
        for (const uint64_t end_us = world.now_us + duration_us; world.now_us < end_us;)
            world.step([&](size_t node, const std::vector<Event> &) {
                if (!own.empty()) play(node);
            });
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
    ASSERT_TRUE(game.world.step_until_converged()) << game.world.describe();
    EXPECT_EQ(local_peer(host), game.ids[0]);
    EXPECT_NE(local_peer(guest), game.ids[1]);
    EXPECT_EQ(object_owner(guest, game.own[1]), game.ids[0]);
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
    EXPECT_TRUE(game.world.step_until_converged()) << game.world.describe();
    EXPECT_EQ(host_peer(game.world.nodes[0].session), next);
}

std::vector<Case> cases()
{
    std::vector<Case> all;
    for (uint64_t seed = 1; seed <= 20; ++seed)
        for (const Topology topology : {Topology::mesh, Topology::star})
            all.push_back({seed, topology});
    return all;
}

INSTANTIATE_TEST_SUITE_P(In, Splits, testing::ValuesIn(cases()), [](const auto &in) {
    return std::string(in.param.topology == Topology::star ? "Star" : "Mesh") +
           std::to_string(in.param.seed);
});

}
