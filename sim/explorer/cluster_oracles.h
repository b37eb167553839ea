// What must hold of several peers together: after every move, and when the cluster is quiet. Each
// invariant is a short function of its own; docs/testing.md lists them.
#pragma once
#include "sim/explorer/cluster.h"

namespace tern::cluster_oracles {

// I1, I3 always; Q1 to Q6 if the cluster is quiet. Empty: all hold.
// In a state with no moves: nothing more will happen, and not all has come to an end.
Violation stuck(const Cluster &c, const ClusterState &s);
Violation first_violation(const Cluster &c, const ClusterState &s);

}
