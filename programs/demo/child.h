// The process of one peer, and the memory that it shares with its parent.
#pragma once
#include "peer.h"
#include "tern/limits.hpp"
#include <atomic>
#include <sys/types.h>

namespace demo {

// All cubes that one peer may know: creations that cross can exceed the limit of the type.
inline constexpr size_t known_max = 2 * objects_limit;

enum class Stage : uint32_t { starting, bound, reported };

// A child shows this to its parent; zero at first. It writes each part before the stage that makes
// the part valid.
struct ChildBoard {
    std::atomic<Stage> stage;
    // port is valid from bound on.
    uint16_t port;
    // The current one is progress[progress_count % 2]; the child writes the other one.
    std::atomic<uint32_t> progress_count;
    Progress progress[2];
    // known_count and cubes are valid from reported on.
    uint32_t known_count;
    Known cubes[known_max];
};

enum class Order : uint32_t { wait, join, play, finish };

struct Board {
    pid_t parent;
    std::atomic<Order> order;   // To all children.
    Invite invite;              // From the first host, valid once it is bound.
    uint64_t from_us, until_us; // The time of the play by clock_us(), valid from Order::play on.
    ChildBoard children[star_peers_max];
};

using CutPair = std::pair<uint32_t, uint32_t>; // Indexes of processes.

namespace child {

// The pairs that have no direct path, by the seed; none contains the first process. As long as
// possible no two of them share a peer.
std::vector<CutPair> cut_pairs(const Options &options);
// Runs one peer until the parent has its report, or has gone. Returns the exit status.
int run(const Options &options, Board &board, uint32_t index);

}
}
