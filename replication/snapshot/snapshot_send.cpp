// Plans what goes to a peer in a tick, and writes it as messages.
#include "replication/snapshot/snapshot_plan.h"
#include <algorithm>
#include <cstring>

namespace tern::snapshots {

// --- The message ---

static void write_identity(RangeEncoder &e, const SentEntry &entry)
{
    const auto id = static_cast<uint64_t>(entry.id);
    range_coder::code_bits(e, entry.type, 8);
    for (unsigned shift = 0; shift < 48; shift += 8)
        range_coder::code_bits(e, static_cast<uint32_t>(id >> shift & 255), 8);
    range_coder::code_bits(e, entry.stamp != 0, 1);
    for (unsigned shift = 0; entry.stamp != 0 && shift < 64; shift += 8)
        range_coder::code_bits(e, static_cast<uint32_t>(entry.stamp >> shift & 255), 8);
}

static uint64_t changed_fields(const StateLayout &layout, const uint32_t *a, const uint32_t *b)
{
    uint64_t mask = 0;
    for (uint32_t i = 0; i < layout.field_count; ++i) {
        const LayoutField &f = layout.fields[i];
        for (uint32_t k = f.first; k < uint32_t{f.first} + f.count; ++k)
            mask |= uint64_t{a[k] != b[k]} << i;
    }
    return mask;
}

static uint64_t all_fields(const StateLayout &layout)
{
    return ~uint64_t{0} >> (64 - layout.field_count);
}

static History history_of(const Snapshots &s, const Lineage &l, const PlanItem &item)
{
    const bool repeats = s.layouts[s.entries[item.entry].type].repeats && item.states > 0;
    uint32_t ages[history_max];
    std::copy(std::begin(item.ages), std::end(item.ages), ages);
    History history = repeats ? History{motion::horizon(std::span(ages).first(item.states)), {}}
                              : snapshots::history(l, item.states);
    for (uint8_t i = 0; i < item.states; ++i)
        history.at[i] = words_at(s, item.entry, item.changes[i]);
    return history;
}

static bool write_item(RangeEncoder &e, const Snapshots &s, const Lineage &l, const PlanItem &item,
                       unsigned &before)
{
    const SentEntry &entry = s.entries[item.entry];
    const StateLayout &layout = s.layouts[entry.type];
    const uint32_t *now = words_at(s, item.entry, s.change[item.entry]);
    const bool is_carried = (item.flags & item_carried) != 0;
    History history = history_of(s, l, item);
    if ((item.flags & item_listed) != 0) {
        if (layout.repeats)
            range_coder::code(e, is_carried, repeated_absent[item.flags >> 2]);
        else
            state_coder::write_presence(e, layout, history, before, is_carried);
        before = before << 1 | (is_carried ? 1 : 0);
        if (!is_carried) return true;
    } else {
        range_coder::code(e, true, another_probability);
        range_coder::code_bits(e, item.entry % group_entries, entry_bits);
        range_coder::code(e, item.states == 0, whole_probability);
        if (item.states == 0) write_identity(e, entry);
    }
    const uint64_t mask =
        item.states == 0 ? all_fields(layout) : changed_fields(layout, history.at[0], now);
    return state_coder::write(e, layout, history, mask, now);
}

// --- The body ---

// A message that is being written: groups of the plan, from `first` on.
struct Draft {
    RangeEncoder e;
    unsigned before;        // Whether the listed entries before are carried, one bit each.
    uint32_t first, end;    // The groups that fit, indices in SnapshotScratch::groups.
    uint32_t carried_count; // The objects in them.
    uint32_t fitted;        // The objects that fitted of the first group that did not.
};

static uint32_t base_distance(const SnapshotScratch &scratch, const PlanGroup &group)
{
    return group.base == 0 ? 0 : scratch.planned_number - group.base;
}

// Which groups lie between, and what the base is. The head has both for the first group.
static void write_group_head(RangeEncoder &e, const SnapshotScratch &scratch,
                             const PlanGroup &before, const PlanGroup &group)
{
    for (uint32_t absent = before.group + 1; absent < group.group; ++absent)
        range_coder::code(e, true, absent_probability);
    range_coder::code(e, false, absent_probability);
    const uint32_t distance = base_distance(scratch, group);
    const bool is_other = distance != base_distance(scratch, before);
    range_coder::code(e, is_other, other_base_probability);
    if (is_other) range_coder::code_bits(e, distance, base_bits);
}

// False: it does not fit. fitted: how many of its objects do.
static bool write_group(Draft &d, const Snapshots &s, SnapshotScratch &scratch,
                        const PlanGroup &group)
{
    d.fitted = 0;
    for (uint32_t i = group.first; i < group.first + group.count; ++i) {
        const PlanItem &item = scratch.plan[i];
        if ((item.flags & (item_listed | item_carried)) == 0) continue;
        const size_t begin = range_coder::bit_count(d.e);
        if (!write_item(d.e, s, group.lineage, item, d.before) || !range_coder::fits(d.e))
            return false;
        scratch.plan_bits[i] = static_cast<uint16_t>(range_coder::bit_count(d.e) - begin);
        d.fitted += (item.flags & item_carried) != 0;
    }
    range_coder::code(d.e, false, another_probability);
    return range_coder::fits(d.e);
}

// The next group of the plan that is to be sent, from `at` on; groups.count: none is.
static uint32_t next_group(const SnapshotScratch &scratch, uint32_t at)
{
    while (at < scratch.groups.count && scratch.groups[at].carried_count == 0)
        at += 1;
    return at;
}

// Encodes as many groups as fit. None: d.end is d.first.
static void write_groups(Draft &d, const Snapshots &s, SnapshotScratch &scratch,
                         uint32_t carried_max, std::span<std::byte> buffer)
{
    RangeEncoder whole = range_coder::encoder(buffer);
    d = {whole, 0, scratch.next, scratch.next, 0, 0};
    const PlanGroup *last = nullptr;
    for (uint32_t at = d.first; at < scratch.groups.count; at = next_group(scratch, at + 1)) {
        const PlanGroup &group = scratch.groups[at];
        if (last && group.group < last->group) break; // The plan has come around.
        if (d.carried_count + group.carried_count > carried_max) break;
        if (last) write_group_head(d.e, scratch, *last, group);
        if (!write_group(d, s, scratch, group)) break;
        whole = d.e;
        d.end = at + 1;
        d.carried_count += group.carried_count;
        last = &group;
    }
    d.e = whole;
}

// Not even the first group fits: keeps those of its objects with the longest wait.
static void write_part(Draft &d, const Snapshots &s, SnapshotScratch &scratch, uint32_t carried_max,
                       std::span<std::byte> buffer)
{
    const std::span<PlanGroup> group = scratch.groups.all().subspan(scratch.next, 1);
    uint32_t most = group[0].carried_count;
    while (d.end == d.first && most > 0) {
        // Cuts further than to what fitted: the decision that a listed object is not carried
        // takes room too.
        const bool was_tried = most <= carried_max;
        const uint32_t fewer = std::min(std::max(d.fitted, 1u), most - 1 - most / 16);
        most = was_tried ? fewer : carried_max;
        cut_plan(scratch, group, most);
        scratch.is_limited = true;
        if (most > 0) write_groups(d, s, scratch, carried_max, buffer);
    }
}

// --- Equal bodies ---

static bool is_equal(const SnapshotScratch &scratch, const CodedGroup &coded,
                     const PlanGroup &group)
{
    const Lineage &l = group.lineage;
    if (coded.group != group.group || coded.base_distance != base_distance(scratch, group) ||
        coded.count != group.count || coded.age_count != l.count)
        return false;
    if (std::memcmp(coded.ages, l.ages, sizeof coded.ages) != 0) return false;
    return std::memcmp(scratch.cached.begin() + coded.first, scratch.plan.begin() + group.first,
                       group.count * sizeof(PlanItem)) == 0;
}

// Returns the index behind the groups of the plan that were encoded with this code; 0: this code
// has others, or more of them would fit here.
static uint32_t end_of_code(const SnapshotScratch &scratch, const SnapshotCode &code,
                            uint32_t carried_max, size_t room_bytes)
{
    if (code.size_bytes > room_bytes || code.carried_count > carried_max) return 0;
    uint32_t at = scratch.next, end = 0;
    for (uint32_t i = 0; i < code.count; ++i, at = next_group(scratch, at)) {
        if (at == scratch.groups.count) return 0;
        const CodedGroup &coded = scratch.coded_groups[code.first + i];
        if (!is_equal(scratch, coded, scratch.groups[at])) return 0;
        end = ++at;
    }
    const bool is_all = at == scratch.groups.count;
    return is_all || code.room_bytes == room_bytes ? end : 0;
}

static size_t copy_code(SnapshotScratch &scratch, const SnapshotCode &code, uint32_t end,
                        std::span<std::byte> buffer)
{
    uint32_t i = code.first;
    for (uint32_t at = scratch.next; at < end; at = next_group(scratch, at + 1), ++i) {
        const CodedGroup &coded = scratch.coded_groups[i];
        std::copy_n(scratch.cached_bits.begin() + coded.first, coded.count,
                    scratch.plan_bits.begin() + scratch.groups[at].first);
    }
    std::memcpy(buffer.data(), code.bytes, code.size_bytes);
    return code.size_bytes;
}

static void keep_code(SnapshotScratch &scratch, uint32_t end, size_t room_bytes,
                      std::span<const std::byte> body)
{
    if (flat::full(scratch.codes)) return;
    SnapshotCode code = {};
    code.first = scratch.coded_groups.count;
    uint32_t items = 0;
    for (uint32_t at = scratch.next; at < end; at = next_group(scratch, at + 1)) {
        items += scratch.groups[at].count;
        code.carried_count += scratch.groups[at].carried_count;
        code.count += 1;
    }
    if (scratch.coded_groups.capacity - code.first < code.count ||
        scratch.cached.capacity - scratch.cached.count < items)
        return;
    for (uint32_t at = scratch.next; at < end; at = next_group(scratch, at + 1)) {
        const PlanGroup &group = scratch.groups[at];
        CodedGroup &coded = flat::push(scratch.coded_groups, {});
        coded = {group.group,         base_distance(scratch, group), {},
                 group.lineage.count, scratch.cached.count,          group.count};
        std::copy(std::begin(group.lineage.ages), std::end(group.lineage.ages), coded.ages);
        for (uint32_t i = group.first; i < group.first + group.count; ++i) {
            flat::push(scratch.cached, scratch.plan[i]);
            flat::push(scratch.cached_bits, scratch.plan_bits[i]);
        }
    }
    code.room_bytes = static_cast<uint32_t>(room_bytes);
    code.size_bytes = static_cast<uint32_t>(body.size());
    std::memcpy(code.bytes, body.data(), body.size());
    flat::push(scratch.codes, code);
}

// Returns the size of the body in bytes; 0: nothing fits. Sets `end` behind its groups. The room is
// a multiple of 32 bytes, so that peers whose acks differ in size get equal bodies.
static size_t write_body(const Snapshots &s, SnapshotScratch &scratch, uint32_t carried_max,
                         std::span<std::byte> buffer, uint32_t &end)
{
    buffer = buffer.first(buffer.size() / 32 * 32);
    for (const SnapshotCode &code : scratch.codes.all()) {
        end = end_of_code(scratch, code, carried_max, buffer.size());
        if (end != 0) return copy_code(scratch, code, end, buffer);
    }
    Draft d = {};
    write_groups(d, s, scratch, carried_max, buffer);
    const bool is_cut = d.end == d.first;
    if (is_cut) write_part(d, s, scratch, carried_max, buffer);
    end = d.end;
    if (d.end == d.first) return 0;
    const size_t size = range_coder::finish(d.e);
    if (!is_cut) keep_code(scratch, end, buffer.size(), buffer.first(size));
    return size;
}

static size_t write_head(const Snapshots &s, const SnapshotScratch &scratch, uint32_t peer,
                         uint32_t last, std::span<std::byte> buffer)
{
    const PlanGroup &first = scratch.groups[scratch.next];
    const uint32_t number = scratch.planned_number, tick = scratch.planned_tick;
    BitWriter head = bits::writer(buffer);
    bits::write(head, number & ((1u << number_bits) - 1), number_bits);
    bits::write(head, base_distance(scratch, first), base_bits);
    const Snapshot &base =
        stream(s.sent, stream_of(s, peer, first.group))[first.base % snapshots_kept];
    const bool near = first.base != 0 && tick - base.tick < snapshot_tick_far;
    bits::write(head, near ? tick - base.tick : snapshot_tick_far, since_bits);
    bits::write(head, first.group, group_bits);
    bits::write(head, last, group_bits);
    if (!near) bits::write(head, tick, 32);
    return bits::overflow(head) ? 0 : bits::size_bytes(head);
}

// --- The record of what was sent ---

// Starts the record with that of the base; the caller then adds the objects that the snapshot
// carries.
static void inherit(Snapshots &s, uint32_t peer, uint32_t number, const PlanGroup &group)
{
    const GroupEntries entries = entries_in(s, group.group);
    const size_t from = place_of(peer, group.base) * s.entry_count;
    const size_t to = place_of(peer, number) * s.entry_count;
    for (uint32_t i = entries.first; i < entries.end; ++i) {
        const bool is_known = group.base != 0 && is_kept(s.change[i], s.sent_changes[from + i]);
        s.sent_presences[to + i] =
            group.base == 0 ? EntryPresence{} : inherited(s.sent_presences[from + i]);
        s.sent_changes[to + i] = is_known ? s.sent_changes[from + i] : change_lost;
    }
}

static void remember_group(Snapshots &s, SnapshotScratch &scratch, uint32_t peer,
                           const PlanGroup &group, uint32_t groups)
{
    const uint32_t number = scratch.planned_number;
    inherit(s, peer, number, group);
    const size_t to = place_of(peer, number) * s.entry_count;
    for (uint32_t i = group.first; i < group.first + group.count; ++i) {
        const PlanItem &item = scratch.plan[i];
        if ((item.flags & item_carried) == 0) continue;
        EntryPresence &presence = s.sent_presences[to + item.entry];
        presence = carried(presence, item.states);
        s.sent_changes[to + item.entry] = s.change[item.entry];
        flat::push(scratch.carried, s.entries[item.entry].slot);
        flat::push(scratch.carried_bits, scratch.plan_bits[i]);
    }
    const uint32_t at = stream_of(s, peer, group.group);
    Snapshot &sent = stream(s.sent, at)[number % snapshots_kept];
    sent = {number,
            group.base,
            scratch.planned_tick,
            DecodeState::in_flight,
            {},
            s.peers[peer].send_index,
            groups};
}

static void remember(Snapshots &s, SnapshotScratch &scratch, uint32_t peer, uint32_t end)
{
    SnapshotPeer &p = s.peers[peer];
    p.send_index = send_index_of(p, scratch.planned_tick);
    p.sent_tick = scratch.planned_tick;
    uint32_t groups = 0;
    for (uint32_t at = scratch.next; at < end; at = next_group(scratch, at + 1))
        groups |= 1u << scratch.groups[at].group;
    for (uint32_t at = scratch.next; at < end; at = next_group(scratch, at + 1))
        remember_group(s, scratch, peer, scratch.groups[at], groups);
    p.sent_number = scratch.planned_number;
    p.sent_groups = groups;
    p.carried_count += scratch.carried.count;
    p.unsent_count -= scratch.carried.count;
    // A snapshot that was overwritten has no known outcome, nor have those that build on it.
    settle(s, peer);
}

// --- The plan of a tick ---

static void plan_one(const Snapshots &s, SnapshotScratch &scratch, Writing &w)
{
    const std::span<const Snapshot> kept = stream(s.sent, stream_of(s, w.peer, w.group));
    w.base = choose_base(s, w.peer, w.group, w.number, w.tick);
    const uint32_t first = scratch.plan.count;
    for (;;) {
        w.lineage = lineage(s, kept, w.number, w.base, w.tick);
        if (w.lineage.is_kept && plan_group(s, scratch, w)) break;
        w.base = 0;
    }
    PlanGroup group = {w.group, w.base, first, scratch.plan.count - first, 0, w.lineage};
    group.carried_count = carried_count(scratch, group);
    if (group.carried_count > 0)
        flat::push(scratch.groups, group);
    else
        scratch.plan.count = scratch.plan_urgency.count = first;
}

static void begin_tick(SnapshotPeer &p, uint32_t tick)
{
    if (p.planned_tick == tick) return;
    p.planned_tick = tick;
    p.was_short = p.unsent_count > 0 ? 1 : 0;
    if (p.was_short == 0) p.next_group = 0; // Groups that come around take another message.
    p.carried_before = p.carried_count;
    p.carried_count = 0;
}

static void plan_tick(Snapshots &s, SnapshotScratch &scratch, uint32_t peer, uint32_t tick,
                      const SnapshotInputs &inputs)
{
    SnapshotPeer &p = s.peers[peer];
    const bool is_first = p.planned_tick != tick;
    begin_tick(p, tick);
    flat::clear(scratch.groups);
    flat::clear(scratch.plan);
    flat::clear(scratch.plan_urgency);
    flat::clear(scratch.same);
    flat::clear(scratch.stray);
    scratch.planned_peer = peer;
    scratch.planned_tick = tick;
    scratch.planned_number = p.sent_number + 1;
    scratch.next = 0;
    scratch.is_limited = false;
    p.awaits_ack = 0;
    Writing w = {peer, scratch.planned_number, tick, 0, 0, {}, inputs, p.was_short != 0};
    const uint32_t count = (s.entries_used + group_entries - 1) / group_entries;
    for (uint32_t i = 0; i < count; ++i) {
        w.group = (p.next_group + i) % count;
        if (awaits_ack(s, peer, w.group, tick))
            p.awaits_ack |= 1u << w.group;
        else
            plan_one(s, scratch, w);
    }
    p.unsent_count = 0;
    for (const PlanGroup &group : scratch.groups.all())
        p.unsent_count += group.carried_count;
    const uint32_t most = p.carried_before + p.carried_before / 8 + 1;
    const bool is_short = is_first && p.was_short != 0 && p.carried_before > 0;
    if (!is_short || p.unsent_count <= most) return;
    cut_plan(scratch, scratch.groups.all(), most);
    scratch.is_limited = true;
}

// Plans if there is no plan for this tick, or if only the objects that were cut off it are left.
static bool has_next(Snapshots &s, SnapshotScratch &scratch, uint32_t peer, uint32_t tick,
                     const SnapshotInputs &inputs)
{
    const bool is_planned = scratch.planned_peer == peer && scratch.planned_tick == tick;
    if (!is_planned) plan_tick(s, scratch, peer, tick, inputs);
    scratch.next = next_group(scratch, scratch.next);
    if (scratch.next == scratch.groups.count && scratch.is_limited) {
        plan_tick(s, scratch, peer, tick, inputs);
        scratch.next = next_group(scratch, scratch.next);
    }
    return scratch.next < scratch.groups.count;
}

size_t write(Snapshots &s, SnapshotScratch &scratch, const World &world,
             const SnapshotInputs &inputs, std::span<std::byte> buffer)
{
    const uint32_t peer = inputs.peer;
    flat::clear(scratch.carried);
    flat::clear(scratch.carried_bits);
    flat::clear(scratch.same);
    if (s.entry_count == 0 || s.entries_used == 0) return 0;
    if (s.peers[peer].sent_number == UINT32_MAX) return 0;
    if (!has_next(s, scratch, peer, world.tick, inputs)) return 0;
    s.peers[peer].next_group = scratch.groups[scratch.next].group;
    const size_t head = write_head(s, scratch, peer, 0, buffer);
    if (head == 0) return 0;
    uint32_t end = 0;
    const size_t body = write_body(s, scratch, inputs.carried_max, buffer.subspan(head), end);
    if (body == 0) return 0;
    write_head(s, scratch, peer, scratch.groups[end - 1].group, buffer.first(head));
    remember(s, scratch, peer, end);
    scratch.next = end;
    const uint32_t next = next_group(scratch, end);
    if (next < scratch.groups.count) s.peers[peer].next_group = scratch.groups[next].group;
    return head + body;
}

}
