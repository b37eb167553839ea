// A small simulation of rigid cubes for scenes to replicate: impulses between corners and faces,
// friction, rest. Its floats are added, multiplied, divided and rooted only, so that a seed makes
// the same scene on each machine. z is up; metres, seconds.
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
    double half; // Of its side.
    double mass;
    Vector at, velocity, spin;
    Turn turn;
    Vector axes[3];      // Of its sides, turned.
    uint32_t calm_steps; // Since when it is slow; beyond calm_steps_max it sleeps.
    bool is_touched;     // By a player, or by who is; until it sleeps.
};

inline constexpr uint32_t calm_steps_max = 40;

struct CubeContact {
    size_t a, b;                  // b: beyond all cubes is what never moves.
    Vector at, normal;            // Towards a.
    double depth, pushed, bounce; // The impulse so far; the speed after it.
};

// What a player is up to.
enum class Errand : uint8_t { rest, roll, gather, push };

struct Player {
    Errand errand;
    uint32_t steps_left;
    Vector goal;
};

struct RigidCubes {          // Open.
    std::vector<Cube> cubes; // Players first.
    std::vector<Player> players;
    std::vector<CubeContact> contacts;
    std::vector<std::vector<uint32_t>> cells; // Of the floor: who is above it.
    tern::Random random;
};

namespace rigid_cubes {

RigidCubes make(uint64_t seed, size_t player_count, double spacing);
void step(RigidCubes &world); // 1/120 s.

}
}
