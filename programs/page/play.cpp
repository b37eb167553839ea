#include "playground.h"
#include "tern/limits.hpp"
#include "tern/ownership.hpp"
#include <algorithm>
#include <cmath>

namespace page::play {

static constexpr float seconds = 1.0f / 60;
static constexpr float player_speed = 7; // Per second.
static constexpr float friction = 2.6f;  // The part of its speed that a cube loses in a second.
static constexpr float speed_max = 24;
// A slower cube rests. Less than half a step of the field would not slow it down any more.
static constexpr float speed_min = 0.25f;
static constexpr float claim_speed_min = 4;      // A slower cube claims none that it meets.
static constexpr uint64_t patience_us = 500'000; // After a refused claim.

struct Body {
    Object<Cube> object;
    Cube cube;
    bool mine;    // False: another peer moves it, so here it is an obstacle.
    bool touched; // Something of ours touches it, so this peer claims it.
    bool held;    // The hand holds it.
};

static float between(Playground &ground, float min, float max)
{
    return min + (max - min) * static_cast<float>(ground.random() % 65536) / 65536;
}

static float speed(const Cube &cube)
{
    return std::hypot(cube.velocity[0], cube.velocity[1]);
}

static void choose_place(Playground &ground, float (&position)[2])
{
    for (int axis = 0; axis < 2; ++axis)
        position[axis] = between(ground, 2, room_size[axis] - 2);
}

// --- The player ---

// Whether the player moves.
static bool walk(Playground &ground, Peer &peer)
{
    if (!exists(peer.session, peer.player)) return false;
    Player player = get(peer.session, peer.player);
    const bool is_led = peer.hand.is_down && peer.hand.cube == ObjectId::none;
    if (!is_led && (!ground.has_bots || playground::is_resting(ground))) return false;
    const float(&goal)[2] = is_led ? peer.hand.position : peer.goal;
    const float way[2] = {goal[0] - player.position[0], goal[1] - player.position[1]};
    const float length = std::hypot(way[0], way[1]), distance = player_speed * seconds;
    if (length < distance) {
        if (!is_led) choose_place(ground, peer.goal);
        return false;
    }
    for (int axis = 0; axis < 2; ++axis)
        player.position[axis] += way[axis] / length * distance;
    return set(peer.session, peer.player, player);
}

static void push(Body &body, const Player &player)
{
    const float away[2] = {body.cube.position[0] - player.position[0],
                           body.cube.position[1] - player.position[1]};
    const float length = std::hypot(away[0], away[1]), reach = player_radius + cube_size / 2;
    if (length >= reach || length == 0 || body.held) return;
    body.touched = true;
    if (!body.mine) return;
    for (int axis = 0; axis < 2; ++axis) {
        body.cube.position[axis] += away[axis] / length * (reach - length);
        body.cube.velocity[axis] = away[axis] / length * player_speed * 1.3f;
    }
}

// --- Cubes ---

static void move(Body &body, const Hand &hand)
{
    Cube &cube = body.cube;
    for (int axis = 0; axis < 2; ++axis) {
        float &position = cube.position[axis], &velocity = cube.velocity[axis];
        if (body.held) velocity = (hand.position[axis] - position) * 14;
        velocity = std::clamp(velocity, -speed_max, speed_max);
        position += velocity * seconds;
        velocity -= velocity * friction * seconds;
        const float low = cube_size / 2, high = room_size[axis] - low;
        if (position < low) velocity = std::abs(velocity);
        if (position > high) velocity = -std::abs(velocity);
        position = std::clamp(position, low, high);
    }
    if (speed(cube) >= speed_min || body.held) return;
    cube.velocity[0] = cube.velocity[1] = 0;
}

// Moves two cubes that overlap apart, along the axis on which they overlap least. Cubes that are
// ours exchange their speeds; a cube of another peer stays, and is claimed if it rests.
static void collide(Body &a, Body &b)
{
    const float apart[2] = {b.cube.position[0] - a.cube.position[0],
                            b.cube.position[1] - a.cube.position[1]};
    if (std::abs(apart[0]) >= cube_size || std::abs(apart[1]) >= cube_size) return;
    const int axis = std::abs(apart[1]) > std::abs(apart[0]) ? 1 : 0;
    const float depth = std::copysign(cube_size - std::abs(apart[axis]), apart[axis]);
    float &speed_a = a.cube.velocity[axis], &speed_b = b.cube.velocity[axis];
    if (!b.mine && speed(a.cube) > claim_speed_min && speed(b.cube) < speed_min) b.touched = true;
    const float part_of_a = !b.mine || b.held ? 1.0f : a.held ? 0.0f : 0.5f;
    a.cube.position[axis] -= depth * part_of_a;
    if (b.mine) b.cube.position[axis] += depth * (1 - part_of_a);
    const bool approaching = depth > 0 ? speed_a > speed_b : speed_a < speed_b;
    if (!approaching) return;
    if (b.mine) {
        std::swap(speed_a, speed_b);
        speed_a *= 0.8f;
        speed_b *= 0.8f;
    } else {
        speed_a = -speed_a / 2;
    }
}

static void collide_all(std::vector<Body> &bodies)
{
    for (size_t i = 0; i < bodies.size(); ++i) {
        if (!bodies[i].mine) continue;
        const bool rests = speed(bodies[i].cube) == 0;
        for (size_t j = 0; j < bodies.size(); ++j) {
            if (j == i || (bodies[j].mine && j < i)) continue;
            if (rests && (!bodies[j].mine || speed(bodies[j].cube) == 0)) continue;
            collide(bodies[i], bodies[j]);
        }
    }
}

static bool claims(const Playground &ground, const Peer &peer, ObjectId object)
{
    if (is_claiming(peer.session, object)) return false;
    const auto refused = peer.refused_us.find(object);
    return refused == peer.refused_us.end() || ground.now_us > refused->second + patience_us;
}

// A player that stands pushes nothing, or two of them would push a cube to and fro for ever.
static void move_cubes(Playground &ground, Peer &peer, bool pushes)
{
    static std::vector<Body> bodies; // Kept, so that a tick allocates nothing.
    bodies.clear();
    const std::span<const Object<Cube>> objects = object_ids<Cube>(peer.session);
    const std::span<const Cube> values = object_values<Cube>(peer.session);
    for (size_t i = 0; i < objects.size(); ++i) {
        const bool held = peer.hand.is_down && objects[i] == peer.hand.cube;
        bodies.push_back({objects[i], values[i], may_set(peer.session, objects[i]), held, held});
        if (bodies.back().mine) bodies.back().cube = get(peer.session, objects[i]);
    }
    if (pushes)
        for (Body &body : bodies)
            push(body, get(peer.session, peer.player));
    for (Body &body : bodies)
        if (body.mine) move(body, peer.hand);
    collide_all(bodies);
    for (const Body &body : bodies) {
        if (body.mine)
            set(peer.session, body.object, body.cube);
        else if (body.touched && claims(ground, peer, body.object))
            claim(peer.session, body.object, ClaimMode::optimistic);
    }
}

// The hand keeps what it holds until it lets go.
static void hold(Peer &peer)
{
    const ObjectId held = peer.hand.is_down ? peer.hand.cube : ObjectId::none;
    const auto is_ours = [&](ObjectId object) {
        return object != ObjectId::none && exists(peer.session, object) &&
               object_owner(peer.session, object) == local_peer(peer.session);
    };
    if (peer.locked != held && is_ours(peer.locked)) lock(peer.session, peer.locked, false);
    if (peer.locked != held) peer.locked = ObjectId::none;
    if (peer.locked == ObjectId::none && is_ours(held) && lock(peer.session, held, true))
        peer.locked = held;
}

static void destroy_doomed(Playground &ground, Peer &peer)
{
    std::erase_if(peer.doomed, [&](ObjectId object) {
        if (!exists(peer.session, object)) return true;
        if (object_owner(peer.session, object) == local_peer(peer.session))
            return destroy(peer.session, object);
        if (claims(ground, peer, object)) claim(peer.session, object);
        return false;
    });
}

void tick(Playground &ground, Peer &peer)
{
    if (!exists(peer.session, peer.player)) {
        Player player = {};
        choose_place(ground, player.position);
        choose_place(ground, peer.goal);
        peer.player = create(peer.session, player);
    }
    const bool pushes = walk(ground, peer);
    destroy_doomed(ground, peer);
    move_cubes(ground, peer, pushes);
    hold(peer);
}

// --- Cubes that come and go ---

void create_first_cubes(Playground &ground, uint32_t lane)
{
    const float left = lane % 2 == 0 ? 6.0f : 30.0f, top = lane < 2 ? 3.5f : 15.5f;
    Session *session = ground.peers[lane].session;
    for (uint32_t &i = ground.made[lane]; i < cubes_of_a_peer; ++i) {
        if (creations_left(session, 0) == 0) return; // The host gives more soon.
        const float column = static_cast<float>(i % 10), row = static_cast<float>(i / 10);
        Cube cube = {};
        cube.position[0] = left + column * 1.25f;
        cube.position[1] = top + row * 1.25f;
        create(session, cube);
    }
}

ObjectId cube_at(const Peer &peer, float x, float y)
{
    float nearest = cube_size * 0.9f;
    ObjectId found = ObjectId::none;
    const std::span<const Object<Cube>> objects = object_ids<Cube>(peer.session);
    const std::span<const Cube> values = object_values<Cube>(peer.session);
    for (size_t i = 0; i < objects.size(); ++i) {
        const float distance = std::hypot(values[i].position[0] - x, values[i].position[1] - y);
        if (distance >= nearest || !exists(peer.session, objects[i])) continue;
        nearest = distance;
        found = objects[i];
    }
    return found;
}

void replace_a_cube(Playground &ground)
{
    Peer &peer = ground.peers[ground.random() % lane_count];
    if (!playground::is_in(peer) || ground.random() % 30 != 0) return;
    const std::span<const Object<Cube>> cubes = object_ids<Cube>(peer.session);
    const size_t count = cubes.size();
    for (size_t i = 0, first = ground.random(); i < count; ++i) {
        const Object<Cube> cube = cubes[(first + i) % count];
        if (object_owner(peer.session, cube) != local_peer(peer.session)) continue;
        if (cube == peer.hand.cube || creations_left(peer.session, 0) == 0) return;
        destroy(peer.session, cube);
        Cube next = {};
        choose_place(ground, next.position);
        create(peer.session, next);
        return;
    }
}

}
