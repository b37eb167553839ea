// Decides which objects go to a peer, and against which base. Only for snapshot_plan.cpp,
// snapshot_base.cpp and snapshot_send.cpp.
#pragma once
#include "replication/snapshot/snapshot_lineage.h"

namespace tern::snapshots {

struct Writing {
    uint32_t peer, number, tick;
    uint32_t group, base;
    Lineage lineage;
    const SnapshotInputs &inputs;
    bool was_short; // The last tick had no room for every object.
};

// Appends the entries of the group to scratch.plan: those that the base lists, then the others,
// each in rising order; also scratch.same and scratch.stray. False: nothing is appended, since the
// base needs a state that is no longer kept; choose another base.
bool plan_group(const Snapshots &s, SnapshotScratch &scratch, const Writing &w);
uint32_t carried_count(const SnapshotScratch &scratch, const PlanGroup &group);
// Keeps the `carried_max` objects with the longest wait, of these groups of the plan; the others
// are not sent.
void cut_plan(SnapshotScratch &scratch, std::span<PlanGroup> groups, uint32_t carried_max);

// The base for the next snapshot of this group. 0: none can serve. (snapshot_base.cpp)
uint32_t choose_base(const Snapshots &s, uint32_t peer, uint32_t group, uint32_t number,
                     uint32_t tick);
// Whether only acked snapshots may serve as bases, and none within reach is acked, but some still
// may be. Until then UPDATEs cost less than whole states.
bool awaits_ack(const Snapshots &s, uint32_t peer, uint32_t group, uint32_t tick);
uint32_t send_index_of(const SnapshotPeer &p, uint32_t tick);
// Learns from the outcomes which snapshots count.
void settle(Snapshots &s, uint32_t peer);

// Whether the words of that change are still kept. `newest`: the entry's last change.
inline bool is_kept(uint16_t newest, uint16_t change)
{
    const auto since = static_cast<uint16_t>((newest - change) & (change_lost - 1));
    return (change & change_lost) == 0 && since < snapshots_kept;
}

inline const uint32_t *words_at(const Snapshots &s, uint32_t entry, uint16_t change)
{
    return s.changes.begin() + place_of_change(s, entry, change);
}

}
