// Searches every order of moves in a small cluster. The search is breadth first, so a
// counterexample is as short as possible.
//
// The peers are production code (peer_steps.h), each state is a short tuple of numbers (cluster.h),
// and only a 128-bit key of each visited state is kept. advance() expands a given number of states,
// so that the caller can show progress and stop.
#pragma once
#include "sim/explorer/cluster.h"

namespace tern {

struct ExploreResult {
    uint64_t states;         // Different states found.
    uint64_t expanded;       // States whose moves were all made.
    uint64_t edges;          // Moves made, also those that lead to known states.
    uint64_t quiet;          // Quiet states: there the Q invariants are checked too.
    uint64_t depth;          // Length of the shortest path to the states that are being expanded.
    uint64_t blocks;         // Different states of single peers.
    uint64_t steps;          // Different steps of single peers: so often production code ran.
    bool exhausted;          // Every reachable state has been expanded.
    Violation violation;     // Empty: none so far.
    std::vector<Move> moves; // The path to the violation.
};

struct Explorer { // Closed.
    struct Trail {
        uint32_t parent;
        Move move;
    };
    struct Level { // The states of one depth: the parts of all of them, one after the other.
        std::vector<uint32_t> parts;
        std::vector<Key128> keys;
    };
    Cluster _cluster;
    HashTable _seen; // Index of the state + 1, by key.
    // Indexed by state, in order of discovery, which is also the order of expansion.
    std::vector<Trail> _trail;
    std::vector<uint64_t> _first_edges;
    std::vector<uint32_t> _edges; // The states that edges lead to. At most edges_kept_max are kept.
    Level _level, _next;
    uint64_t _at; // Index in _level of the next state to expand.
    std::vector<Move> _moves;
    ExploreResult _result;
};

// The number of orders of moves that were searched: the paths from the first state to a state
// without moves, or to one that is not expanded yet.
struct ExploredWays {
    double log10;
    bool known; // False: there were edges_kept_max moves or more, and log10 is 0.
};
inline constexpr uint64_t edges_kept_max = uint64_t{1} << 29; // 2 GiB.

namespace explorer {

Explorer make(const ExploreScope &scope);
// Expands `states` more states. True: some are left, and no violation was found.
bool advance(Explorer &e, uint64_t states);
const ExploreResult &result(const Explorer &e);
// Counts all paths, as the sum over the predecessors of each state. Asserts that the graph has no
// cycle.
ExploredWays count_ways(const Explorer &e);

}
}
