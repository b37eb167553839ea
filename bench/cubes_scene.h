// Scenes of moving cubes for the state coder, frame by frame as words of one layout. They are
// loaded from recordings, or made from a seed by a small rigid-body simulation.
#pragma once
#include "replication/snapshot/state_layout.h"
#include <string>
#include <vector>

namespace bench {

// The words of one object: rotation (smallest three, 9 bits each), position (1/512 m; x and y
// within 32 m of 0, z from 0 to 16 m), one flag.
inline constexpr size_t cube_words = 8;

struct CubesScene {
    std::string name;
    size_t object_count, frame_count;
    std::vector<uint32_t> words; // [frame][object][cube_words]
};

namespace cubes_scene {

tern::StateLayout layout();
inline const uint32_t *at(const CubesScene &scene, size_t frame, size_t object)
{
    return &scene.words[(frame * scene.object_count + object) * cube_words];
}

// Loads a file of records of eight int32 (largest, a, b, c, x, y, z, flag), 901 records to a frame.
// A file whose name ends in .xz is unpacked by the program xz. frame_count is 0 if it cannot be
// read.
CubesScene load(const std::string &path);
// Loads these files and prints a line for each that cannot be read. An empty list means the
// recording that lies beside the project, if there is one.
std::vector<CubesScene> recorded(const std::vector<std::string> &paths);
// Cubes on a floor that are pushed, gathered, rolled and stacked, and fall asleep. A seed gives the
// same scene on every machine.
CubesScene make(uint64_t seed, size_t frame_count);

}
}
