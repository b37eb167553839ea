// What the messages of others cost this peer, in nanoseconds of a slow processor. The estimate
// depends on the messages and the state alone, so that all runs are alike. session/receive.cpp lets
// the messages of a member that has cost work_per_tick_max_ns in a tick wait.
#pragma once
#include "migration/replica_types.h"

namespace tern::work {

inline constexpr uint64_t message_ns = 500, byte_ns = 4, signature_ns = 60'000;
// For each range of destroyed ids that moves, each object that is looked at, and each member to
// which a star's host passes a death.
inline constexpr uint64_t range_ns = 1, slot_ns = 4, member_ns = 50;

inline void messages(Replica &r, uint64_t count, uint64_t size_bytes)
{
    r.work_ns += message_ns * count + byte_ns * size_bytes;
}

inline void message(Replica &r, size_t size_bytes)
{
    messages(r, 1, size_bytes);
}

inline void signature(Replica &r)
{
    r.work_ns += signature_ns;
}

inline void slots(Replica &r, uint64_t count)
{
    r.work_ns += slot_ns * count;
}

// A range of destroyed ids is to be added. When the memory for them is full, gaps are closed: that
// looks at all objects, and several times at all ranges.
inline void dead_range(Replica &r)
{
    const bool full = r.world.dead.count == r.world.dead.capacity;
    r.work_ns += range_ns * r.world.dead.count * (full ? 8 : 1);
    if (full) slots(r, 8 * uint64_t{r.world.slots.count});
    if (r.rules.topology == Topology::star) r.work_ns += member_ns * r.order.count;
}

}
