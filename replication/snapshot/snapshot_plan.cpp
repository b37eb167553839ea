#include "replication/snapshot/snapshot_plan.h"
#include <algorithm>
#include <bit>
#include <cstring>

namespace tern::snapshots {

// The marks of the base, and the changes of the ancestors that the snapshot is coded against.
struct Planning {
    const Snapshots &s;
    SnapshotScratch &scratch;
    const Writing &w;
    const EntryPresence *base_presences; // nullptr: there is no base.
    const uint16_t *changes[history_max];
    bool base_fails; // A state that the base needs is no longer kept.
};

static Planning planning(const Snapshots &s, SnapshotScratch &scratch, const Writing &w)
{
    Planning p = {s, scratch, w, nullptr, {}, false};
    if (w.base != 0)
        p.base_presences = s.sent_presences.begin() + place_of(w.peer, w.base) * s.entry_count;
    for (uint32_t i = 0; i < w.lineage.count; ++i)
        p.changes[i] =
            s.sent_changes.begin() + place_of(w.peer, w.lineage.numbers[i]) * s.entry_count;
    return p;
}

static bool take_carried_history(const Planning &p, PlanItem &item)
{
    const Snapshots &s = p.s;
    const EntryPresence *presences =
        s.sent_presences.begin() + place_of(p.w.peer, 0) * s.entry_count;
    const CarriedHistory h = carried_history(p.w.lineage, presences, s.entry_count, item.entry);
    item.states = h.count;
    for (uint8_t i = 0; i < h.count; ++i) {
        item.changes[i] =
            s.sent_changes[place_of(p.w.peer, h.numbers[i]) * s.entry_count + item.entry];
        item.ages[i] = static_cast<uint16_t>(h.ages[i]);
        if (!is_kept(s.change[item.entry], item.changes[i])) return false;
    }
    return true;
}

// Sets the item's history as of the lineage. False: part of it is no longer kept.
static bool take_history(const Planning &p, uint32_t entry, EntryPresence presence, PlanItem &item)
{
    item.entry = static_cast<uint16_t>(entry);
    if (p.s.layouts[p.s.entries[entry].type].repeats) return take_carried_history(p, item);
    item.states = states(p.w.lineage, presence);
    bool known = true;
    for (uint8_t i = 0; i < item.states; ++i) {
        item.changes[i] = p.changes[i][entry];
        known &= is_kept(p.s.change[entry], item.changes[i]);
    }
    return known;
}

// For a state that may repeat, its tick matters too: it differs even if its words are equal.
static bool is_same(const Snapshots &s, uint32_t entry, uint16_t change)
{
    if (change == s.change[entry]) return true;
    const StateLayout &layout = s.layouts[s.entries[entry].type];
    if (layout.repeats) return false;
    const uint32_t *then = words_at(s, entry, change), *now = words_at(s, entry, s.change[entry]);
    return std::equal(then, then + layout.word_count, now);
}

static bool is_due_now(const SnapshotInputs &inputs, ObjectSlot slot, uint32_t tick)
{
    if (inputs.acked_states[slot].acked_tick == 0) return false;
    if (inputs.interests.empty()) return true;
    const Interest &interest = inputs.interests[slot];
    return !interest.hidden && !visibility_due(interest) &&
           urgency(interest, inputs.acked_states[slot].sent_tick, tick) >= priority_one;
}

static bool is_due(const SnapshotInputs &inputs, ObjectSlot slot)
{
    return (inputs.due[slot / 64] >> slot % 64 & 1) != 0;
}

// The last state of an object that moved goes once with each chain, so that a loss is repaired
// before it is known. What changes now and then is sent once, and so is a flushed state: at a later
// tick it is no longer the object's state.
static bool goes_again(const Planning &p, const SentEntry &e)
{
    constexpr uint8_t moving_gap = 8;
    return !p.s.layouts[e.type].repeats && e.gap <= moving_gap;
}

// A state that went with another message of this tick is not sent again, whatever the base is.
static bool is_wanted(const Planning &p, uint32_t entry)
{
    const SentEntry &e = p.s.entries[entry];
    const bool active = (p.s.active[entry / 64] >> entry % 64 & 1) != 0;
    if (!active || !is_due_now(p.w.inputs, e.slot, p.w.tick)) return false;
    if (p.w.inputs.acked_states[e.slot].sent_tick == p.w.tick) return false;
    return goes_again(p, e) || is_due(p.w.inputs, e.slot);
}

// Without priorities, all objects are equally urgent as long as a tick has room for all of them;
// cut_plan() then keeps those with the lowest entries. Waits count only after a tick without enough
// room, because snapshots that take turns differ more from their baselines. docs/decisions.md,
// "Visibility and priorities".
static uint64_t urgency_of(const Writing &w, ObjectSlot slot)
{
    if (!w.inputs.interests.empty())
        return urgency(w.inputs.interests[slot], w.inputs.acked_states[slot].sent_tick, w.tick);
    return w.was_short ? w.tick - w.inputs.acked_states[slot].sent_tick : 0;
}

// For an object that equals its state in the lineage: whether the receiver has, in the end, that
// state. If another chain or an UPDATE has sent a different state since, it has not.
static bool is_last_word(const Planning &p, const PlanItem &item)
{
    const Snapshots &s = p.s;
    if (item.changes[0] == s.change[item.entry]) return true;
    const std::span<const Snapshot> kept = stream(s.sent, stream_of(s, p.w.peer, p.w.group));
    for (uint32_t at = p.w.base; at != 0;) {
        const size_t place = place_of(p.w.peer, at);
        const Snapshot &snapshot = kept[at % snapshots_kept];
        if (snapshot.number != at) return false;
        if (s.sent_presences[place * s.entry_count + item.entry].carried != 0)
            return p.w.inputs.acked_states[s.entries[item.entry].slot].sent_tick <= snapshot.tick;
        at = snapshot.base;
    }
    return false;
}

static void plan_entry(Planning &p, uint32_t entry, bool listed)
{
    const SentEntry &e = p.s.entries[entry];
    const bool wanted = is_wanted(p, entry);
    if (!listed && !wanted) return;
    const EntryPresence presence = p.base_presences ? p.base_presences[entry] : EntryPresence{};
    PlanItem item = {};
    const bool known = take_history(p, entry, presence, item);
    if (!known && listed) p.base_fails = true;
    if (!known) item = {static_cast<uint16_t>(entry), 0, 0, {}, {}};
    const bool same = item.states > 0 && is_same(p.s, entry, item.changes[0]);
    if (same && wanted && is_due(p.w.inputs, e.slot))
        flat::push(is_last_word(p, item) ? p.scratch.same : p.scratch.stray, e.slot);
    item.flags =
        static_cast<uint8_t>((listed ? item_listed : 0) | (wanted && !same ? item_carried : 0));
    if (item.flags == 0) return;
    if (p.s.layouts[e.type].repeats)
        item.flags = static_cast<uint8_t>(item.flags | presence_class(presence) << 2);
    flat::push(p.scratch.plan, item);
    flat::push(p.scratch.plan_urgency, urgency_of(p.w, e.slot));
}

// A bit for each entry of the group that the base lists, found eight marks at a time.
static uint64_t listed_entries(const Planning &p, uint32_t first)
{
    if (!p.base_presences) return 0;
    const uint32_t count = std::min(group_entries, p.s.entries_used - first);
    uint64_t listed = 0;
    uint32_t i = 0;
    for (; std::endian::native == std::endian::little && i + 8 <= count; i += 8) {
        uint64_t presences;
        std::memcpy(&presences, p.base_presences + first + i, sizeof presences);
        // Shifts the three bits of `carried` and `listed`, the uppermost ones, together.
        const uint64_t any = (presences | presences << 1 | presences << 2) & 0x8080808080808080;
        listed |= ((any >> 7) * 0x0102040810204080 >> 56) << i;
    }
    for (; i < count; ++i)
        listed |= uint64_t{is_listed(p.base_presences[first + i])} << i;
    return listed;
}

static void plan_entries(Planning &p, uint32_t first, uint64_t bits, bool listed)
{
    for (; bits != 0; bits &= bits - 1)
        plan_entry(p, first + static_cast<uint32_t>(std::countr_zero(bits)), listed);
}

bool plan_group(const Snapshots &s, SnapshotScratch &scratch, const Writing &w)
{
    const uint32_t planned = scratch.plan.count, same = scratch.same.count,
                   strays = scratch.stray.count;
    Planning p = planning(s, scratch, w);
    const uint32_t first = w.group * group_entries;
    static_assert(group_entries == 64);
    const uint64_t active = s.active[w.group];
    const uint64_t listed = listed_entries(p, first);
    plan_entries(p, first, listed, true);
    plan_entries(p, first, active & ~listed, false);
    if (!p.base_fails) return true;
    scratch.plan.count = scratch.plan_urgency.count = planned;
    scratch.same.count = same;
    scratch.stray.count = strays;
    return false;
}

static bool is_carried(const PlanItem &item)
{
    return (item.flags & item_carried) != 0;
}

uint32_t carried_count(const SnapshotScratch &scratch, const PlanGroup &group)
{
    const PlanItem *first = scratch.plan.begin() + group.first;
    return static_cast<uint32_t>(std::count_if(first, first + group.count, is_carried));
}

// The least urgency among the `carried_max` most urgent objects, and how many of these have exactly
// that urgency.
struct Cut {
    uint64_t urgency;
    uint32_t equal;
};

static Cut find_cut(SnapshotScratch &scratch, std::span<const PlanGroup> groups,
                    uint32_t carried_max)
{
    flat::clear(scratch.carried_urgency);
    for (const PlanGroup &group : groups)
        for (uint32_t i = group.first; i < group.first + group.count; ++i)
            if (is_carried(scratch.plan[i]))
                flat::push(scratch.carried_urgency, scratch.plan_urgency[i]);
    if (carried_max == 0) return {UINT64_MAX, 0};
    if (scratch.carried_urgency.count <= carried_max) return {0, carried_max};
    uint64_t *last = scratch.carried_urgency.begin() + carried_max - 1;
    std::nth_element(scratch.carried_urgency.begin(), last, scratch.carried_urgency.end(),
                     [](uint64_t a, uint64_t b) { return a > b; });
    const auto equal = std::count(scratch.carried_urgency.begin(), last + 1, *last);
    return {*last, static_cast<uint32_t>(equal)};
}

void cut_plan(SnapshotScratch &scratch, std::span<PlanGroup> groups, uint32_t carried_max)
{
    Cut cut = find_cut(scratch, groups, carried_max);
    for (PlanGroup &group : groups) {
        for (uint32_t i = group.first; i < group.first + group.count; ++i) {
            PlanItem &item = scratch.plan[i];
            if (!is_carried(item)) continue;
            const uint64_t urgency = scratch.plan_urgency[i];
            const bool at_cut = urgency == cut.urgency;
            if (urgency < cut.urgency || (at_cut && cut.equal == 0))
                item.flags = static_cast<uint8_t>(item.flags & ~item_carried);
            else if (at_cut)
                cut.equal -= 1;
        }
        group.carried_count = carried_count(scratch, group);
    }
}

}
