// Whether all survivors have one world, and if not, where they differ.
#pragma once
#include "world.h"
#include <string>
#include <vector>

namespace demo {

// What one survivor said at the end.
struct Testimony {
    PeerId peer;
    uint64_t digest;
    std::vector<Known> world; // By id, ascending.
};

namespace verdict {

inline constexpr size_t differences_max = 40; // Objects that are listed; of the rest the number.

// Both the digests and the worlds must be equal, and there must be somebody.
bool converged(const std::vector<Testimony> &testimonies);
// A line per object and version of it, with the peers that have that version.
std::string differences(const std::vector<Testimony> &testimonies);
std::string described(const Known &known); // Stamp, owner, field values.

}
}
