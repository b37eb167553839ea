// Sender and receiver of a snapshot derive the same from it: its lineage, and what is known of an
// entry in it. Only for snapshots.cpp, snapshot_send.cpp, snapshot_plan.cpp and
// snapshot_receive.cpp.
#pragma once
#include "replication/snapshot/snapshots.h"
#include "replication/snapshot/state_coder.h"

namespace tern::snapshots {

// `kept`: the snapshots of one peer and group, with `base` among them.
Lineage lineage(const Snapshots &s, std::span<const Snapshot> kept, uint32_t number, uint32_t base,
                uint32_t tick);
// A history of `states` states, whose at[] the caller must set. 0 states: one state of zeros, with
// its at[] set.
History history(const Lineage &l, uint8_t states);

// How many states of the lineage an entry has, given its presence in the base.
inline uint8_t states(const Lineage &l, EntryPresence presence)
{
    uint8_t count = 0;
    while (count < l.count && presence.depth >= l.depths[count])
        count += 1;
    return count;
}

// The history of an entry whose states may repeat: the states as of those ancestors that carried
// it, at most history_max. If no such ancestor is kept, the state as of the base. `presences`: of
// all snapshots of one peer, [number % snapshots_kept * entry_count + entry].
struct CarriedHistory {
    uint32_t numbers[history_max], ages[history_max];
    uint8_t count;
};
CarriedHistory carried_history(const Lineage &l, const EntryPresence *presences,
                               uint32_t entry_count, uint32_t entry);

inline bool is_listed(EntryPresence base)
{
    return base.carried != 0 || base.listed > 0;
}

// The presence in a snapshot that does not carry the entry, from the presence in its base.
inline EntryPresence inherited(EntryPresence base)
{
    EntryPresence presence = base;
    if (base.depth > 0 && base.depth < presence_depth_max) presence.depth += 1;
    if (base.carried == 0 && base.listed > 0) presence.listed = (base.listed - 1u) & 3;
    presence.carried = 0;
    return presence;
}

// The presence in a snapshot that carries the entry; `omitted` is the presence if it did not.
inline EntryPresence carried(EntryPresence omitted, uint8_t states)
{
    EntryPresence presence = omitted;
    if (states == 0) presence.depth = 1;
    presence.carried = 1;
    presence.listed = presence_listed_max;
    return presence;
}

// Index into repeated_absent: how many snapshots ago a listed entry was last carried.
inline unsigned presence_class(EntryPresence base)
{
    return base.carried != 0 ? 0 : 4u - base.listed;
}
inline constexpr Probability repeated_absent[4] = {
    probability_one / 2, probability_one / 2, probability_one / 8 * 5, probability_one / 4 * 3};

// The snapshots of one peer and group.
inline uint32_t stream_of(const Snapshots &s, uint32_t peer, uint32_t group)
{
    return peer * s.group_count + group;
}

inline std::span<Snapshot> stream(Flat<Snapshot> &kept, uint32_t stream)
{
    return {kept.begin() + size_t{stream} * snapshots_kept, snapshots_kept};
}

inline std::span<const Snapshot> stream(const Flat<Snapshot> &kept, uint32_t stream)
{
    return {kept.begin() + size_t{stream} * snapshots_kept, snapshots_kept};
}

// The entries of a group: `first` to before `end`.
struct GroupEntries {
    uint32_t first, end;
};

inline GroupEntries entries_in(const Snapshots &s, uint32_t group)
{
    const uint32_t first = group * group_entries;
    return {first, first + group_entries < s.entry_count ? first + group_entries : s.entry_count};
}

inline size_t place_of(uint32_t peer, uint32_t number)
{
    return size_t{peer} * snapshots_kept + number % snapshots_kept;
}

// Position in Snapshots::changes.
inline size_t place_of_change(const Snapshots &s, uint32_t entry, uint16_t change)
{
    return (size_t{entry} * snapshots_kept + change % snapshots_kept) * s.word_count;
}

// Probability that no more objects of the group follow.
inline constexpr Probability another_probability = probability_one / 4 * 3;
// Probability that an object has a history.
inline constexpr Probability whole_probability = probability_one / 16 * 15;
// Probability that a group behind the first one is in the message, and that its base has the same
// number as the base of the one before.
inline constexpr Probability absent_probability = probability_one / 8 * 7,
                             other_base_probability = probability_one / 16 * 15;
inline constexpr unsigned number_bits = 15, base_bits = 6, since_bits = 3, group_bits = 4;
static_assert(groups_max <= 1u << group_bits && snapshot_reach < 1u << base_bits);
inline constexpr unsigned entry_bits = 6;
static_assert(group_entries == 1u << entry_bits);

}
