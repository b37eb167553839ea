#include "programs/demo/game.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace demo {
namespace {

Body body(float x, float y, float velocity_x, float velocity_y, bool mine = true)
{
    Body body = {};
    body.cube.position[0] = x;
    body.cube.position[1] = y;
    body.cube.velocity[0] = velocity_x;
    body.cube.velocity[1] = velocity_y;
    body.mine = mine;
    return body;
}

std::vector<Body> crowd(uint32_t seed, size_t count)
{
    std::mt19937 random(seed);
    const auto between = [&random](float low, float high) {
        return low + (high - low) * static_cast<float>(random() % 10'000) / 10'000;
    };
    std::vector<Body> bodies;
    for (size_t i = 0; i < count; ++i)
        bodies.push_back(body(between(1, room_width - 1), between(1, room_height - 1),
                              between(-30, 30), between(-30, 30), i % 3 != 0));
    return bodies;
}

double energy(const std::vector<Body> &bodies)
{
    double energy = 0;
    for (const Body &body : bodies)
        for (float velocity : body.cube.velocity)
            energy += double{velocity} * double{velocity};
    return energy;
}

const Push nobody = {};

TEST(Physics, TheSameInputGivesTheSameBits)
{
    std::vector<Body> a = crowd(1, 100), b = crowd(1, 100);
    const Push push = {{40, 16}, PeerId{3}};
    for (int tick = 0; tick < 600; ++tick) {
        physics::step(a, push);
        physics::step(b, push);
    }
    for (size_t i = 0; i < a.size(); ++i)
        EXPECT_EQ(0, std::memcmp(&a[i].cube, &b[i].cube, sizeof(Cube))) << i;
}

TEST(Physics, CubesStayInTheRoomAndBelowTheGreatestSpeed)
{
    std::vector<Body> bodies = crowd(2, 200);
    for (int tick = 0; tick < 600; ++tick) {
        const Push push = {{static_cast<float>(tick % 78), 16}, PeerId{1}};
        physics::step(bodies, push);
        for (const Body &body : bodies) {
            const float limit[2] = {room_width, room_height};
            for (int axis = 0; axis < 2; ++axis) {
                ASSERT_GE(body.cube.position[axis], 0) << "tick " << tick;
                ASSERT_LE(body.cube.position[axis], limit[axis]) << "tick " << tick;
                ASSERT_LE(std::abs(body.cube.velocity[axis]), speed_max) << "tick " << tick;
            }
        }
    }
}

TEST(Physics, ObstaclesOfOtherPeersAreNotTouched)
{
    const std::vector<Body> before = crowd(3, 100);
    std::vector<Body> bodies = before;
    const Push push = {{40, 16}, PeerId{1}};
    for (int tick = 0; tick < 60; ++tick)
        physics::step(bodies, push);
    size_t moved = 0;
    for (size_t i = 0; i < bodies.size(); ++i) {
        const bool same = std::memcmp(&bodies[i].cube, &before[i].cube, sizeof(Cube)) == 0;
        if (!bodies[i].mine)
            EXPECT_TRUE(same) << i;
        else
            moved += !same;
    }
    EXPECT_GT(moved, 60u);
}

TEST(Physics, CubesThatMeetExchangeTheirSpeedsAndCountTheBump)
{
    std::vector<Body> bodies = {body(10, 10, 6, 0), body(10.9f, 10, -2, 0)};
    physics::step(bodies, nobody);
    EXPECT_EQ(-2, bodies[0].cube.velocity[0]);
    EXPECT_EQ(6, bodies[1].cube.velocity[0]);
    EXPECT_EQ(1, bodies[0].cube.bumps);
    EXPECT_EQ(1, bodies[1].cube.bumps);
    EXPECT_GE(bodies[1].cube.position[0] - bodies[0].cube.position[0], 0.999f);
}

TEST(Physics, CubesThatMoveApartAlreadyAreLeftAlone)
{
    std::vector<Body> bodies = {body(10, 10, -6, 0), body(10.5f, 10, 2, 0)};
    physics::step(bodies, nobody);
    EXPECT_EQ(-6, bodies[0].cube.velocity[0]);
    EXPECT_EQ(2, bodies[1].cube.velocity[0]);
    EXPECT_EQ(0, bodies[0].cube.bumps);
}

TEST(Physics, CollisionsAmongOnesOwnKeepTheEnergy)
{
    std::vector<Body> bodies = crowd(4, 60);
    for (Body &body : bodies)
        body.mine = true;
    const double before = energy(bodies);
    uint32_t bumps = 0;
    for (int tick = 0; tick < 600; ++tick)
        physics::step(bodies, nobody);
    for (const Body &body : bodies)
        bumps += body.cube.bumps;
    EXPECT_GT(bumps, 60u);
    EXPECT_NEAR(before, energy(bodies), before * 1e-6);
}

TEST(Physics, AWallTurnsACubeBack)
{
    std::vector<Body> bodies = {body(0.55f, 10, -30, 0)};
    physics::step(bodies, nobody);
    EXPECT_EQ(30, bodies[0].cube.velocity[0]);
    EXPECT_EQ(0.5f, bodies[0].cube.position[0]);
    EXPECT_EQ(1, bodies[0].cube.bumps);
}

TEST(Physics, AnObstacleTurnsACubeBack)
{
    std::vector<Body> bodies = {body(10, 10, 6, 0), body(10.9f, 10, 0, 0, false)};
    physics::step(bodies, nobody);
    EXPECT_EQ(-6, bodies[0].cube.velocity[0]);
    EXPECT_LE(bodies[0].cube.position[0], 9.9001f);
}

TEST(Physics, APlayerPushesWhatIsNearAwayAndLeavesItsMark)
{
    std::vector<Body> bodies = {body(12, 10, 0, 0), body(30, 10, 0, 0)};
    physics::step(bodies, {{10, 10}, PeerId{7}});
    EXPECT_GT(bodies[0].cube.velocity[0], 0);
    EXPECT_EQ(PeerId{7}, bodies[0].cube.pusher);
    EXPECT_EQ(0, bodies[1].cube.velocity[0]);
    EXPECT_EQ(PeerId::none, bodies[1].cube.pusher);
}

TEST(Physics, AWalkEndsAtItsGoalAndNotBeyond)
{
    float position[2] = {0, 0};
    const float goal[2] = {3, 4};
    physics::walk(position, goal, 1);
    EXPECT_NEAR(0.6f, position[0], 1e-6f);
    EXPECT_NEAR(0.8f, position[1], 1e-6f);
    physics::walk(position, goal, 100);
    EXPECT_EQ(3, position[0]);
    EXPECT_EQ(4, position[1]);
}

}
}
