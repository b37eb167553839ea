// The replication that a programmer writes by hand over ENet in sixty lines, for a scene: whole
// states of the objects that have changed, rounded as tern's, near ones in each tick and far ones
// every second, fourth or eighth. Unreliable packets, no acks, no differences, no encryption.
#pragma once
#include "bench/surface/watch.h"

namespace bench::surface {

struct EnetObjects { // A setup.
    ObjectSetup objects;
    bool is_rated; // Far objects are sent less often.
};

Programs enet_objects(const EnetObjects &setup); // Only where TERN_HAVE_ENET is defined.

}
