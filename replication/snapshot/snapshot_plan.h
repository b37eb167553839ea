// What the next snapshot to a peer is to tell: for snapshot_plan.cpp and snapshot_send.cpp alone.
#pragma once
#include "replication/snapshot/snapshot_lineage.h"

namespace tern::snapshots {

struct Writing {
    uint32_t peer, number, base, tick;
    Lineage lineage;
    SnapshotWish wish;
    bool was_short; // Of bytes, in the last tick.
};

// Makes scratch.plan: those that the base tells of, then the others; each in the order of the
// entries. And scratch.same and stray. False: it needs what is gone.
bool make_plan(const Snapshots &s, SnapshotScratch &scratch, const Writing &w);
uint32_t told_count(const SnapshotScratch &scratch);
// Of what does not fit, which is what has waited least, this snapshot says nothing.
void cut_plan(SnapshotScratch &scratch, uint32_t told_max);

// Whether the words of that change of an entry are still there. `newest`: its last change.
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
