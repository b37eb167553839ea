// The types and the rules of the game that examples/sdl/main.cpp shows: ships push crates.
#pragma once
#include <SDL_scancode.h>
#include <algorithm>
#include <cmath>
#include <tern/tern.hpp>

using namespace tern;

struct Ship {
    float position[2]; // Pixels of a panel.
};
// With a bound, an update waits until others would be off by so much, and sample() has a history.
TERN_FIELDS(Ship, field(position, range(0, 600), step(0.1), bound(0.5)));
struct Crate {
    float position[2], speed[2]; // Pixels, and pixels per second.
};
TERN_FIELDS(Crate, field(position, range(0, 600), step(0.1), bound(0.5)),
            field(speed, range(-500, 500), step(1)));
inline const Type types[] = {
    make_type<Ship>("ship",
                    {.objects_max = 16, .orphan = Orphan::destroy, .claim = ClaimPolicy::never}),
    make_type<Crate>("crate", {.objects_max = 16, .orphan = Orphan::spread}),
};

inline constexpr int width = 560, height = 380;
inline constexpr float tick_seconds = 1.0f / 60, touch = 26, ship_speed = 200;

inline float distance(const float *a, const float *b)
{
    return std::hypot(a[0] - b[0], a[1] - b[1]);
}

// Flies by the keys, or along a curve if there are none.
inline Ship steered(Ship ship, const uint8_t *keys, int number, int tick)
{
    const float angle = static_cast<float>(tick) * 0.009f + 2 * static_cast<float>(number);
    const float goal[] = {width * (0.5f + 0.4f * std::cos(angle)),
                          height * (0.5f + 0.38f * std::sin(1.7f * angle))};
    float way[] = {goal[0] - ship.position[0], goal[1] - ship.position[1]};
    if (keys) {
        way[0] = 9.0f * static_cast<float>(keys[SDL_SCANCODE_RIGHT] - keys[SDL_SCANCODE_LEFT]);
        way[1] = 9.0f * static_cast<float>(keys[SDL_SCANCODE_DOWN] - keys[SDL_SCANCODE_UP]);
    }
    const float left = std::max(std::hypot(way[0], way[1]), ship_speed * tick_seconds);
    for (int i = 0; i < 2; ++i) {
        const float moved = ship.position[i] + ship_speed * tick_seconds * way[i] / left;
        ship.position[i] = std::clamp(moved, 14.0f, (i ? height : width) - 14.0f);
    }
    return ship;
}

// Moves a crate of ours: our ship pushes it, the floor slows it, the walls reflect it.
inline Crate pushed(Crate crate, const Ship &ship)
{
    const float away = std::max(distance(crate.position, ship.position), 0.1f);
    for (int i = 0; i < 2; ++i) {
        if (away < touch) crate.speed[i] += 40 * (crate.position[i] - ship.position[i]) / away;
        crate.speed[i] *= 0.98f;
        crate.position[i] += crate.speed[i] * tick_seconds;
        if (crate.position[i] < 12) crate.speed[i] = std::fabs(crate.speed[i]);
        if (crate.position[i] > (i ? height : width) - 12)
            crate.speed[i] = -std::fabs(crate.speed[i]);
    }
    return crate;
}
