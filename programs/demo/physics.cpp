#include "game.h"
#include <algorithm>
#include <cmath>
#include <utility>

namespace demo::physics {

static constexpr float room_size[2] = {room_width, room_height};
static constexpr float push_reach = 5;
static constexpr float push_acceleration = 80; // Speed per second.

static void push_away(Cube &cube, const Push &push, float seconds)
{
    const float away[2] = {cube.position[0] - push.position[0],
                           cube.position[1] - push.position[1]};
    const float distance = std::hypot(away[0], away[1]);
    if (distance > push_reach || distance == 0) return;
    for (int axis = 0; axis < 2; ++axis)
        cube.velocity[axis] += away[axis] / distance * push_acceleration * seconds;
    cube.pusher = push.player;
}

static void keep_inside(Cube &cube)
{
    for (int axis = 0; axis < 2; ++axis) {
        const float low = cube_size / 2, high = room_size[axis] - low;
        float &position = cube.position[axis];
        float &velocity = cube.velocity[axis];
        if (position >= low && position <= high) continue;
        velocity = position < low ? std::abs(velocity) : -std::abs(velocity);
        position = std::clamp(position, low, high);
        ++cube.bumps;
    }
}

static void move(Cube &cube, float seconds)
{
    for (int axis = 0; axis < 2; ++axis) {
        cube.velocity[axis] = std::clamp(cube.velocity[axis], -speed_max, speed_max);
        cube.position[axis] += cube.velocity[axis] * seconds;
    }
    keep_inside(cube);
}

// If two cubes overlap, moves them apart along the axis on which they overlap least. Two of our own
// exchange their speeds; an obstacle stays and turns ours back.
static void collide(Cube &a, Body &other)
{
    Cube &b = other.cube;
    const float apart[2] = {b.position[0] - a.position[0], b.position[1] - a.position[1]};
    if (std::abs(apart[0]) >= cube_size || std::abs(apart[1]) >= cube_size) return;
    const int axis = std::abs(apart[1]) > std::abs(apart[0]) ? 1 : 0;
    const float depth = std::copysign(cube_size - std::abs(apart[axis]), apart[axis]);
    float &speed_a = a.velocity[axis], &speed_b = b.velocity[axis];
    const bool approaching = depth > 0 ? speed_a > speed_b : speed_a < speed_b;
    a.position[axis] -= other.mine ? depth / 2 : depth;
    if (other.mine) b.position[axis] += depth / 2;
    if (!approaching) return;
    ++a.bumps;
    if (other.mine) {
        ++b.bumps;
        std::swap(speed_a, speed_b);
    } else {
        speed_a = std::copysign(std::max(std::abs(speed_a), std::abs(speed_b)), -depth);
    }
}

void step(std::span<Body> bodies, const Push &push, float seconds)
{
    for (Body &body : bodies) {
        if (!body.mine) continue;
        if (push.player != PeerId::none) push_away(body.cube, push, seconds);
        move(body.cube, seconds);
    }
    for (size_t i = 0; i < bodies.size(); ++i)
        for (size_t j = 0; bodies[i].mine && j < bodies.size(); ++j)
            if (j > i || !bodies[j].mine) collide(bodies[i].cube, bodies[j]);
    for (Body &body : bodies)
        if (body.mine) keep_inside(body.cube);
}

void walk(float (&position)[2], const float (&to)[2], float distance)
{
    const float way[2] = {to[0] - position[0], to[1] - position[1]};
    const float length = std::hypot(way[0], way[1]);
    const float part = length > distance ? distance / length : 1;
    for (int axis = 0; axis < 2; ++axis)
        position[axis] += way[axis] * part;
}

}
