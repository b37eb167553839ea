// type_stats(): the values encoded and decoded, per type.
#include "tern/calls.hpp"
#include "tern/diagnostics.hpp"
#include "tern/untyped.hpp"
#include "tests/session/sim_world.h"
#include <gtest/gtest.h>

using namespace tern;
using namespace tern::test;

namespace {

constexpr Impairment no_loss = {20, 20, 0, 0};
constexpr Impairment lossy = {20, 90, 0.2f, 0.05f};

// Two peers that have played and then converged, so both have received everything.
struct Pair : testing::Test {
    void play(Impairment impairment, Topology topology)
    {
        world = std::make_unique<SimWorld>(5, impairment);
        world->config.topology = topology;
        world->add_all(2);
        ASSERT_TRUE(world->step_until_converged());
        const ObjectId mine = create(at(0), BODY, Body{{1, 2, 3}, 40});
        const ObjectId theirs = create(at(1), BODY, Body{{4, 5, 6}, 70});
        for (int32_t i = 0; i < 50; ++i) {
            set(at(0), Object<Body>{mine}, Body{{static_cast<float>(i), 2, 3}, 40});
            set(at(1), Object<Body>{theirs}, Body{{4, 5, static_cast<float>(i)}, 70});
            const auto how = i % 2 == 0 ? Reliability::reliable : Reliability::unreliable;
            call(at(0), local_peer(at(1)), HIT, Hit{ObjectId::none, i}, how);
            world->step();
        }
        ASSERT_TRUE(world->step_until_converged());
        world->steps(100);
    }
    Session *at(size_t i) { return world->nodes[i].session; }
    std::unique_ptr<SimWorld> world;
};

uint64_t sent_bits(Session *session)
{
    return type_stats(session, BODY).sent_bits + type_stats(session, HIT).sent_bits;
}

}

TEST_F(Pair, WithoutLossWhatOneHasSentTheOtherHasReceived)
{
    for (Topology topology : {Topology::mesh, Topology::star}) {
        play(no_loss, topology);
        for (TypeId type : {BODY, HIT}) {
            const TypeStats a = type_stats(at(0), type), b = type_stats(at(1), type);
            EXPECT_GT(a.sent_messages, 40u) << type;
            EXPECT_GT(a.sent_bits, 8 * a.sent_messages) << type;
            EXPECT_EQ(a.sent_bits, b.received_bits) << type;
            EXPECT_EQ(a.sent_messages, b.received_messages) << type;
            EXPECT_EQ(b.sent_bits, a.received_bits) << type;
            EXPECT_EQ(b.sent_messages, a.received_messages) << type;
        }
        EXPECT_EQ(type_stats(at(1), HIT).sent_messages, 0u);
        EXPECT_EQ(type_stats(at(0), HIT).sent_messages, 50u);
    }
}

TEST_F(Pair, TypesTakeLessThanAllThatIsSent)
{
    play(lossy, Topology::mesh);
    for (size_t i : {0u, 1u}) {
        EXPECT_LT(sent_bits(at(i)), 8 * peer_stats(at(i), local_peer(at(1 - i))).sent_bytes);
        EXPECT_LE(type_stats(at(i), BODY).received_bits, type_stats(at(1 - i), BODY).sent_bits);
    }
}
