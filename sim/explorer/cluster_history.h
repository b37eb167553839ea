// Writes what happens in a cluster as a history, for pictures.
#pragma once
#include "sim/explorer/cluster.h"
#include <deque>

namespace tern {

struct ClusterHistory {
    struct Flight { // A message that was said, and not yet heard.
        uint64_t link;
        uint32_t message;
    };
    History history;
    uint64_t move = 0;
    uint64_t link = 0;
    std::vector<std::deque<Flight>> streams, bags; // [from * places + to]
};

namespace cluster_history {

ClusterHistory begin(const Cluster &c, const ClusterState &s, const std::string &title);
// After make_move() in a cluster that is watched. label: the move as text.
void add(ClusterHistory &h, const Cluster &c, const ClusterState &after, const Move &move,
         const std::string &label);
void add(ClusterHistory &h, const Violation &violation);

}
}
