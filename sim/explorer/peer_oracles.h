// The invariants of one step of one peer, which hold whatever the other peers do. Each has a short
// function of its own; docs/testing.md lists them.
#pragma once
#include "sim/explorer/peer_steps_types.h"

namespace tern::peer_oracles {

struct StepSeen {
    PeerPlace place;
    Input input;
    MessageKind message; // The message that arrived. none: another kind of input.
    Verdict verdict;
    bool changed;     // The step changed the peer's block.
    bool by_liar;     // A liar has sent the message that arrived.
    unsigned removed; // A bit for each honest member that goes for a breach or a liar's word.
    Fault fault;
    Phase phase;
    uint32_t alive, objects_max; // Objects that live at the peer, and as many as may.
    bool overflow;     // A message had to wait for acks: the limits of the cluster are too small.
    Described granted; // If a CLAIM arrived: the GRANT that the step sends to its sender, if any.
    uint8_t locked;    // A bit for each object in `before`: this peer, as host, knows it as locked.
    std::span<const Believed> before, after; // The peer's objects, by rising id.
};

Violation first_violation(const StepSeen &seen); // Empty: all hold.

}
