// A deterministic pretend internet for tests: same seed, same run.
#pragma once
#include "tern/io.h"

namespace tern {

// What happens to each datagram. Uneven latency reorders.
struct Impairment {
    uint32_t latency_ms_min = 20, latency_ms_max = 80; // One way.
    float loss = 0;                                    // 0 to 1.
    float duplicate = 0;                               // 0 to 1.
};

struct SimConfig {
    uint64_t seed = 1;
    Impairment impairment;
    uint32_t datagrams_max = 65'536; // In flight; what is sent beyond is lost.
};

SimNetwork *make_sim_network(const SimConfig &config);
void destroy_sim_network(SimNetwork *network);
Socket *make_sim_socket(SimNetwork *network, const Address &address); // Owned by the network.
void advance(SimNetwork *network, uint64_t now_us); // Delivers what is due. Time never goes back.
void set_impairment(SimNetwork *network, const Impairment &impairment); // For what is sent next.
// Nothing passes from a to b while cut; the other way is a cut of its own.
void set_cut(SimNetwork *network, const Address &from, const Address &to, bool cut);

// A real socket whose outgoing datagrams suffer an impairment, by the real clock. Owns `inner`.
Socket *make_impaired_socket(Socket *inner, const Impairment &impairment, uint64_t seed);

}
