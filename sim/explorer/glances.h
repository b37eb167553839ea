// Summaries of replicas, which the oracles of the explorer compare.
#pragma once
#include "sim/explorer/peer_steps.h"

namespace tern::glances {

Glance look(PeerSteps &s, const Replica &r); // Adds its beliefs to those of `s`.

}
