// Plays a script in a cluster of production replicas: makes its moves in order, checks what it
// expects, and checks all invariants after every move.
#pragma once
#include "sim/explorer/cluster_script.h"

namespace tern {

struct PlayedScript {
    uint32_t line = 0;   // Number of the first line that failed. 0: none, or only the digest.
    std::string failure; // The expected and the actual state. Empty: no expectation failed.
    Violation violation; // Empty: none.
    uint64_t digest = 0; // Covers all states of the run; the same on every machine.
    uint64_t moves = 0;
    History history;
    bool ok() const { return failure.empty() && !violation; }
};

namespace cluster_script {

// Stops at the first failure or violation. A digest that differs from the script's is a failure.
PlayedScript play(const Script &script);

}
}
