// A simulated network for tests. It is deterministic: the same seed and the same calls give the
// same run. A wrong call does nothing, prints a sentence to stderr, and gives null or false.
#pragma once
#include "tern/io.hpp"

namespace tern {

struct SimNetwork; // A simulated network. Opaque.

// Impairments of each datagram, drawn independently. A latency range also reorders datagrams.
struct Impairment {
    uint32_t latency_ms_min = 20, latency_ms_max = 80; // One way; min <= max.
    float loss = 0;                                    // Probability, 0 to 1.
    float duplicate = 0;                               // Probability, 0 to 1.
};

inline constexpr uint32_t sim_datagrams_max = 1 << 20;

struct SimConfig {
    uint64_t seed = 1;
    Impairment impairment;
    // In flight or not yet received; further ones are lost. 1 to sim_datagrams_max.
    uint32_t datagrams_max = 65'536;
};

// Counts of datagrams: sent + duplicated = lost + delivered + those in flight.
struct SimStats {
    uint64_t sent;
    uint64_t lost; // Lost by Impairment::loss, a cut, a full buffer, or an unknown destination.
    uint64_t duplicated; // Second copies.
    uint64_t delivered;  // The next receive() of the socket returns it.
};

TERN_API SimNetwork *make_sim_network(const SimConfig &config); // Null: a number is out of range.
TERN_API void destroy_sim_network(SimNetwork *network);         // With all its sockets.
// A socket at `address`. Null: another socket of the network has it. destroy_socket() takes it out
// of the network. Datagrams leave at the time of the last advance(); those above
// socket_datagram_bytes_max are counted in send_failures. The socket holds at most 1024 received
// datagrams; further ones are lost.
TERN_API Socket *make_sim_socket(SimNetwork *network, const Address &address);
// Sets the time and delivers the datagrams that are due. False: the time would go back.
TERN_API bool advance(SimNetwork *network, uint64_t now_us);
// For datagrams sent later. False: a number is out of range.
TERN_API bool set_impairment(SimNetwork *network, const Impairment &impairment);
// While cut, datagrams from `from` to `to` are lost, both when sent and when due. One direction
// only.
TERN_API void set_cut(SimNetwork *network, const Address &from, const Address &to, bool cut);
TERN_API SimStats network_stats(const SimNetwork *network);
// When the next datagram is due; UINT64_MAX if none is in flight.
TERN_API uint64_t next_delivery_us(const SimNetwork *network);

// A socket that sends through `inner`, which it owns, and impairs what it sends by the real clock.
// Datagrams leave once they are due, in a call of send() or receive(). At most 4096 wait; further
// ones are lost. destroy_socket() destroys both sockets. Null: a number is out of range, or `inner`
// is null; the caller then keeps `inner`.
TERN_API Socket *make_impaired_socket(Socket *inner, const Impairment &impairment, uint64_t seed);

}
