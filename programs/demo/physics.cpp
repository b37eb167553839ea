#include "physics.h"
#include <algorithm>
#include <cmath>
#include <utility>

namespace demo::physics {

static constexpr float room_size[2] = {room_width, room_height};
static constexpr float half_size = cube_size / 2;

static void push_away(Cube &cube, const Push &push, float seconds)
{
    const float away[2] = {cube.position[0] - push.position[0],
                           cube.position[1] - push.position[1]};
    const float distance = std::sqrt(away[0] * away[0] + away[1] * away[1]);
    if (distance > push_reach || distance == 0) return;
    for (int axis = 0; axis < 2; ++axis)
        cube.velocity[axis] += away[axis] / distance * push_acceleration * seconds;
    cube.pusher = push.player;
}

static void bump(Cube &cube)
{
    cube.bumps = static_cast<uint16_t>(cube.bumps + 1);
}

static void keep_inside(Cube &cube)
{
    for (int axis = 0; axis < 2; ++axis) {
        const float low = half_size, high = room_size[axis] - half_size;
        float &position = cube.position[axis];
        float &velocity = cube.velocity[axis];
        if (position >= low && position <= high) continue;
        // Away from the wall, whatever pressed it in.
        velocity = position < low ? std::abs(velocity) : -std::abs(velocity);
        position = std::clamp(position, low, high);
        bump(cube);
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

struct Overlap {
    bool exists;
    int axis;    // The one on which they overlap least.
    float depth; // Above 0: b lies on the far side of a.
};

static Overlap overlap(const Cube &a, const Cube &b)
{
    float depth[2];
    for (int axis = 0; axis < 2; ++axis) {
        const float apart = b.position[axis] - a.position[axis];
        if (std::abs(apart) >= cube_size) return {};
        depth[axis] = std::copysign(cube_size - std::abs(apart), apart);
    }
    const int axis = std::abs(depth[1]) < std::abs(depth[0]) ? 1 : 0;
    return {true, axis, depth[axis]};
}

static bool approaching(float velocity_a, float velocity_b, float depth)
{
    return depth > 0 ? velocity_a > velocity_b : velocity_a < velocity_b;
}

// Equal masses: they exchange what they bring along the axis.
static void collide(Cube &a, Cube &b, const Overlap &touch)
{
    a.position[touch.axis] -= touch.depth / 2;
    b.position[touch.axis] += touch.depth / 2;
    float &velocity_a = a.velocity[touch.axis];
    float &velocity_b = b.velocity[touch.axis];
    if (!approaching(velocity_a, velocity_b, touch.depth)) return;
    std::swap(velocity_a, velocity_b);
    bump(a);
    bump(b);
}

// b is another peer's, so only a gives way.
static void bounce_off(Cube &a, const Cube &b, const Overlap &touch)
{
    a.position[touch.axis] -= touch.depth;
    float &velocity = a.velocity[touch.axis];
    if (!approaching(velocity, b.velocity[touch.axis], touch.depth)) return;
    const float speed = std::max(std::abs(velocity), std::abs(b.velocity[touch.axis]));
    velocity = touch.depth > 0 ? -speed : speed;
    bump(a);
}

void step(std::span<Body> bodies, const Push &push, float seconds)
{
    for (Body &body : bodies) {
        if (!body.mine) continue;
        if (push.player != PeerId::none) push_away(body.cube, push, seconds);
        move(body.cube, seconds);
    }
    for (size_t i = 0; i < bodies.size(); ++i) {
        if (!bodies[i].mine) continue;
        for (size_t j = 0; j < bodies.size(); ++j) {
            if (i == j || (bodies[j].mine && j < i)) continue;
            const Overlap touch = overlap(bodies[i].cube, bodies[j].cube);
            if (!touch.exists) continue;
            if (bodies[j].mine)
                collide(bodies[i].cube, bodies[j].cube, touch);
            else
                bounce_off(bodies[i].cube, bodies[j].cube, touch);
        }
    }
    for (Body &body : bodies)
        if (body.mine) keep_inside(body.cube);
}

void walk(float (&position)[2], const float (&to)[2], float distance)
{
    const float way[2] = {to[0] - position[0], to[1] - position[1]};
    const float length = std::sqrt(way[0] * way[0] + way[1] * way[1]);
    const float part = length > distance ? distance / length : 1;
    for (int axis = 0; axis < 2; ++axis)
        position[axis] += way[axis] * part;
}

}
