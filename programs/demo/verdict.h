// Checks that all survivors have the same world, and lists the differences.
#pragma once
#include "game.h"
#include <string>

namespace demo {

// A cube as one peer has it: its stamp, owner and fields as text.
struct Known {
    ObjectId object;
    char text[152];
};

// One survivor's report at the end.
struct Testimony {
    PeerId peer;
    uint64_t digest; // Covers all objects.
    std::vector<Known> cubes;
};

namespace verdict {

inline constexpr size_t differences_max = 40; // Objects that differences() lists; it counts more.

Known describe(ObjectId object, uint64_t stamp, PeerId owner, const Cube &cube);
// Whether there is a survivor, and all digests and cubes are equal.
bool converged(const std::vector<Testimony> &testimonies);
// A line for each version of a cube that peers differ in, with the peers that have it.
std::string differences(const std::vector<Testimony> &testimonies);

}
}
