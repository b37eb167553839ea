// Makes the scenes.
#include "bench/rigid_cubes.h"
#include "bench/surface/scene.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

namespace bench::surface::scene {

namespace {

using Chance = std::mt19937_64; // Its numbers are the same everywhere.

double uniform(Chance &chance, double min, double max)
{
    return min + (max - min) * static_cast<double>(chance() >> 11) / 9007199254740992.0;
}

Scene empty(const char *name, size_t objects, size_t frames, uint32_t period_us)
{
    Scene made = {name, period_us, objects, frames, {}, {}, {}};
    made.things.resize(objects * frames);
    made.alive.assign(objects * frames, true);
    made.changed.resize(frames);
    return made;
}

void turn_about_z(Thing &thing, double angle)
{
    thing.rotation[0] = thing.rotation[1] = 0;
    thing.rotation[2] = static_cast<float>(std::sin(angle / 2));
    thing.rotation[3] = static_cast<float>(std::cos(angle / 2));
}

// Rounds as the type does, so that an object counts as changed only if its rounded value changes.
void round_thing(Thing &thing, size_t number)
{
    thing.number = static_cast<uint32_t>(number);
    for (float &x : thing.position)
        x = static_cast<float>(std::floor(double{x} / position_step_m + 0.5) * position_step_m);
    size_t largest = 0;
    for (size_t i = 1; i < 4; ++i)
        if (std::fabs(thing.rotation[i]) > std::fabs(thing.rotation[largest])) largest = i;
    double rest = 1;
    for (size_t i = 0; i < 4; ++i) {
        if (i == largest) continue;
        const double part =
            std::floor(double{thing.rotation[i]} / rotation_step + 0.5) * rotation_step;
        thing.rotation[i] = static_cast<float>(part);
        rest -= part * part;
    }
    thing.rotation[largest] =
        std::copysign(static_cast<float>(std::sqrt(rest)), thing.rotation[largest]);
}

void finish(Scene &scene)
{
    for (size_t i = 0; i < scene.things.size(); ++i)
        round_thing(scene.things[i], i % scene.object_count);
    for (size_t f = 1; f < scene.frame_count; ++f)
        for (size_t i = 0; i < scene.object_count; ++i)
            if (is_alive(scene, f, i) != is_alive(scene, f - 1, i) ||
                (is_alive(scene, f, i) &&
                 std::memcmp(&at(scene, f, i), &at(scene, f - 1, i), sizeof(Thing)) != 0))
                scene.changed[f].push_back(static_cast<uint32_t>(i));
}

Thing &thing(Scene &scene, size_t frame, size_t object)
{
    return scene.things[frame * scene.object_count + object];
}

// Each body runs on its own circle, at up to 6 m/s, and turns by half a radian per second.
void place_body(Thing &body, size_t i, double seconds, size_t columns)
{
    const auto number = static_cast<double>(i);
    const double turn = 0.3 * seconds + number, half = 0.25 * seconds + 0.37 * number;
    const double radius = 5 + static_cast<double>(i % 16);
    const double axis[3] = {std::sin(number), std::cos(number), 1};
    const double gap = 900 / static_cast<double>(columns);
    const double x = static_cast<double>(i % columns) * gap - 450;
    const double y = static_cast<double>(i / columns) * gap - 450;
    body.position[0] = static_cast<float>(x + radius * std::sin(turn));
    body.position[1] = static_cast<float>(y + radius * std::cos(turn));
    body.position[2] = static_cast<float>(20 + radius * std::sin(0.7 * turn));
    for (size_t k = 0; k < 3; ++k)
        body.rotation[k] = static_cast<float>(std::sin(half) * axis[k] / std::sqrt(2.0));
    body.rotation[3] = static_cast<float>(std::cos(half));
}

}

Scene bodies(size_t count, size_t stride, size_t frame_count, uint32_t period_us)
{
    Scene made = empty("bodies", count, frame_count, period_us);
    const auto columns = static_cast<size_t>(std::ceil(std::sqrt(static_cast<double>(count))));
    for (size_t f = 0; f < frame_count; ++f)
        for (size_t i = 0; i < count; ++i) {
            if (f > 0 && i % stride != f % stride)
                thing(made, f, i) = thing(made, f - 1, i);
            else
                place_body(thing(made, f, i), i, static_cast<double>(f) * period_us / 1e6, columns);
        }
    finish(made);
    return made;
}

Scene still(size_t count)
{
    return bodies(count, 1, 1, 16'667);
}

Scene cubes(const char *name, uint64_t seed, size_t player_count, double spacing, uint32_t speed,
            size_t frame_count)
{
    constexpr size_t settle_frames = 60;
    RigidCubes world = rigid_cubes::make(seed, player_count, spacing);
    Scene made = empty(name, world.cubes.size(), frame_count, 16'667);
    for (size_t f = 0; f < settle_frames + frame_count; ++f) {
        for (uint32_t i = 0; i < 2 * speed; ++i)
            rigid_cubes::step(world);
        if (f < settle_frames) continue;
        for (size_t i = 0; i < world.cubes.size(); ++i) {
            const Cube &cube = world.cubes[i];
            thing(made, f - settle_frames,
                  i) = {{static_cast<float>(cube.at.x), static_cast<float>(cube.at.y),
                         static_cast<float>(cube.at.z)},
                        {static_cast<float>(cube.turn.x), static_cast<float>(cube.turn.y),
                         static_cast<float>(cube.turn.z), static_cast<float>(cube.turn.w)},
                        0};
        }
    }
    finish(made);
    return made;
}

namespace {

struct Boid {
    double at[3], velocity[3];
};

// Cohesion, alignment and separation among those within 12 m, and a pull towards the middle.
void steer(const std::vector<Boid> &flock, Boid &boid, double seconds)
{
    double middle[3] = {}, course[3] = {}, away[3] = {};
    double near = 0;
    for (const Boid &other : flock) {
        double squared = 0;
        for (size_t k = 0; k < 3; ++k)
            squared += (other.at[k] - boid.at[k]) * (other.at[k] - boid.at[k]);
        if (squared > 144 || squared == 0) continue;
        near += 1;
        for (size_t k = 0; k < 3; ++k) {
            middle[k] += other.at[k] - boid.at[k];
            course[k] += other.velocity[k] - boid.velocity[k];
            away[k] -= (other.at[k] - boid.at[k]) / squared;
        }
    }
    double speed = 0;
    for (size_t k = 0; k < 3; ++k) {
        double push = -0.05 * boid.at[k] + 20 * away[k];
        if (near > 0) push += (0.4 * middle[k] + 0.8 * course[k]) / near;
        boid.velocity[k] += push * seconds;
        speed += boid.velocity[k] * boid.velocity[k];
    }
    const double wanted = std::clamp(std::sqrt(speed), 4.0, 12.0) / std::sqrt(speed);
    for (double &v : boid.velocity)
        v *= wanted;
}

}

Scene boids(size_t frame_count)
{
    Chance chance(1);
    Scene made = empty("boids", 200, frame_count, 16'667);
    std::vector<Boid> flock(made.object_count);
    for (Boid &boid : flock)
        for (size_t k = 0; k < 3; ++k) {
            boid.at[k] = uniform(chance, -40, 40);
            boid.velocity[k] = uniform(chance, -8, 8);
        }
    for (size_t f = 0; f < frame_count; ++f) {
        const std::vector<Boid> before = flock;
        for (size_t i = 0; i < flock.size(); ++i) {
            steer(before, flock[i], 1 / 60.0);
            for (size_t k = 0; k < 3; ++k) {
                flock[i].at[k] += flock[i].velocity[k] / 60;
                thing(made, f, i).position[k] = static_cast<float>(flock[i].at[k]);
            }
            turn_about_z(thing(made, f, i), std::atan2(flock[i].velocity[1], flock[i].velocity[0]));
        }
    }
    finish(made);
    return made;
}

Scene walkers(size_t frame_count)
{
    Chance chance(2);
    Scene made = empty("walkers with sudden turns", 200, frame_count, 16'667);
    for (size_t i = 0; i < made.object_count; ++i) {
        double x = uniform(chance, -50, 50), y = uniform(chance, -50, 50);
        double course = uniform(chance, -3.14, 3.14), speed = uniform(chance, 1, 6);
        for (size_t f = 0; f < frame_count; ++f) {
            if (uniform(chance, 0, 1) < 1 / 40.0) { // On average after two thirds of a second.
                course += uniform(chance, -3.14, 3.14);
                speed = uniform(chance, 0, 1) < 0.25 ? 0 : uniform(chance, 1, 6);
            }
            x += speed * std::cos(course) / 60;
            y += speed * std::sin(course) / 60;
            Thing &walker = thing(made, f, i);
            walker.position[0] = static_cast<float>(x);
            walker.position[1] = static_cast<float>(y);
            turn_about_z(walker, course);
        }
    }
    finish(made);
    return made;
}

Scene racers(size_t frame_count)
{
    Chance chance(3);
    Scene made = empty("racers", 64, frame_count, 16'667);
    for (size_t i = 0; i < made.object_count; ++i) {
        double along = uniform(chance, 0, 6.28), speed = 50, wanted = 60;
        const double lane = uniform(chance, -8, 8);
        for (size_t f = 0; f < frame_count; ++f) {
            if (uniform(chance, 0, 1) < 1 / 60.0) wanted = uniform(chance, 20, 75);
            speed += std::clamp(wanted - speed, -12 / 60.0, 8 / 60.0); // m/s in a frame.
            along += speed / 250 / 60;
            const double drift = 0.5 * std::sin(7 * along + lane);
            const double radius = 250 + 60 * std::sin(3 * along) + lane + drift;
            Thing &racer = thing(made, f, i);
            racer.position[0] = static_cast<float>(radius * std::cos(along));
            racer.position[1] = static_cast<float>(radius * std::sin(along));
            racer.position[2] = static_cast<float>(4 * std::sin(2 * along));
            turn_about_z(racer, along + 1.5708 + 0.3 * drift);
        }
    }
    finish(made);
    return made;
}

Scene projectiles(size_t frame_count)
{
    Chance chance(4);
    Scene made = empty("projectiles", 128, frame_count, 16'667);
    for (size_t i = 0; i < made.object_count; ++i) {
        double at[3] = {}, velocity[3] = {}, left = 0, pause = uniform(chance, 0, 1);
        for (size_t f = 0; f < frame_count; ++f) {
            pause -= 1 / 60.0;
            left -= 1 / 60.0;
            if (left <= 0 && pause <= 0) {
                left = uniform(chance, 0.4, 1.5);
                pause = left + uniform(chance, 0.1, 0.5);
                for (size_t k = 0; k < 3; ++k) {
                    at[k] = uniform(chance, -50, 50);
                    velocity[k] = uniform(chance, -40, 40);
                }
            }
            made.alive[f * made.object_count + i] = left > 0;
            velocity[2] -= 9.81 / 60;
            for (size_t k = 0; k < 3; ++k) {
                at[k] += velocity[k] / 60;
                thing(made, f, i).position[k] = static_cast<float>(at[k]);
            }
            turn_about_z(thing(made, f, i), std::atan2(velocity[1], velocity[0]));
        }
    }
    finish(made);
    return made;
}

}
