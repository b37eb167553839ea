// The coders that the section cubes compares. Each codes a whole frame of a scene against an older
// one, and reads it again.
#pragma once
#include "bench/cubes_scene.h"
#include <span>

namespace bench {

struct CubesFrame {
    const CubesScene *scene;
    const tern::StateLayout *layout;
    size_t frame;
    uint32_t lag; // The baseline is so many frames older.
};

// How much older than the baseline the other states are that a coder may look at.
inline constexpr uint32_t cubes_older[] = {1, 2, 4};
inline constexpr size_t cubes_oldest = 4;

struct CubesCoder {
    const char *name;
    size_t (*write)(const CubesFrame &f, std::span<std::byte> to); // Bytes.
    // Words of the frame, all objects. False: malformed.
    bool (*read)(const CubesFrame &f, std::span<const std::byte> from, uint32_t *words);
};

extern const CubesCoder quantised_coder; // A flag for each object and field, then whole values.
extern const CubesCoder bucketed_coder;  // Indices by their differences; differences by buckets.
extern const CubesCoder state_coder_of_tern;

}
