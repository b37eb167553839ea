// Contenders that replicate one scene over real sockets, and their table.
#pragma once
#include "bench/surface/enet_objects.h"
#include "bench/surface/race.h"
#include "bench/surface/session_objects.h"
#include <deque>

namespace bench::surface {

// Deques, because the setups must stay where they are.
struct ObjectRace {
    ObjectSetup objects;
    std::deque<EnetObjects> enet;
    std::deque<SessionObjects> sessions;
    std::vector<Racer> racers;
    uint32_t ticks; // A round has so many.
};

struct SessionChoice {
    bool is_predicted = false;
    uint32_t bytes_per_second_max = 0; // 0: the default.
    bool is_offloaded = true;
};

namespace object_race {

// `scene` must outlive the race. near_m, far_m: see ObjectSetup.
ObjectRace make(const Scene &scene, uint32_t client_count, double near_m, double far_m,
                const Options &options);
void add_enet(ObjectRace &race, const char *name, bool is_rated); // Nothing without ENet.
void add_sessions(ObjectRace &race, const char *name, const SessionChoice &choice);
bool run(ObjectRace &race, const std::string &id, const std::string &title, const Options &options);

}
}
