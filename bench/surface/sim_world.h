// A scene that a host replicates to its clients over the simulated network of tern/sim.hpp, in
// virtual time and in one process.
#pragma once
#include "bench/surface/session_objects.h"
#include "tern/sim.hpp"

namespace bench::surface {

struct SimWorld {
    SessionObjects setup;
    tern::SimNetwork *network;
    ObjectHost host;
    ObjectClients clients;
    Moment moment;
};

// How datagrams fare on the way, in both directions.
struct Weather {
    uint32_t latency_ms_min, latency_ms_max;
    float loss;
    uint32_t outage_ms, outage_period_ms; // In each period all datagrams are lost for this long.
};

struct SimTotals {          // They cover the ticks of one run().
    double kbit_per_second; // Each client has this rate, to and fro, with the IP and UDP headers.
    double age_p50_ms, age_p99_ms;
    uint64_t due, delivered;
    bool wrong;
};

namespace sim_world {

constexpr uint32_t settle_ticks_max = 3000;

// Made in place, because the sessions point to its type. Joins all clients on a good network; false
// if that fails. The session has room for newcomer_count more.
bool make(SimWorld &world, const Scene &scene, uint32_t client_count, bool is_predicted,
          uint64_t seed, uint16_t newcomer_count = 0);
void destroy(SimWorld &world);
tern::Socket *add_socket(SimWorld &world, uint16_t number);
void set_weather(SimWorld &world, const Weather &weather);
void tick(SimWorld &world, bool is_moving, const Weather &weather);
// Moves the scene for `ticks`, of which the first `unmeasured` do not count.
SimTotals run(SimWorld &world, const Weather &weather, uint32_t unmeasured, uint32_t ticks);
// Lets the host rest until all clients show what it shows. False: they never do.
bool settle(SimWorld &world, const Weather &weather);

}
}
