// Scenes of moving things, made before the processes are forked: the host sets what a scene holds,
// and the clients compare what they see with it. A scene is played forwards and backwards in turn,
// so nothing ever jumps.
#pragma once
#include "tern/types.hpp"
#include <vector>

namespace bench::surface {

struct Thing {
    float position[3]; // Metres.
    float rotation[4]; // A unit quaternion: x, y, z, w.
    uint32_t number;   // Its place in the scene; never changes.
};
static_assert(sizeof(Thing) == 32);

struct Scene {
    const char *name;
    uint32_t period_us; // A tick takes so long, and shows one frame.
    size_t object_count, frame_count;
    std::vector<Thing> things; // [frame][object], rounded to the steps of thing_type().
    std::vector<bool> alive;   // [frame][object]
    // [frame]: the objects that differ from the frame before. None for frame 0.
    std::vector<std::vector<uint32_t>> changed;
};

inline constexpr double reach_m = 500; // Positions lie within this of 0.
inline constexpr double position_step_m = 0.001;
inline constexpr double rotation_step = 0.70710678 / 255; // 9 bits for each component.

// The object of a scene: position within 500 m in steps of 1 mm, rotation of 29 bits, number.
tern::Type thing_type(const Scene &scene, bool is_predicted);

namespace scene {

// Motions that a formula gives. `stride`: every stride-th body moves in a frame, the next frame
// moves its neighbours.
Scene bodies(size_t count, size_t stride, size_t frame_count, uint32_t period_us);
Scene still(size_t count); // Nothing ever moves.
// Rigid cubes that players push; see rigid_cubes.h. `speed`: times the speed of real time.
Scene cubes(const char *name, uint64_t seed, size_t player_count, double spacing, uint32_t speed,
            size_t frame_count);
Scene boids(size_t frame_count);       // A flock.
Scene walkers(size_t frame_count);     // Straight lines with sudden turns.
Scene racers(size_t frame_count);      // Fast cars on a track, with braking and drift.
Scene projectiles(size_t frame_count); // Objects that live for about a second.

// The frame that the host shows after it has moved `step` times.
size_t frame(const Scene &scene, uint64_t step);
// The objects in which the frames of step - 1 and of step differ; step > 0.
const std::vector<uint32_t> &changed(const Scene &scene, uint64_t step);
inline const Thing &at(const Scene &scene, size_t frame, size_t object)
{
    return scene.things[frame * scene.object_count + object];
}
inline bool is_alive(const Scene &scene, size_t frame, size_t object)
{
    return scene.alive[frame * scene.object_count + object];
}
// Whether this is what a receiver of that frame shows: the rounded values, or null for an object
// that does not live.
bool shows(const Scene &scene, size_t frame, size_t object, const Thing *shown);
double distance_squared(const Thing &a, const Thing &b);

}
}
