// Plays a script: its moves, one after the other, in a cluster of production replicas; what it
// expects is checked, and all invariants after every move.
#pragma once
#include "sim/explorer/cluster_script.h"

namespace tern {

struct PlayedScript {
    uint32_t line = 0;   // The first that failed: its number. 0: none.
    std::string failure; // Why: what was expected, and what is. Not of a violation.
    Violation violation; // Empty: none.
    uint64_t digest = 0; // Of all states passed through; the same on every machine.
    uint64_t moves = 0;
    History history;
    bool ok() const { return failure.empty() && !violation; }
};

namespace cluster_script {

// A wrong digest counts as failure. A violation ends it.
PlayedScript play(const Script &script);

}
}
