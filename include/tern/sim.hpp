// A simulated network for tests. It is deterministic: the same seed and the same calls give the
// same run.
#pragma once
#include "tern/io.hpp"

namespace tern {

// Impairments of each datagram, drawn independently. A latency range also reorders datagrams.
struct Impairment {
    uint32_t latency_ms_min = 20, latency_ms_max = 80; // One way; min <= max.
    float loss = 0;                                    // Probability, 0 to 1.
    float duplicate = 0;                               // Probability, 0 to 1.
};

struct SimConfig {
    uint64_t seed = 1;
    Impairment impairment;
    uint32_t datagrams_max = 65'536; // In flight or not yet received; further ones are lost.
};

// Counts of datagrams: sent + duplicated = lost + delivered + those in flight.
struct SimStats {
    uint64_t sent;
    uint64_t lost; // Lost by Impairment::loss, a cut, a full buffer, or an unknown destination.
    uint64_t duplicated; // Second copies.
    uint64_t delivered;  // The next receive() of the socket returns it.
};

TERN_API SimNetwork *make_sim_network(const SimConfig &config);
TERN_API void destroy_sim_network(SimNetwork *network);
// A socket at `address`, which no other socket of the network may have. The network owns it: do not
// pass it to destroy_socket(). Datagrams leave at the time of the last advance(). The socket holds
// at most 1024 received datagrams; further ones are lost.
TERN_API Socket *make_sim_socket(SimNetwork *network, const Address &address);
// Sets the time and delivers the datagrams that are due. Time never goes back.
TERN_API void advance(SimNetwork *network, uint64_t now_us);
// For datagrams sent later.
TERN_API void set_impairment(SimNetwork *network, const Impairment &impairment);
// While cut, datagrams from `from` to `to` are lost, both when sent and when due. One direction
// only.
TERN_API void set_cut(SimNetwork *network, const Address &from, const Address &to, bool cut);
TERN_API SimStats network_stats(const SimNetwork *network);
// When the next datagram is due; UINT64_MAX if none is in flight.
TERN_API uint64_t next_delivery_us(const SimNetwork *network);

// A socket that sends through `inner`, which it owns, and impairs what it sends by the real clock.
// Datagrams leave once they are due, in a call of send() or receive(). At most 4096 wait; further
// ones are lost. destroy_socket() destroys both sockets.
TERN_API Socket *make_impaired_socket(Socket *inner, const Impairment &impairment, uint64_t seed);

}
