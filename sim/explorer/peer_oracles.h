// What may never come of one step of one peer, whatever the others do. Each invariant is a short
// function of its own; docs/testing.md lists them.
#pragma once
#include "sim/explorer/peer_steps_types.h"

namespace tern::peer_oracles {

struct StepSeen {
    PeerPlace place;
    Input input;
    MessageKind message; // receive, welcome; else none.
    Verdict verdict;
    bool changed; // Its block is another one now.
    Fault fault;
    bool overflow;     // Of a ring: the limits of the cluster are too small.
    Described granted; // claim: GRANT to its sender; else nothing.
    uint8_t locked;    // A bit for each belief of before: the host knows it to be.
    std::span<const Believed> before, after;
};

Violation first_violation(const StepSeen &seen); // Empty: none.

}
