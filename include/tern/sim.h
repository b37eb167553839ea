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
    uint32_t datagrams_max = 65'536; // Under way or not yet received; beyond that, lost.
};

// Of these, sent + duplicated = lost + delivered + what is under way.
struct SimStats {
    uint64_t sent;
    uint64_t lost;       // By chance, by a cut, at a bound, or for want of a destination.
    uint64_t duplicated; // Second copies.
    uint64_t delivered;  // Put where the next receive() of a socket finds it.
};

SimNetwork *make_sim_network(const SimConfig &config);
void destroy_sim_network(SimNetwork *network);
// Owned by the network: not for destroy_socket(). Sends at the network's present time. Holds at
// most 1024 received datagrams; what comes beyond is lost. No two with one address.
Socket *make_sim_socket(SimNetwork *network, const Address &address);
void advance(SimNetwork *network, uint64_t now_us); // Delivers what is due. Time never goes back.
void set_impairment(SimNetwork *network, const Impairment &impairment); // For what is sent next.
// Nothing leaves for or arrives at `to` from `from` while cut; the other way is a cut of its own.
void set_cut(SimNetwork *network, const Address &from, const Address &to, bool cut);
SimStats stats(const SimNetwork *network);
uint64_t next_delivery_us(const SimNetwork *network); // UINT64_MAX: nothing is under way.

// A real socket whose outgoing datagrams suffer an impairment, by the real clock. Owns `inner`.
// They leave when due, at a call of send() or receive(). At most 4096 wait; beyond that, lost.
Socket *make_impaired_socket(Socket *inner, const Impairment &impairment, uint64_t seed);

}
