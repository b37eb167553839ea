// Objects made and destroyed without end by peers that come and go, over a network that loses:
// what a peer remembers of the dead must be proportional to the living.
#pragma once
#include "sim/world/group.h"
#include <string>

namespace tern {

struct SoakOptions {
    uint64_t seed = 1;
    uint64_t objects = 1'000'000; // To be made, and all but the last destroyed.
    uint16_t peers = 4;
    uint32_t alive = 1000; // About so many at once.
    float loss = 0.02f;    // 0 to 1.
};

// The game of one place.
struct Soaker {
    std::vector<ObjectId> own; // What it has made or was granted, and has not destroyed; some of
                               // it may be others' by now.
};

struct Soak {
    SoakOptions options = {};
    Group group = {};
    std::vector<Soaker> soakers; // By place.
    uint64_t made = 0;
    uint64_t deaths = 0;     // At the last rest; all else that was made lives.
    uint64_t rests = 0;      // Times that all stood still, and were looked at.
    uint64_t peers_ever = 0; // Creators.
    uint32_t ranges_max = 0; // Of the dead, at any peer at any rest.
    uint32_t alive_max = 0;  // At the same.
    uint64_t migrations = 0;
    std::string wrong; // Empty: all is as it must be.
};

namespace soak {

void make(Soak &soak, const SoakOptions &options);
// Plays until about so many more have been made, changes one peer for another, and comes to rest:
// there the dead are counted. False: something is wrong. The first time all peers come, and that
// is all.
bool go_on(Soak &soak, uint64_t objects);

}
}
