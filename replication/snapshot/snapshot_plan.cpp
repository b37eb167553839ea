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

// A state that went with another snapshot of this tick is not sent again, whatever the base is. A
// flushed state is sent once, not once for each chain: at a later tick it is no longer the
// object's state.
static bool is_wanted(const Planning &p, uint32_t entry)
{
    const SentEntry &e = p.s.entries[entry];
    const bool active = (p.s.active[entry / 64] >> entry % 64 & 1) != 0;
    if (!active || !is_due_now(p.w.inputs, e.slot, p.w.tick)) return false;
    if (p.w.inputs.acked_states[e.slot].sent_tick == p.w.tick) return false;
    return !p.s.layouts[e.type].repeats || is_due(p.w.inputs, e.slot);
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
    for (uint32_t at = p.w.base; at != 0;) {
        const size_t place = place_of(p.w.peer, at);
        const Snapshot &snapshot = s.sent[place];
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

// The bits of 64 entries that the base lists, found eight marks at a time.
static uint64_t listed_word(const Planning &p, uint32_t first)
{
    if (!p.base_presences) return 0;
    const uint32_t count = std::min(64u, p.s.entries_used - first);
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

bool make_plan(const Snapshots &s, SnapshotScratch &scratch, const Writing &w)
{
    flat::clear(scratch.plan);
    flat::clear(scratch.plan_urgency);
    flat::clear(scratch.same);
    flat::clear(scratch.stray);
    Planning p = planning(s, scratch, w);
    uint64_t listed[snapshot_entries_max / 64];
    for (uint32_t i = 0; i * 64 < s.entries_used; ++i) {
        listed[i] = listed_word(p, i * 64);
        plan_entries(p, i * 64, listed[i], true);
    }
    for (uint32_t i = 0; i * 64 < s.entries_used; ++i)
        plan_entries(p, i * 64, s.active[i] & ~listed[i], false);
    return !p.base_fails;
}

uint32_t carried_count(const SnapshotScratch &scratch)
{
    uint32_t count = 0;
    for (const PlanItem &item : scratch.plan.all())
        count += (item.flags & item_carried) != 0;
    return count;
}

// The least urgency among the `carried_max` most urgent objects, and how many of these have exactly
// that urgency.
struct Cut {
    uint64_t urgency;
    uint32_t equal;
};

static Cut find_cut(SnapshotScratch &scratch, uint32_t carried_max)
{
    flat::clear(scratch.carried_urgency);
    for (uint32_t i = 0; i < scratch.plan.count; ++i)
        if ((scratch.plan[i].flags & item_carried) != 0)
            flat::push(scratch.carried_urgency, scratch.plan_urgency[i]);
    if (carried_max == 0) return {UINT64_MAX, 0};
    if (scratch.carried_urgency.count <= carried_max) return {0, carried_max};
    uint64_t *last = scratch.carried_urgency.begin() + carried_max - 1;
    std::nth_element(scratch.carried_urgency.begin(), last, scratch.carried_urgency.end(),
                     [](uint64_t a, uint64_t b) { return a > b; });
    const auto equal = std::count(scratch.carried_urgency.begin(), last + 1, *last);
    return {*last, static_cast<uint32_t>(equal)};
}

void cut_plan(SnapshotScratch &scratch, uint32_t carried_max)
{
    Cut cut = find_cut(scratch, carried_max);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < scratch.plan.count; ++i) {
        PlanItem item = scratch.plan[i];
        const uint64_t urgency = scratch.plan_urgency[i];
        const bool carried = (item.flags & item_carried) != 0;
        const bool at_cut = carried && urgency == cut.urgency;
        if (carried && (urgency < cut.urgency || (at_cut && cut.equal == 0)))
            item.flags = static_cast<uint8_t>(item.flags & ~item_carried);
        else if (at_cut)
            cut.equal -= 1;
        if ((item.flags & (item_listed | item_carried)) == 0) continue;
        scratch.plan_urgency[kept] = urgency;
        scratch.plan[kept++] = item;
    }
    while (scratch.plan.count > kept) {
        flat::pop(scratch.plan);
        flat::pop(scratch.plan_urgency);
    }
}

}
