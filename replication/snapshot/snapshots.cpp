#include "replication/snapshot/snapshots.h"
#include "replication/snapshot/snapshot_lineage.h"
#include <algorithm>
#include <cstring>

namespace tern::snapshots {

static_assert(std::has_unique_object_representations_v<Snapshot>);
static_assert(std::has_unique_object_representations_v<SentEntry>);
static_assert(std::has_unique_object_representations_v<ReceivedEntry>);
static_assert(std::has_unique_object_representations_v<SnapshotPeer>);
static_assert(std::has_unique_object_representations_v<PlanItem>);

// Ticks for which an entry stays active after its last change, and for which an ended one is not
// reused.
static constexpr uint32_t active_ticks = 64, ended_ticks = 64;

// Peers with different losses have different plans.
static constexpr size_t plans_cached = 8;

static uint32_t words_of(uint32_t bits)
{
    return (bits + 63) / 64;
}

static uint32_t entries_of(const TypeTable &types)
{
    uint32_t count = 0;
    for (const Type &type : types.types)
        if (type.predicted) count += world::capacity(type);
    return std::min(count, snapshot_entries_max);
}

static uint64_t words_max(const Type &type)
{
    uint64_t words = 0;
    for (const Field &field : type.fields) {
        // Integers of 64 bits take two words.
        const uint64_t each = field.kind == FieldKind::quaternion ? 4 : 2;
        words += field.kind >= FieldKind::text ? (field.count + 3u) / 4 : each * field.count;
    }
    return words;
}

uint64_t received_bytes_max(std::span<const Type> types, uint32_t peer_count)
{
    uint64_t entries = 0, words = 0;
    for (const Type &type : types) {
        if (!type.predicted) continue;
        entries += world::capacity(type);
        words = std::max(words, words_max(type));
    }
    entries = std::min<uint64_t>(entries, snapshot_entries_max);
    return peer_count * entries * snapshots_kept * words * sizeof(uint32_t);
}

void place(flat::Builder &b, Snapshots &s, const TypeTable &types, uint32_t slot_count,
           uint32_t peer_count)
{
    const uint32_t entries = entries_of(types);
    const bool any = entries > 0;
    const size_t type_count = any ? types.types.size() : 0;
    uint32_t word_count = 0;
    flat::place(b, s.layouts, type_count, type_count);
    for (size_t i = 0; i < type_count; ++i) {
        const auto type = static_cast<TypeId>(i);
        if (!types.types[i].predicted) continue;
        const StateLayout layout = state_layout::make(types, type);
        word_count = std::max(word_count, uint32_t{layout.word_count});
        if (layout.repeats) s.trail_count = trail_max;
        if (b.block) s.layouts[i] = layout;
    }
    s.entry_count = entries;
    s.group_count = (entries + group_entries - 1) / group_entries;
    s.word_count = word_count;
    const size_t slots = any ? slot_count : 0;
    const size_t peers = any ? peer_count : 0;
    const size_t kept = peers * snapshots_kept;
    const size_t streams = peers * s.group_count;
    const size_t changes = size_t{entries} * snapshots_kept * word_count;
    const size_t words = kept * entries * word_count;
    flat::place(b, s.peers, peers, peers);
    flat::place(b, s.entries, entries, entries);
    flat::place(b, s.entry_of, slots, slots);
    flat::place(b, s.active, words_of(entries), words_of(entries));
    flat::place(b, s.change, entries, entries);
    flat::place(b, s.changes, changes, changes);
    flat::place(b, s.sent, streams * snapshots_kept, streams * snapshots_kept);
    flat::place(b, s.sent_presences, kept * entries, kept * entries);
    flat::place(b, s.sent_changes, kept * entries, kept * entries);
    flat::place(b, s.got_entries, peers * entries, peers * entries);
    flat::place(b, s.got, streams * snapshots_kept, streams * snapshots_kept);
    flat::place(b, s.got_renamed, streams, streams);
    flat::place(b, s.got_presences, kept * entries, kept * entries);
    flat::place(b, s.got_words, words, words);
}

void place(flat::Builder &b, SnapshotScratch &scratch, const TypeTable &types)
{
    const uint32_t entries = entries_of(types);
    const size_t codes = entries > 0 ? snapshot_codes_max : 0;
    const size_t groups = (entries + group_entries - 1) / group_entries;
    flat::place(b, scratch.groups, groups);
    flat::place(b, scratch.plan, entries);
    flat::place(b, scratch.plan_bits, entries, entries);
    flat::place(b, scratch.plan_urgency, entries);
    flat::place(b, scratch.carried_urgency, entries);
    flat::place(b, scratch.codes, codes);
    flat::place(b, scratch.coded_groups, groups * plans_cached);
    flat::place(b, scratch.cached, entries * plans_cached);
    flat::place(b, scratch.cached_bits, entries * plans_cached);
    flat::place(b, scratch.carried, entries);
    flat::place(b, scratch.carried_bits, entries);
    flat::place(b, scratch.same, entries);
    flat::place(b, scratch.stray, entries);
    flat::place(b, scratch.read_entries, entries);
    flat::place(b, scratch.read_numbers, entries);
    flat::place(b, scratch.read_bits, entries);
    scratch.value_bytes = 0;
    for (const Type &type : types.types)
        if (type.predicted)
            scratch.value_bytes = std::max<uint32_t>(scratch.value_bytes, type.size_bytes);
    const size_t bytes = size_t{entries} * scratch.value_bytes;
    flat::place(b, scratch.read_values, bytes, bytes);
}

// --- Entries and their changes ---

static void set_active(Snapshots &s, uint32_t entry, bool active)
{
    const uint64_t bit = uint64_t{1} << entry % 64;
    s.active[entry / 64] = active ? s.active[entry / 64] | bit : s.active[entry / 64] & ~bit;
}

// An entry for a new object; entry_count: none is free. After a failed search the next one waits
// for another tick, because there may be many more objects than entries.
static uint32_t free_entry(Snapshots &s, uint32_t tick)
{
    if (s.entries_used < s.entry_count) return s.entries_used++;
    if (s.full_tick == tick) return s.entry_count;
    for (uint32_t i = 0; i < s.entry_count; ++i)
        if (s.entries[i].ended && tick - s.entries[i].tick > ended_ticks) return i;
    s.full_tick = tick;
    return s.entry_count;
}

static bool is_of(const SentEntry &entry, const KnownObject &object)
{
    return !entry.ended && entry.id == object.id && entry.stamp == object.stamp;
}

// The entry of an own object, assigned if it has none; entry_count: none is free.
static uint32_t entry_for(Snapshots &s, const World &world, ObjectSlot slot)
{
    const KnownObject &object = world.slots[slot];
    if (s.entry_of[slot] != 0 && is_of(s.entries[s.entry_of[slot] - 1u], object))
        return s.entry_of[slot] - 1u;
    forget_object(s, slot);
    const uint32_t i = free_entry(s, world.tick);
    if (i == s.entry_count) return i;
    s.entries[i] = {object.id, object.stamp, slot, world.tick, object.type, false, 0, {}};
    s.entry_of[slot] = static_cast<uint16_t>(i + 1);
    for (size_t at = i; at < s.sent_changes.count; at += s.entry_count)
        // Earlier states under this number belong to another object.
        s.sent_changes[at] |= change_lost;
    return i;
}

static void note_change(Snapshots &s, const World &world, const TypeTable &types, PeerId self,
                        ObjectSlot slot)
{
    const KnownObject &object = world.slots[slot];
    if (object.life != Life::alive || object.owner != self) return;
    if (!types.types[object.type].predicted) return;
    const uint32_t entry = entry_for(s, world, slot);
    if (entry == s.entry_count) return;
    s.change[entry] = static_cast<uint16_t>((s.change[entry] + 1) & (change_lost - 1));
    state_layout::to_words(
        s.layouts[object.type], types, world::value(world, types, slot),
        {s.changes.begin() + place_of_change(s, entry, s.change[entry]), s.word_count});
    SentEntry &e = s.entries[entry];
    e.gap = static_cast<uint8_t>(std::min<uint32_t>(world.tick - e.tick, UINT8_MAX));
    e.tick = world.tick;
    set_active(s, entry, true);
}

void begin(SnapshotScratch &scratch)
{
    flat::clear(scratch.cached);
    flat::clear(scratch.cached_bits);
    flat::clear(scratch.coded_groups);
    flat::clear(scratch.codes);
    scratch.planned_tick = 0;
}

void begin(Snapshots &s, const World &world, const TypeTable &types, PeerId self,
           std::span<const uint64_t> changed)
{
    if (s.entry_count == 0) return;
    s.tick = world.tick;
    for (uint32_t i = 0; i < changed.size(); ++i)
        for (uint64_t left = changed[i]; left != 0; left &= left - 1)
            note_change(s, world, types, self,
                        i * 64 + static_cast<uint32_t>(std::countr_zero(left)));
    for (uint32_t i = 0; i < s.active.count; ++i)
        for (uint64_t left = s.active[i]; left != 0; left &= left - 1) {
            const uint32_t entry = i * 64 + static_cast<uint32_t>(std::countr_zero(left));
            const SentEntry &e = s.entries[entry];
            const KnownObject &object = world.slots[e.slot];
            const bool lives = object.life == Life::alive && is_of(e, object);
            if (!lives || world.tick - e.tick > active_ticks) set_active(s, entry, false);
        }
}

void forget_object(Snapshots &s, ObjectSlot slot)
{
    if (s.entry_count == 0) return;
    if (s.entry_of[slot] == 0) return;
    const uint32_t entry = s.entry_of[slot] - 1u;
    s.entry_of[slot] = 0;
    s.entries[entry].ended = true;
    s.entries[entry].tick = s.tick;
    set_active(s, entry, false);
}

void forget_peer(Snapshots &s, uint32_t peer)
{
    if (s.entry_count == 0) return;
    // All of it is still zero.
    if (s.peers[peer].sent_number == 0 && s.peers[peer].got_number == 0) return;
    const size_t presences = size_t{snapshots_kept} * s.entry_count;
    const size_t records = size_t{snapshots_kept} * s.group_count;
    s.peers[peer] = {};
    flat::zero(s.sent, peer * records, records);
    flat::zero(s.sent_presences, peer * presences, presences);
    flat::zero(s.sent_changes, peer * presences, presences);
    flat::zero(s.got_entries, size_t{peer} * s.entry_count, s.entry_count);
    for (uint32_t group = 0; group < s.group_count; ++group)
        for (const Snapshot &got : stream(s.got, stream_of(s, peer, group))) {
            const GroupEntries entries = entries_in(s, group);
            const size_t place = place_of(peer, got.number) * s.entry_count + entries.first;
            if (got.number != 0)
                flat::zero(s.got_words, place * s.word_count,
                           size_t{entries.end - entries.first} * s.word_count);
        }
    flat::zero(s.got, peer * records, records);
    flat::zero(s.got_renamed, size_t{peer} * s.group_count, s.group_count);
    flat::zero(s.got_presences, peer * presences, presences);
}

bool takes(const Snapshots &s, uint32_t peer, ObjectSlot slot)
{
    if (s.entry_count == 0 || s.entry_of[slot] == 0) return false;
    const uint32_t entry = s.entry_of[slot] - 1u;
    if ((s.peers[peer].awaits_ack >> entry / group_entries & 1) != 0) return false;
    return (s.active[entry / 64] >> entry % 64 & 1) != 0;
}

// --- The lineage ---

// Whether a state lies far enough behind the base to be the next of the history. Several ticks in a
// row go to one chain, so a number of steps along the lineage does not determine the distance in
// ticks.
static bool is_far_enough(const Lineage &l, uint32_t age)
{
    if (l.count < 2) return true;
    const uint32_t first_gap = l.ages[1] - l.ages[0];
    return age - l.ages[0] >= first_gap << (l.count - 1);
}

Lineage lineage(const Snapshots &s, std::span<const Snapshot> kept, uint32_t number, uint32_t base,
                uint32_t tick)
{
    Lineage l = {};
    uint32_t newer_tick = tick;
    uint8_t depth = 1;
    for (uint32_t at = base; at != 0 && number - at <= snapshot_reach; ++depth) {
        const bool on_trail = l.trail_count < s.trail_count;
        if (l.count == history_max && !on_trail) break;
        const Snapshot &snapshot = kept[at % snapshots_kept];
        if (snapshot.number != at) return l;
        if (on_trail) {
            l.trail[l.trail_count] = at;
            l.trail_ages[l.trail_count] = tick - snapshot.tick;
            l.trail_count += 1;
        }
        // Snapshots of one tick count as one state, the newest's. A base of the snapshot's own tick
        // takes the age of the next one behind it, because ages are at least 1.
        if (snapshot.tick < newer_tick) {
            newer_tick = snapshot.tick;
            if (l.count < history_max && is_far_enough(l, tick - snapshot.tick)) {
                l.numbers[l.count] = l.count == 0 ? base : at;
                l.ages[l.count] = tick - snapshot.tick;
                l.depths[l.count] = l.count == 0 ? uint8_t{1} : depth;
                l.count += 1;
            }
        }
        at = snapshot.base;
    }
    l.is_kept = true;
    for (uint32_t i = 0; i < l.count; ++i)
        l.horizons[i] = motion::horizon(std::span(l.ages).first(i + 1));
    return l;
}

CarriedHistory carried_history(const Lineage &l, const EntryPresence *presences,
                               uint32_t entry_count, uint32_t entry)
{
    const auto presence = [&](uint32_t number) {
        return presences[size_t{number % snapshots_kept} * entry_count + entry];
    };
    CarriedHistory h = {};
    if (l.count == 0 || l.trail_count == 0) return h;
    const uint32_t depth = presence(l.trail[0]).depth;
    uint32_t age = 0;
    for (uint32_t i = 0; i < std::min(l.trail_count, depth) && h.count < history_max; ++i) {
        if (presence(l.trail[i]).carried == 0 || l.trail_ages[i] <= age) continue;
        age = l.trail_ages[i];
        h.numbers[h.count] = l.trail[i];
        h.ages[h.count] = age;
        h.count += 1;
    }
    if (h.count > 0 || depth == 0) return h;
    return {{l.numbers[0]}, {l.ages[0]}, 1};
}

History history(const Lineage &l, uint8_t states)
{
    static constexpr uint32_t zeros[state_words_max] = {};
    static constexpr uint32_t age[] = {1};
    static const Horizon whole = motion::horizon(age);
    if (states == 0) return {whole, {zeros}};
    return {l.horizons[states - 1], {}};
}

}
