// Scenes of cubes in motion for the coder of states, frame by frame as words of one layout:
// recorded ones, and such as a small simulation of rigid bodies makes from a seed.
#pragma once
#include "replication/snapshot/state_layout.h"
#include <string>
#include <vector>

namespace bench {

// An object: rotation (smallest three of 9 bits), position (1/512 m, +-32 m, 0 to 16 m), a flag.
inline constexpr size_t cube_words = 8;

struct CubesScene {
    std::string name;
    size_t object_count, frame_count;
    std::vector<uint32_t> words; // By frame, by object.
};

namespace cubes_scene {

tern::StateLayout layout();
inline const uint32_t *at(const CubesScene &scene, size_t frame, size_t object)
{
    return &scene.words[(frame * scene.object_count + object) * cube_words];
}

// A file of records of eight int32 (largest, a, b, c, x, y, z, flag), 901 to a frame; where its
// name ends in .xz what the program xz unpacks. No frames: it cannot be read.
CubesScene load(const std::string &path);
// Those of these files that can be read, and says which cannot; none named: the recording that lies
// beside the project, if one does.
std::vector<CubesScene> recorded(const std::vector<std::string> &paths);
// Cubes on a floor: pushed, gathered, rolling, stacked, falling asleep. The same on each machine.
CubesScene make(uint64_t seed, size_t frame_count);

}
}
