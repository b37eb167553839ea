// A small simulation of rigid cubes that makes scenes to replicate: impulses between corners and
// faces, friction, sleep. It only adds, multiplies, divides and takes square roots, which IEEE 754
// rounds alike everywhere, so a seed makes the same scene on every machine. z is up; metres,
// seconds.
#pragma once
#include "base/random.h"
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bench {

struct Vector {
    double x, y, z;
};

struct Turn { // A unit quaternion.
    double w, x, y, z;
};

struct Cube {
    double half; // Half the length of a side.
    double mass;
    Vector at, velocity, spin;
    Turn turn;
    Vector axes[3]; // Directions of the sides, as rotated by `turn`.
    // Number of steps for which it has been slow; beyond calm_steps_max it sleeps.
    uint32_t calm_steps;
    bool is_touched; // Touched by a player, or by a touched cube; cleared when it sleeps.
};

inline constexpr uint32_t calm_steps_max = 40;

struct CubeContact {
    // b is cubes.size() for the floor and the walls, which never move.
    size_t a, b;
    Vector at, normal;            // The normal points towards a.
    double depth, pushed, bounce; // pushed: the impulse so far. bounce: the wanted speed after it.
};

// The current activity of a player.
enum class Errand : uint8_t { rest, roll, gather, push };

struct Player {
    Errand errand;
    uint32_t steps_left;
    Vector goal;
};

struct RigidCubes {          // Open.
    std::vector<Cube> cubes; // cubes[0] up to players.size() - 1 belong to the players.
    std::vector<Player> players;
    std::vector<CubeContact> contacts;
    std::vector<std::vector<uint32_t>> cells; // [cell of the floor]: indices of the cubes above it.
    tern::Random random;
};

namespace rigid_cubes {

RigidCubes make(uint64_t seed, size_t player_count, double spacing);
void step(RigidCubes &world); // Advances by 1/120 s.

}
}
