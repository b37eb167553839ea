// The coders that the section `cubes` compares. Each encodes a whole frame of a scene against an
// older frame, and decodes it again.
#pragma once
#include "bench/cubes_scene.h"
#include <span>

namespace bench {

struct CubesFrame {
    const CubesScene *scene;
    const tern::StateLayout *layout;
    size_t frame;
    uint32_t lag; // Age of the baseline in frames.
};

// Besides the baseline a coder may use older states. These are their ages in frames, relative to
// the baseline.
inline constexpr uint32_t cubes_older[] = {1, 2, 4};
inline constexpr size_t cubes_oldest = 4;

struct CubesCoder {
    const char *name;
    size_t (*write)(const CubesFrame &f, std::span<std::byte> to); // Returns the size in bytes.
    // Writes the words of all objects of the frame to `words`. False: `from` is malformed.
    bool (*read)(const CubesFrame &f, std::span<const std::byte> from, uint32_t *words);
};

extern const CubesCoder quantised_coder; // A changed flag per object and field, then whole values.
// Gaps between changed objects, then differences in one of three widths.
extern const CubesCoder bucketed_coder;
extern const CubesCoder state_coder_of_tern;

}
