// A scene to profile: moving bodies, named players, and hits, over a simulated network.
#pragma once
#include "sim/profile/profile.h"

namespace prof {

struct SceneOptions {
    enum class Of : uint8_t { all, host, guest }; // The peer to profile; all: the sum.
    uint32_t peers = 4, objects = 100, seconds = 10, ticks_per_second = 60;
    double loss_percent = 1;
    tern::Topology topology = tern::Topology::mesh;
    Of of = Of::all;
    uint64_t seed = 1;
};

namespace scene {

// The profile includes joining. Equal options give equal profiles.
tern::Profile play(const SceneOptions &options);

}
}
