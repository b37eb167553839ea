// The invariants over several peers: some hold after every move, others when the cluster is quiet.
// Each has a short function of its own; docs/testing.md lists them.
#pragma once
#include "sim/explorer/cluster.h"

namespace tern::cluster_oracles {

// For a state without possible moves. Returns a violation of Q6 if the cluster is not quiet,
// because what it waits for can never come; else an empty one.
Violation stuck(const Cluster &c, const ClusterState &s);
// Checks I1 and I3, and if the cluster is quiet also Q1 to Q8 and Q10 (Q5 and Q8 only with
// ExploreScope::memory). Returns the first violation; empty if all hold.
Violation first_violation(const Cluster &c, const ClusterState &s);

}
