// Bodies of a game that move smoothly, and their types: what the sections publish through sessions.
#pragma once
#include "bench/pairs/crowd.h"
#include "bench/pairs/star.h"
#include <vector>

namespace bench {

struct Bodies {
    std::vector<Body> values;
    std::vector<tern::ObjectId> ids; // At the host.
    size_t stride;                   // In each tick every so manieth moves, others in the next.
    uint64_t tick;
};

namespace bodies {

// 1 mm within 500 m, a rotation of 9 bits, an int32 of 16 bits; or exact floats.
tern::Type type(Precision precision, uint32_t objects_max);
Bodies make(size_t count, size_t stride);
void create(Bodies &bodies, tern::Session *host);
void move(Bodies &bodies); // A tick further.
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
