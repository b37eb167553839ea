// Boxes that glide through a room without friction: they bounce off its walls and off each other,
// and players push them. Same input, same result, to the bit.
#pragma once
#include "world.h"

namespace demo {

struct Body {
    Cube cube;
    bool mine; // Else it is an obstacle: another peer moves it.
};

// What pushes: the player of the peer that steps.
struct Push {
    float position[2];
    PeerId player; // none: nobody pushes.
};

namespace physics {

inline constexpr float push_reach = 5;
inline constexpr float push_acceleration = 80; // Per second.

// Moves the bodies that are `mine` by one tick.
void step(std::span<Body> bodies, const Push &push, float seconds = 1.0f / ticks_per_second);
// One step from `from` towards `to`, of at most `distance`, into `position`.
void walk(float (&position)[2], const float (&to)[2], float distance);

}
}
