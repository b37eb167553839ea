// Smoothly moving bodies and their types: the objects that the sections replicate through sessions.
#pragma once
#include "bench/pairs/crowd.h"
#include "bench/pairs/star.h"
#include <vector>

namespace bench {

struct Bodies {
    std::vector<Body> values;
    std::vector<tern::ObjectId> ids; // The ids at the host.
    size_t stride; // Every stride-th body moves in a tick; the next tick moves its neighbours.
    uint64_t tick;
};

namespace bodies {

// quantised: 1 mm within 500 m, a rotation of 9 bits, an int32 of 16 bits. exact: whole floats.
tern::Type type(Precision precision, uint32_t objects_max);
Bodies make(size_t count, size_t stride);
void create(Bodies &bodies, tern::Session *host);
void move(Bodies &bodies); // Advances by one tick.
void set(const Bodies &bodies, tern::Session *host);
inline size_t first(const Bodies &bodies)
{
    return bodies.tick % bodies.stride;
}
inline size_t moved_count(const Bodies &bodies)
{
    return (bodies.values.size() - first(bodies) + bodies.stride - 1) / bodies.stride;
}

}
}
