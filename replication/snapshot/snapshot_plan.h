// Decides which objects the next snapshot to a peer carries. Only for snapshot_plan.cpp and
// snapshot_send.cpp.
#pragma once
#include "replication/snapshot/snapshot_lineage.h"

namespace tern::snapshots {

struct Writing {
    uint32_t peer, number, base, tick;
    Lineage lineage;
    SnapshotInputs inputs;
    bool was_short; // The last tick had no room for every object.
};

// Fills scratch.plan: the entries that the base lists, then the others, each in rising order; also
// scratch.same and scratch.stray. False: the base needs a state that is no longer kept; choose
// another base.
bool make_plan(const Snapshots &s, SnapshotScratch &scratch, const Writing &w);
uint32_t carried_count(const SnapshotScratch &scratch);
// Keeps the `carried_max` objects with the longest wait; the others are not sent.
void cut_plan(SnapshotScratch &scratch, uint32_t carried_max);

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
