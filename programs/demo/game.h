// What one player does, by chance from a seed: it walks about, pushes its cubes, claims those of
// others, and now and then destroys one and makes another. The host also hands cubes over.
#pragma once
#include "physics.h"
#include "tern/tern.h"
#include <random>
#include <vector>

namespace demo {

struct Game {
    Session *session;
    uint32_t first_cubes; // That it still has to create.
    uint32_t cubes_max;   // Alive in the session; beyond that nobody creates.
    std::mt19937_64 random;
    ObjectId player;
    float goal[2];                 // Where the player walks to.
    std::vector<ObjectId> claimed; // Unanswered.
    std::vector<Body> bodies;      // Of this tick, as in objects(session, cube_type).
    uint32_t hz;                   // Ticks per second.
    uint32_t ticks_to_claim, ticks_to_migrate, ticks_to_replace;
    uint32_t cheered, heard; // Calls to all, and those of others.
};

namespace game {

inline constexpr size_t claims_max = 8; // Unanswered at once.

Game make_game(Session *session, uint32_t first_cubes, uint32_t cubes_max, uint64_t seed,
               uint32_t hz = ticks_per_second);
void take_events(Game &game, std::span<const Event> events);
void play(Game &game); // One tick, while the session is open.

}
}
