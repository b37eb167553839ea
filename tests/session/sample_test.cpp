// sample() of other peers' objects, interpolated between the received states and extrapolated
// beyond them.
#include "tern/prediction.hpp"
#include "tern/untyped.hpp"
#include "tests/session/sim_world.h"
#include <cmath>
#include <gtest/gtest.h>

namespace tern {
namespace {

using test::Node;
using test::SimWorld;

struct Mover {
    float place[2];
    int32_t health;
};
const Field exact_fields[] = {
    {"place", FieldKind::float32, offsetof(Mover, place), 2, -1000, 1000, 0.001},
    {"health", FieldKind::int32, offsetof(Mover, health)}};
const Field bounded_fields[] = {
    {"place", FieldKind::float32, offsetof(Mover, place), 2, -1000, 1000, 0.001, 0.05},
    {"health", FieldKind::int32, offsetof(Mover, health)}};
enum : TypeId { EXACT, BOUNDED, PREDICTED };
std::vector<Type> movers()
{
    std::vector<Type> types = {{"exact", sizeof(Mover), exact_fields, 8},
                               {"bounded", sizeof(Mover), bounded_fields, 8},
                               {"predicted", sizeof(Mover), bounded_fields, 8}};
    types[PREDICTED].predicted = true;
    return types;
}

// The mover at this time, at 3 m/s on a circle with a radius of 5 m.
Mover at_us(uint64_t now_us)
{
    const double angle = 0.6 * static_cast<double>(now_us) * 1e-6;
    return {{static_cast<float>(5 * std::cos(angle)), static_cast<float>(5 * std::sin(angle))}, 1};
}

float apart(const Mover &a, const Mover &b)
{
    return std::hypot(a.place[0] - b.place[0], a.place[1] - b.place[1]);
}

struct Course {
    std::vector<Type> types = movers();
    SimWorld world;
    ObjectId id = ObjectId::none;
    uint64_t moved_us = 0;

    Course(TypeId type, Topology topology, Impairment impairment) : world(1, impairment)
    {
        world.config.types = types;
        world.config.topology = topology;
        world.tick_us = 16'667;
        EXPECT_TRUE(world.open(3));
        id = create(world.nodes[1].session, type, at_us(world.now_us));
    }
    void step(bool moves)
    {
        world.step([&](size_t i, const std::vector<Event> &) {
            if (i != 1 || !moves) return;
            set(world.nodes[1].session, Object<Mover>{id}, at_us(world.now_us));
            moved_us = world.now_us;
        });
    }
    void steps(int count, bool moves)
    {
        for (int i = 0; i < count; ++i)
            step(moves);
    }
};

class Sampled : public testing::TestWithParam<std::pair<TypeId, Topology>> {};

TEST_P(Sampled, IsWithinTheBoundOfWhatTheOwnerHad)
{
    Course c(GetParam().first, GetParam().second, {20, 60, 0, 0});
    c.steps(600, true);
    const Session *there = c.world.nodes[2].session;
    float last_step = 0, worst = 0, worst_step = 0;
    Mover before = {};
    for (int i = 0; i < 300; ++i) {
        c.step(true);
        Mover now = {};
        ASSERT_TRUE(sample(there, Object<Mover>{c.id}, c.world.now_us, now));
        // The sample must lie near where the mover was at some time in the last 120 ms.
        float off = INFINITY;
        for (uint64_t late_us = 0; late_us < 120'000; late_us += 500)
            off = std::min(off, apart(now, at_us(c.world.now_us - late_us)));
        worst = std::max(worst, off);
        last_step = i > 0 ? apart(now, before) : 0;
        worst_step = std::max(worst_step, std::fabs(last_step - (i > 0 ? 0.05f : 0)));
        before = now;
        Mover then = {};
        ASSERT_TRUE(sample(there, Object<Mover>{c.id}, c.world.now_us - 150'000, then));
        EXPECT_EQ(then.health, 1);
    }
    EXPECT_LT(worst, 0.15f);
    EXPECT_LT(worst_step, 0.25f); // 40 ms of jitter are 0.12 m at 3 m/s.
    c.steps(120, false);
    Mover rest = {};
    ASSERT_TRUE(sample(there, Object<Mover>{c.id}, c.world.now_us, rest));
    EXPECT_EQ(std::memcmp(&rest, &get(there, Object<Mover>{c.id}), sizeof rest), 0);
    EXPECT_EQ(std::memcmp(&rest, &get(c.world.nodes[1].session, Object<Mover>{c.id}), sizeof rest),
              0);
}

INSTANTIATE_TEST_SUITE_P(All, Sampled,
                         testing::Values(std::pair{BOUNDED, Topology::mesh},
                                         std::pair{BOUNDED, Topology::star},
                                         std::pair{PREDICTED, Topology::mesh},
                                         std::pair{PREDICTED, Topology::star}));

TEST(Sample, OfAnExactTypeAndOfOnesOwnIsThePresentValue)
{
    Course c(EXACT, Topology::mesh, {20, 20, 0, 0});
    c.steps(60, true);
    for (const size_t i : {1u, 2u}) {
        const Session *session = c.world.nodes[i].session;
        Mover now = {};
        ASSERT_TRUE(sample(session, Object<Mover>{c.id}, c.world.now_us - 50'000, now));
        EXPECT_EQ(apart(now, get(session, Object<Mover>{c.id})), 0);
    }
}

TEST(Sample, OfWhatIsDeadIsNothing)
{
    Course c(BOUNDED, Topology::mesh, {20, 20, 0, 0});
    c.steps(30, true);
    destroy(c.world.nodes[1].session, c.id);
    c.steps(30, false);
    Mover kept = {{7, 7}, 7};
    EXPECT_FALSE(sample(c.world.nodes[2].session, Object<Mover>{c.id}, c.world.now_us, kept));
    EXPECT_EQ(kept.health, 7);
}

TEST(Sample, ANewOwnerBeginsWithWhatWasTold)
{
    Course c(PREDICTED, Topology::mesh, {20, 40, 0, 0});
    c.steps(200, true);
    claim(c.world.nodes[0].session, c.id);
    const Session *there = c.world.nodes[2].session;
    for (int i = 0; i < 60; ++i) {
        const bool owns =
            object_owner(c.world.nodes[1].session, c.id) == local_peer(c.world.nodes[1].session);
        c.step(owns && object_owner(c.world.nodes[0].session, c.id) !=
                           local_peer(c.world.nodes[0].session));
        Mover now = {};
        ASSERT_TRUE(sample(there, Object<Mover>{c.id}, c.world.now_us, now));
        EXPECT_LT(apart(now, at_us(c.moved_us)), 1.5f);
    }
    Mover rest = {};
    ASSERT_TRUE(sample(there, Object<Mover>{c.id}, c.world.now_us, rest));
    EXPECT_EQ(apart(rest, get(c.world.nodes[0].session, Object<Mover>{c.id})), 0);
}

}
}
