// A long run in which peers come and go, and create and destroy objects over a lossy network. The
// tombstones that a peer keeps must stay proportional to the living objects.
#pragma once
#include "sim/world/group.h"
#include <string>

namespace tern {

struct SoakOptions {
    uint64_t seed = 1;
    uint64_t objects = 1'000'000; // How many to create. All but the last ones are destroyed.
    uint16_t peers = 4;
    uint32_t alive = 1000; // About how many objects live at once.
    float loss = 0.02f;    // Probability, 0 to 1.
};

// The game of one place.
struct Soaker {
    // Objects that the peer has created or been granted, and has not destroyed. Others may own some
    // of them by now.
    std::vector<ObjectId> own;
};

struct Soak {
    SoakOptions options = {};
    Group group = {};
    std::vector<Soaker> soakers; // Indexed by place.
    uint64_t made = 0;           // Objects created.
    uint64_t deaths = 0;         // Objects that were destroyed by the last rest.
    uint64_t rests = 0;          // How often all peers came to rest and were checked.
    uint64_t peers_ever = 0;     // Peers that have ever joined.
    uint32_t ranges_max = 0;     // The most ranges of tombstones at a peer at rest.
    uint32_t alive_max = 0;      // The most living objects at a peer at rest.
    uint64_t migrations = 0;
    std::string wrong; // The first thing found wrong. Empty: nothing.
};

namespace soak {

void make(Soak &soak, const SoakOptions &options);
// Plays until about `objects` more are created, replaces one peer by a new one, and lets all come
// to rest to check their tombstones. The first call only lets all peers join. False: soak.wrong has
// a text.
bool go_on(Soak &soak, uint64_t objects);

}
}
