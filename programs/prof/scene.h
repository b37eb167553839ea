// A scene to be profiled: bodies that move, named players, and hits, over a pretend network.
#pragma once
#include "sim/profile/profile.h"

namespace prof {

struct SceneOptions {
    enum class Of : uint8_t { all, host, guest }; // all: added up.
    uint32_t peers = 4, objects = 100, seconds = 10, ticks_per_second = 60;
    double loss_percent = 1;
    tern::Topology topology = tern::Topology::mesh;
    Of of = Of::all;
    uint64_t seed = 1;
};

namespace scene {

tern::Profile play(const SceneOptions &options); // From joining on. The same options, the same.

}
}
