// Compares what receivers of a scene show with the scene: how old it is, and that it was ever so.
#pragma once
#include "bench/surface/ages.h"
#include "bench/surface/scene.h"

namespace bench::surface {

// What a contender replicates, and to how many.
struct ObjectSetup {
    const Scene *scene;
    uint32_t client_count;
    // Each client has an avatar in the scene and sees what is within far_m of it. Things beyond
    // near_m of it may be sent less often. Both 0: everyone sees everything, in each tick.
    double near_m, far_m;
};

struct Watch {
    const ObjectSetup *setup = nullptr;
    // Ages are taken each so many ticks: by default every third, as all rates of senders are powers
    // of two.
    uint32_t interval = 3;
    std::vector<uint64_t> moved; // [object]: the last step that changed it; 0: none.
    Ages ages;
    uint64_t due = 0, delivered = 0; // Changes of an object, for each receiver that is to see them.
    uint64_t missing = 0;            // Things in sight that a receiver did not show at all.
    bool wrong = false;              // A receiver shows what never was.
};

namespace watch {

// Which object client `index` (from 0) moves about as.
inline size_t avatar(const ObjectSetup &setup, size_t index)
{
    return index * 7919 % setup.scene->object_count;
}
inline bool is_due(const Watch &watch, const Moment &moment)
{
    return moment.is_moving && moment.tick % watch.interval == 0;
}
// Notes the changes of this tick, and counts for each client those that it should see.
void count_due(Watch &watch, const Moment &moment);
// Takes the ages of all that client `index` should see and that has changed in the last fifth of a
// second: how long ago what it shows was so at the host. `shown`: [object], null for what it does
// not show.
void look(Watch &watch, const Moment &moment, size_t index,
          const std::vector<const Thing *> &shown);
// Whether a client shows the present frame whole.
bool is_equal(const ObjectSetup &setup, const Moment &moment,
              const std::vector<const Thing *> &shown);
Report close(Watch &watch);

}
}
