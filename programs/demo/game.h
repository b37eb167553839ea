// The game of the demo. Cubes glide through a room, bounce off its walls and off each other, and
// change owners; each peer simulates the cubes that it owns and has one player, who pushes them.
#pragma once
#include "tern/limits.hpp"
#include "tern/tern.hpp"
#include <random>
#include <vector>

namespace demo {

using namespace tern;

inline constexpr float room_width = 78;
inline constexpr float room_height = 32;
inline constexpr float cube_size = 1;
inline constexpr float speed_max = 30;          // Per second, along each axis.
inline constexpr uint32_t objects_limit = 1000; // For --objects.

struct Cube {
    float position[2];
    float velocity[2];
    uint16_t bumps; // Counts the walls and cubes that this cube has met; wraps.
    PeerId pusher;  // The peer whose player pushed it last.
};
TERN_FIELDS(Cube, field(position, range(0, 128), step(1.0 / 64)),
            field(velocity, range(-32, 32), step(1.0 / 16)), bumps, pusher);

struct Player {
    float position[2];
    char name[12];
};
TERN_FIELDS(Player, field(position, range(0, 128), step(1.0 / 64)), name);

// A reliable call to all others.
struct Cheer {
    uint32_t number; // Starts at 1.
};
TERN_FIELDS(Cheer, number);

// Each peer has a share of the places, so there are more than objects_limit.
inline constexpr Type types[] = {make_type<Cube>("cube", {.objects_max = objects_limit + 200}),
                                 make_type<Player>("player", {.objects_max = star_peers_max,
                                                              .orphan = Orphan::destroy,
                                                              .claim = ClaimPolicy::never}),
                                 make_type<Cheer>("cheer")};

// --- Physics: the same input gives the same result, to the bit ---

struct Body {
    Cube cube;
    bool mine; // False: another peer moves it, so here it is an obstacle.
};

struct Push {
    float position[2];
    PeerId player; // none: nobody pushes.
};

namespace physics {

// Moves the bodies that are `mine` by one tick.
void step(std::span<Body> bodies, const Push &push, float seconds = 1.0f / 60);
// Moves `position` towards `to`, by at most `distance`.
void walk(float (&position)[2], const float (&to)[2], float distance);

}

// --- The game of one peer ---

struct Game {
    Session *session = nullptr;
    uint32_t hz = 0;          // Ticks per second.
    uint32_t first_cubes = 0; // Cubes that this peer still has to create.
    uint32_t cubes_max = 0;   // Limit for the session; at the limit this peer creates no cube.
    std::mt19937_64 random = {};
    Object<Player> player = {};
    float goal[2] = {};            // The player walks there.
    std::vector<Body> bodies = {}; // They are in the order of object_ids<Cube>().
    uint32_t cheered = 0, cheers_received = 0;
};

namespace game {

// One tick in an open session. The player walks and pushes. At random this peer claims a cube of
// another, replaces one of its own, and cheers; the host gives cubes to others.
void play(Game &game);

}
}
