// Every order of things in a small cluster, breadth first: so a counterexample is the shortest.
//
// The peers are production code (peer_steps.h), the world of each state a short tuple of numbers
// (cluster.h), and of the states seen only 128-bit keys are kept. It can be asked for some states
// at a time, so that who calls can show how far it is, and stop it.
#pragma once
#include "sim/explorer/cluster.h"

namespace tern {

struct ExploreResult {
    uint64_t states;     // Seen, all different.
    uint64_t expanded;   // Of these: all their moves were made.
    uint64_t edges;      // Moves made.
    uint64_t quiet;      // States with nothing on its way; there the Q invariants are checked too.
    uint64_t depth;      // Moves on the shortest way to the last of them.
    uint64_t blocks;     // Different states of single peers.
    uint64_t steps;      // Different steps of single peers: how often production code ran.
    bool exhausted;      // Nothing is left to see.
    Violation violation; // Empty: none so far.
    std::vector<Move> moves; // That lead to it.
};

struct Explorer { // Closed.
    struct Trail {
        uint32_t parent;
        Move move;
    };
    struct Level { // States of one depth. Flat: parts of all, one after the other.
        std::vector<uint32_t> parts;
        std::vector<Key128> keys;
    };
    Cluster _cluster;
    HashTable _seen;                    // Index of the state + 1.
    std::vector<Trail> _trail;          // By index of the state: in order of discovery, which is
    std::vector<uint64_t> _first_edges; // also the order in which they are looked at.
    std::vector<uint32_t> _edges;       // To which state. Beyond edges_kept_max: not kept.
    Level _level, _next;
    uint64_t _at; // In _level.
    std::vector<Move> _moves;
    ExploreResult _result;
};

// How many orders of things have been looked at: ways from the first state to one in which nothing
// more can happen, or which has not been looked at yet.
struct ExploredWays {
    double log10;
    bool known; // Not if there were more than edges_kept_max moves.
};
inline constexpr uint64_t edges_kept_max = uint64_t{1} << 29; // 2 GB.

namespace explorer {

Explorer make(const ExploreScope &scope);
// Looks at this many more states. True while there is more, and nothing broken was found.
bool advance(Explorer &e, uint64_t states);
const ExploreResult &result(const Explorer &e);
// Exact: each state's ways are the sum of those of the states before it. Asserts that no way leads
// back to where it was.
ExploredWays count_ways(const Explorer &e);

}
}
