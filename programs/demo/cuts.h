// Pairs of peers that have no direct path: their datagrams to each other go nowhere.
#pragma once
#include "tern/io.h"
#include <vector>

namespace demo {

using tern::Socket;

using CutPair = std::pair<uint32_t, uint32_t>; // Indexes of processes.

namespace cuts {

// Pairs without the first process, the first host. As long as that is possible no two of them share
// a peer. At most pairs_max(peers).
std::vector<CutPair> choose(uint32_t peers, uint32_t pairs, uint64_t seed);
uint32_t pairs_max(uint32_t peers);
uint32_t disjoint_max(uint32_t peers); // Of which no two share a peer.

// Nothing goes to these ports or comes from them. Owns `inner`.
Socket *make_cut_socket(Socket *inner, const std::vector<uint16_t> &ports);

}
}
