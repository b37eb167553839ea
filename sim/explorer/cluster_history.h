// Records the moves of a cluster as a History, for pictures.
#pragma once
#include "sim/explorer/cluster.h"
#include <deque>

namespace tern {

struct ClusterHistory {
    struct Flight {    // A message that is under way.
        uint64_t link; // Moment::link of its sending.
        uint32_t message;
    };
    History history;
    uint64_t move = 0;
    uint64_t link = 0;
    std::vector<std::deque<Flight>> streams, bags; // [from * places + to]
};

namespace cluster_history {

ClusterHistory begin(const Cluster &c, const ClusterState &s, const std::string &title);
// Adds the move that was just made. Requires cluster::watch(). `label` is the move as text.
void add(ClusterHistory &h, const Cluster &c, const ClusterState &after, const Move &move,
         const std::string &label);
void add(ClusterHistory &h, const Violation &violation);

}
}
