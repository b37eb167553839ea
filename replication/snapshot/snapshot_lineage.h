// What both sides of a snapshot work out alike: its lineage, and how an entry is known there. For
// snapshots.cpp, snapshot_send.cpp and snapshot_receive.cpp alone.
#pragma once
#include "replication/snapshot/snapshots.h"
#include "replication/snapshot/state_coder.h"

namespace tern::snapshots {

inline constexpr uint32_t trail_max = 24;

// Which of its ancestors a snapshot is coded against: the base, the one behind it, and such as are
// 2 and 4 times as far behind it, or more.
struct Lineage {
    uint32_t numbers[history_max];
    uint32_t ages[history_max];  // In ticks.
    uint8_t depths[history_max]; // How deep an entry must be told in the base to be known there.
    uint32_t count;
    bool is_kept;                  // Else one of them is gone, and the rest means nothing.
    Horizon horizons[history_max]; // Of 1 to count states.
    // All ancestors, the base first: where states that are told now and then are looked for. Only
    // of tables with types that may repeat.
    uint32_t trail[trail_max], trail_ages[trail_max];
    uint32_t trail_count;
};

// `kept`: of one peer. `base` is kept there.
Lineage lineage(const Snapshots &s, std::span<const Snapshot> kept, uint32_t number, uint32_t base,
                uint32_t tick);
// Of so many states; of none: one state of zeros. at[] of others is the caller's to set.
History history(const Lineage &l, uint8_t states);

// In how many states of its history an entry is coded that has this mark in the base.
inline uint8_t states(const Lineage &l, EntryMark mark)
{
    uint8_t count = 0;
    while (count < l.count && (mark.bits & mark_depth) >= l.depths[count])
        count += 1;
    return count;
}

// The states of what may repeat: as of the ancestors that told it, at most history_max. No such is
// left: as of the base. `marks`: of all snapshots of one peer, [number % kept * entry_count].
struct ToldHistory {
    uint32_t numbers[history_max], ages[history_max];
    uint8_t count;
};
ToldHistory told_history(const Lineage &l, const EntryMark *marks, uint32_t entry_count,
                         uint32_t entry);

// So many snapshots long it is listed after it was told.
inline uint8_t listed_for(EntryMark mark)
{
    return mark.bits >> 6;
}

inline bool is_listed(EntryMark base)
{
    return (base.bits & mark_told) != 0 || listed_for(base) > 0;
}

// As of a snapshot that does not tell it, from its base's.
inline EntryMark inherited(EntryMark base)
{
    const uint8_t depth = base.bits & mark_depth;
    const bool counts = (base.bits & mark_told) == 0 && listed_for(base) > 0;
    const int listed = listed_for(base) - (counts ? 1 : 0);
    return {
        static_cast<uint8_t>((depth > 0 && depth < mark_depth ? depth + 1 : depth) | listed << 6)};
}

// As of one that does, from what it would be if it did not.
inline EntryMark told(EntryMark untold, uint8_t states)
{
    const int depth = states == 0 ? 1 : untold.bits & mark_depth;
    return {static_cast<uint8_t>(depth | mark_told | mark_listed)};
}

// Whether what may repeat is told, by how long ago it was.
inline unsigned presence_class(EntryMark base)
{
    return (base.bits & mark_told) != 0 ? 0 : 4u - listed_for(base);
}
inline constexpr Chance repeated_absent[4] = {chance_one / 2, chance_one / 2, chance_one / 8 * 5,
                                              chance_one / 4 * 3};

inline size_t place_of(uint32_t peer, uint32_t number)
{
    return size_t{peer} * snapshots_kept + number % snapshots_kept;
}

// In Snapshots::changes.
inline size_t place_of_change(const Snapshots &s, uint32_t entry, uint16_t change)
{
    return (size_t{entry} * snapshots_kept + change % snapshots_kept) * s.word_count;
}

inline constexpr Chance another_chance = chance_one / 4;     // That no more objects follow.
inline constexpr Chance whole_chance = chance_one / 16 * 15; // That an object has a history.
inline constexpr unsigned entry_bits = 10;
static_assert(1u << entry_bits >= snapshot_entries_max);

}
