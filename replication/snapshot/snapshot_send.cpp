#include "replication/snapshot/snapshot_plan.h"
#include <algorithm>
#include <cstring>

namespace tern::snapshots {

// --- The choice of the base ---

// Above the first loss only acked snapshots serve as bases. Below it the snapshots form one, two or
// three interleaved chains, each snapshot built upon the previous one of its chain. A snapshot that
// overtakes its base is as useless as one whose base is lost, so reordering counts like loss.
// docs/decisions.md, "Snapshots".
static constexpr uint32_t loss_for_acked = loss_one / 10, loss_for_one_baseline = loss_one / 2000,
                          loss_for_three_baselines = loss_one / 40;
static constexpr uint32_t loss_at_first = loss_one / 100, loss_window = 128;

static std::span<Snapshot> sent_to(Snapshots &s, uint32_t peer)
{
    return {s.sent.begin() + size_t{peer} * snapshots_kept, snapshots_kept};
}

// Changes have numbers of 15 bits and at most one a tick, so a number repeats after twice this many
// ticks.
static bool is_recent(const Snapshot &snapshot, uint32_t tick)
{
    return tick - snapshot.tick < snapshot_base_ticks_max;
}

// The newest snapshot that counts and is recent, and if there is one, the newest that was the same
// part of its tick: it most likely carries the same objects. 0: none.
static uint32_t newest_usable(std::span<const Snapshot> kept, uint32_t number, uint32_t tick,
                              uint8_t part)
{
    uint32_t newest = 0;
    for (uint32_t at = number - 1; at != 0 && number - at <= snapshot_reach; --at) {
        const Snapshot &snapshot = kept[at % snapshots_kept];
        if (snapshot.decode_state != DecodeState::usable || !is_recent(snapshot, tick)) continue;
        if (snapshot.part == part) return at;
        if (newest == 0) newest = at;
    }
    return newest;
}

// Whether the snapshot or one of its ancestors may be lost: it is not acked, but a newer one is.
static bool is_doubtful(std::span<const Snapshot> kept, uint32_t number, uint32_t arrived_number)
{
    for (uint32_t at = number; at != 0;) {
        const Snapshot &snapshot = kept[at % snapshots_kept];
        if (snapshot.number != at || snapshot.decode_state == DecodeState::useless) return true;
        if (snapshot.decode_state == DecodeState::usable) return false;
        if (snapshot.decode_state == DecodeState::in_flight && at < arrived_number) return true;
        at = snapshot.base;
    }
    return false;
}

struct InterleavedBaselines {
    uint32_t count;
    // Ticks in a row that go to the same chain. With two, two chains build on 1 and 3 ticks before;
    // alternating ticks would build on 2 and 2, which costs more.
    uint32_t stride;
};

// States that may repeat are sent rarely, and each chain knows only those that it has sent itself.
// docs/decisions.md, "Error bounds".
static constexpr uint32_t loss_for_one_baseline_of_repeats = loss_one / 64;

static InterleavedBaselines baselines_for(const Snapshots &s, uint32_t loss)
{
    if (s.trail_count > 0) return {loss < loss_for_one_baseline_of_repeats ? 1u : 2u, 1};
    return {loss < loss_for_one_baseline ? 1u : loss < loss_for_three_baselines ? 2u : 3u, 2};
}

static bool is_on_baseline(const Snapshot &snapshot, uint32_t send_index,
                           const InterleavedBaselines &baselines)
{
    const uint32_t steps = send_index / baselines.stride - snapshot.send_index / baselines.stride;
    return steps % baselines.count == 0;
}

static uint32_t send_index_of(const Snapshot &last, uint32_t tick)
{
    return last.send_index + (last.tick != tick ? 1 : 0);
}

static uint8_t part_of(const Snapshot &last, uint32_t tick)
{
    if (last.number == 0 || last.tick != tick) return 0;
    return static_cast<uint8_t>(std::min(last.part + 1, 255));
}

// The newest snapshot of this tick, else of the chain that has the turn. If that chain is broken,
// it continues from the newest usable snapshot of any other chain.
static uint32_t newest_on_baseline(std::span<const Snapshot> kept, uint32_t number, uint32_t tick,
                                   uint32_t arrived_number, const InterleavedBaselines &baselines)
{
    const uint32_t send_index = send_index_of(kept[(number - 1) % snapshots_kept], tick);
    uint32_t newest = 0; // The newest that can serve as a base.
    bool is_broken = false;
    for (uint32_t at = number - 1; at != 0 && number - at <= snapshot_reach; --at) {
        const Snapshot &snapshot = kept[at % snapshots_kept];
        if (snapshot.tick == tick) return snapshot.decode_state != DecodeState::useless ? at : 0;
        const bool serves = !is_doubtful(kept, at, arrived_number) && is_recent(snapshot, tick);
        const bool is_own = is_on_baseline(snapshot, send_index, baselines);
        if (serves && is_own && !is_broken) return at;
        is_broken |= is_own;
        if (serves && newest == 0) newest = at;
        if (is_broken && newest != 0) return newest;
    }
    return newest;
}

// A path that reorders shows it by late acks only in part: a snapshot on which an earlier arrival
// was built is refused, and counts as lost. docs/decisions.md, "Snapshots".
static uint32_t loss_of(const SnapshotPeer &p)
{
    return (p.loss == 0 ? loss_at_first : p.loss) + 4 * p.reordered;
}

static uint32_t choose_base(Snapshots &s, uint32_t peer, uint32_t tick)
{
    const SnapshotPeer &p = s.peers[peer];
    const uint32_t number = p.sent_number + 1;
    const uint32_t loss = loss_of(p);
    const std::span<const Snapshot> kept = sent_to(s, peer);
    const uint8_t part = part_of(kept[p.sent_number % snapshots_kept], tick);
    const uint32_t usable = newest_usable(kept, number, tick, part);
    if (loss > loss_for_acked) return usable;
    const uint32_t baseline =
        newest_on_baseline(kept, number, tick, p.arrived_number, baselines_for(s, loss));
    const bool of_this_tick = baseline != 0 && kept[baseline % snapshots_kept].tick == tick;
    return of_this_tick ? baseline : std::max(baseline, usable);
}

// Whether only acked snapshots may serve as bases, and none within reach is acked, but some still
// may be. Until then UPDATEs cost less than whole states.
static bool awaits_ack(Snapshots &s, uint32_t peer, uint32_t tick)
{
    const SnapshotPeer &p = s.peers[peer];
    if (loss_of(p) <= loss_for_acked) return false;
    const std::span<const Snapshot> kept = sent_to(s, peer);
    bool any = false;
    for (uint32_t at = p.sent_number; at != 0 && p.sent_number - at < snapshot_reach; --at) {
        const Snapshot &snapshot = kept[at % snapshots_kept];
        if (!is_recent(snapshot, tick)) continue;
        if (snapshot.decode_state == DecodeState::usable) return false;
        any = any || snapshot.decode_state == DecodeState::in_flight ||
              snapshot.decode_state == DecodeState::arrived;
    }
    return any;
}

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
    std::ranges::copy(item.ages, ages);
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
        range_coder::code_bits(e, item.entry >> 8, entry_bits - 8);
        range_coder::code_bits(e, item.entry & 255u, 8);
        range_coder::code(e, item.states == 0, whole_probability);
        if (item.states == 0) write_identity(e, entry);
    }
    const uint64_t mask =
        item.states == 0 ? all_fields(layout) : changed_fields(layout, history.at[0], now);
    return state_coder::write(e, layout, history, mask, now);
}

// Encodes the plan and returns how many objects fit; if all do, size_bytes is set, else 0.
static uint32_t write_body(const Snapshots &s, SnapshotScratch &scratch, const Lineage &l,
                           std::span<std::byte> buffer, size_t &size_bytes)
{
    RangeEncoder e = range_coder::encoder(buffer);
    unsigned before = 0;
    uint32_t carried = 0;
    bool fits = true;
    for (uint32_t i = 0; i < scratch.plan.count && fits; ++i) {
        const PlanItem &item = scratch.plan[i];
        const size_t begin = range_coder::bit_count(e);
        fits = write_item(e, s, l, item, before) && range_coder::fits(e);
        if (!fits) break;
        scratch.plan_bits[i] = static_cast<uint16_t>(range_coder::bit_count(e) - begin);
        carried += (item.flags & item_carried) != 0;
    }
    range_coder::code(e, false, another_probability);
    size_bytes = fits && range_coder::fits(e) ? range_coder::finish(e) : 0;
    return carried;
}

// What a body depends on beside the plan.
struct Task {
    uint32_t wanted; // The objects of the plan that are to be carried.
    uint32_t limit;  // As many are tried first.
    size_t room_bytes;
};

// An attempt that does not fit is encoded in vain. So the first one carries hardly more objects
// than would have fitted in the last body that was cut.
static uint32_t limit_of(const SnapshotPeer &p, uint32_t wanted, size_t room_bytes)
{
    if (p.cut_bits == 0) return wanted;
    const auto likely = static_cast<uint32_t>(room_bytes * 8 / p.cut_bits) + 1;
    const uint32_t more = likely + likely / 32;
    return wanted <= more + more / 4 ? wanted : more;
}

template <class T>
static bool is_equal(const Flat<T> &cached, const SnapshotCode &code, const Flat<T> &present)
{
    return std::memcmp(cached.begin() + code.first, present.begin(), code.count * sizeof(T)) == 0;
}

// What was cut off depended on the room and on the urgencies, too.
static bool is_coded(const SnapshotCode &code, const SnapshotScratch &scratch, const Writing &w,
                     const Task &task)
{
    if (code.age_count != w.lineage.count || code.count != scratch.plan.count) return false;
    if (code.limit != task.limit || code.size_bytes > task.room_bytes) return false;
    if (std::memcmp(code.ages, w.lineage.ages, sizeof code.ages) != 0) return false;
    if (!is_equal(scratch.cached, code, scratch.plan)) return false;
    if (code.carried_max == task.wanted) return true;
    return code.room_bytes == task.room_bytes &&
           is_equal(scratch.cached_urgency, code, scratch.plan_urgency);
}

// Keeps the plan before it is cut; the next code refers to it.
static void note_plan(SnapshotScratch &scratch)
{
    for (uint32_t i = 0; i < scratch.plan.count; ++i) {
        flat::push(scratch.cached, scratch.plan[i]);
        flat::push(scratch.cached_urgency, scratch.plan_urgency[i]);
    }
}

static void keep_code(SnapshotScratch &scratch, const Writing &w, const Task &task, uint32_t first,
                      std::span<const std::byte> body)
{
    if (body.empty() || flat::full(scratch.codes)) {
        scratch.cached.count = scratch.cached_urgency.count = first;
        return;
    }
    SnapshotCode &code = flat::push(scratch.codes, {});
    code.age_count = w.lineage.count;
    std::ranges::copy(w.lineage.ages, code.ages);
    code.first = first;
    code.count = scratch.cached.count - first;
    code.room_bytes = static_cast<uint32_t>(task.room_bytes);
    code.limit = task.limit;
    code.carried_max = carried_count(scratch);
    code.size_bytes = static_cast<uint32_t>(body.size());
    std::copy_n(scratch.plan_bits.begin(), scratch.plan.count, scratch.cached_bits.begin() + first);
    std::memcpy(code.bytes, body.data(), body.size());
}

static size_t copy_code(SnapshotScratch &scratch, const SnapshotCode &code, const Task &task,
                        std::span<std::byte> buffer)
{
    if (code.carried_max < task.wanted) cut_plan(scratch, code.carried_max);
    std::copy_n(scratch.cached_bits.begin() + code.first, scratch.plan.count,
                scratch.plan_bits.begin());
    std::memcpy(buffer.data(), code.bytes, code.size_bytes);
    return code.size_bytes;
}

// Sets the plan to the one that note_plan() has kept, with the most urgent objects only.
static void cut_again(SnapshotScratch &scratch, uint32_t first, uint32_t carried_max)
{
    flat::clear(scratch.plan);
    flat::clear(scratch.plan_urgency);
    for (uint32_t i = first; i < scratch.cached.count; ++i) {
        flat::push(scratch.plan, scratch.cached[i]);
        flat::push(scratch.plan_urgency, scratch.cached_urgency[i]);
    }
    cut_plan(scratch, carried_max);
}

// Encodes as many objects as fit, in a few attempts. Returns the size of the body; 0: none fits.
static size_t fit_body(const Snapshots &s, SnapshotScratch &scratch, const Writing &w,
                       const Task &task, uint32_t first, std::span<std::byte> buffer)
{
    size_t size = 0;
    bool was_too_long = false;
    for (uint32_t most = task.limit; most > 0;) {
        if (most < carried_count(scratch) || size > 0) cut_again(scratch, first, most);
        const uint32_t carried = write_body(s, scratch, w.lineage, buffer, size);
        if (size == 0) {
            // Cuts further than to what fitted: the decision that a listed object is not carried
            // takes room too.
            most = std::min(carried, most - 1 - most / 16);
            was_too_long = true;
            continue;
        }
        if (most == task.wanted || was_too_long || size * 8 >= buffer.size() * 7) break;
        most = std::min(task.wanted,
                        most + 1 + static_cast<uint32_t>(most * (buffer.size() - size) / size));
    }
    return size;
}

// Returns the size of the body in bytes; 0: nothing fits. The room is a multiple of 32 bytes, so
// that peers whose acks differ in size get equal bodies.
static size_t code_body(const Snapshots &s, SnapshotScratch &scratch, const Writing &w,
                        std::span<std::byte> buffer)
{
    buffer = buffer.first(buffer.size() / 32 * 32);
    const uint32_t wanted = carried_count(scratch);
    const Task task = {wanted, limit_of(s.peers[w.peer], wanted, buffer.size()), buffer.size()};
    for (const SnapshotCode &code : scratch.codes.all())
        if (is_coded(code, scratch, w, task)) return copy_code(scratch, code, task, buffer);
    const uint32_t first = scratch.cached.count;
    note_plan(scratch);
    const size_t size = fit_body(s, scratch, w, task, first, buffer);
    keep_code(scratch, w, task, first, buffer.first(size));
    return size;
}

static size_t write_head(const Writing &w, std::span<std::byte> buffer, uint32_t base_tick)
{
    BitWriter head = bits::writer(buffer);
    bits::write(head, w.number & 0x7fff, 15);
    bits::write(head, w.base == 0 ? 0 : w.number - w.base, 6);
    const uint32_t since = w.tick - base_tick;
    const bool near = w.base != 0 && since < snapshot_tick_far;
    bits::write(head, near ? since : snapshot_tick_far, 3);
    if (!near) bits::write(head, w.tick, 32);
    return bits::overflow(head) ? 0 : bits::size_bytes(head);
}

// --- The record of what was sent ---

static Snapshot *kept(Snapshots &s, uint32_t peer, uint32_t number)
{
    Snapshot &snapshot = s.sent[place_of(peer, number)];
    return snapshot.number == number && number != 0 ? &snapshot : nullptr;
}

// Goes from the oldest on: an acked snapshot counts when its base counts, and is useless when its
// base is.
static void settle(Snapshots &s, uint32_t peer)
{
    const uint32_t last = s.peers[peer].sent_number;
    const uint32_t first = last < snapshots_kept ? 1 : last - snapshots_kept + 1;
    for (uint32_t number = first; number <= last && number != 0; ++number) {
        Snapshot *snapshot = kept(s, peer, number);
        if (!snapshot || snapshot->base == 0) continue;
        if (snapshot->decode_state != DecodeState::in_flight &&
            snapshot->decode_state != DecodeState::arrived)
            continue;
        const Snapshot *base = kept(s, peer, snapshot->base);
        const bool counts = base && base->decode_state == DecodeState::usable;
        if (counts && snapshot->decode_state == DecodeState::arrived)
            snapshot->decode_state = DecodeState::usable;
        else if (!base || base->decode_state == DecodeState::useless)
            snapshot->decode_state = DecodeState::useless;
    }
}

// Starts the record with that of the base; the caller then adds the objects that the snapshot
// carries.
static void inherit(const Snapshots &s, const Writing &w, EntryPresence *presences,
                    uint16_t *changes)
{
    const size_t from = place_of(w.peer, w.base) * s.entry_count;
    const EntryPresence *base_presences = s.sent_presences.begin() + from;
    const uint16_t *base_changes = s.sent_changes.begin() + from;
    const uint16_t *newest = s.change.begin();
    for (uint32_t i = 0; i < s.entries_used; ++i)
        presences[i] = w.base == 0 ? EntryPresence{} : inherited(base_presences[i]);
    for (uint32_t i = 0; i < s.entries_used; ++i)
        changes[i] =
            w.base != 0 && is_kept(newest[i], base_changes[i]) ? base_changes[i] : change_lost;
}

static void remember(Snapshots &s, SnapshotScratch &scratch, const Writing &w)
{
    const size_t to = place_of(w.peer, w.number) * s.entry_count;
    EntryPresence *presences = s.sent_presences.begin() + to;
    uint16_t *changes = s.sent_changes.begin() + to;
    inherit(s, w, presences, changes);
    for (uint32_t i = 0; i < scratch.plan.count; ++i) {
        const PlanItem &item = scratch.plan[i];
        if ((item.flags & item_carried) == 0) continue;
        presences[item.entry] = carried(presences[item.entry], item.states);
        changes[item.entry] = s.change[item.entry];
        flat::push(scratch.carried, s.entries[item.entry].slot);
        flat::push(scratch.carried_bits, scratch.plan_bits[i]);
    }
    SnapshotPeer &p = s.peers[w.peer];
    const Snapshot &last = s.sent[place_of(w.peer, p.sent_number)];
    s.sent[place_of(w.peer, w.number)] = {w.number,
                                          w.base,
                                          w.tick,
                                          DecodeState::in_flight,
                                          part_of(last, w.tick),
                                          {},
                                          send_index_of(last, w.tick)};
    p.sent_number = w.number;
    // The snapshot that was overwritten has no known outcome, nor have those that build on it.
    settle(s, w.peer);
    if (p.loss == 0) p.loss = loss_at_first;
}

size_t write(Snapshots &s, SnapshotScratch &scratch, const World &world, uint32_t peer,
             const SnapshotInputs &inputs, std::span<std::byte> buffer)
{
    flat::clear(scratch.carried);
    flat::clear(scratch.carried_bits);
    flat::clear(scratch.same);
    flat::clear(scratch.stray);
    if (s.entry_count == 0 || s.entries_used == 0) return 0;
    if (s.peers[peer].sent_number == UINT32_MAX) return 0;
    SnapshotPeer &p = s.peers[peer];
    p.awaits_ack = awaits_ack(s, peer, world.tick) ? 1 : 0;
    if (p.awaits_ack != 0) return 0;
    const uint32_t base = choose_base(s, peer, world.tick);
    const bool was_short =
        p.was_cut != 0 && s.sent[place_of(peer, p.sent_number)].tick != world.tick;
    Writing w = {peer, p.sent_number + 1, base, world.tick, {}, inputs, was_short};
    for (;;) {
        w.lineage = lineage(s, sent_to(s, peer), w.number, w.base, w.tick);
        if (make_plan(s, scratch, w) && w.lineage.is_kept) break;
        w.base = 0;
    }
    const uint32_t wanted = carried_count(scratch);
    p.was_cut = wanted > 0 ? 1 : 0; // Cleared below if all of them are sent.
    if (wanted > inputs.carried_max) cut_plan(scratch, inputs.carried_max);
    if (carried_count(scratch) == 0) return 0;
    const uint32_t base_tick = w.base == 0 ? 0 : s.sent[place_of(peer, w.base)].tick;
    const size_t head = write_head(w, buffer, base_tick);
    if (head == 0) return 0;
    const size_t body = code_body(s, scratch, w, buffer.subspan(head));
    if (body == 0) return 0;
    const uint32_t fitted = carried_count(scratch);
    p.was_cut = fitted < wanted ? 1 : 0;
    if (p.was_cut != 0) p.cut_bits = static_cast<uint32_t>(body * 8 / fitted) + 1;
    remember(s, scratch, w);
    return head + body;
}

uint32_t last_number(const Snapshots &s, uint32_t peer)
{
    return s.peers[peer].sent_number;
}

// --- Outcomes ---

DecodeState decode_state_of(const Snapshots &s, uint32_t peer, uint32_t number)
{
    const Snapshot &snapshot = s.sent[place_of(peer, number)];
    return snapshot.number == number ? snapshot.decode_state : DecodeState::useless;
}

void on_packet_outcome(Snapshots &s, uint32_t peer, uint32_t number, bool acked)
{
    SnapshotPeer &p = s.peers[peer];
    p.loss = p.loss - p.loss / loss_window + (acked ? 0 : loss_one / loss_window);
    p.loss = std::max<uint32_t>(p.loss, 1);
    const bool is_overtaken = acked && number < p.arrived_number;
    p.reordered =
        p.reordered - p.reordered / loss_window + (is_overtaken ? loss_one / loss_window : 0);
    if (acked) p.arrived_number = std::max(p.arrived_number, number);
    Snapshot *snapshot = kept(s, peer, number);
    if (!snapshot || snapshot->decode_state != DecodeState::in_flight) return;
    snapshot->decode_state = !acked                ? DecodeState::useless
                             : snapshot->base == 0 ? DecodeState::usable
                                                   : DecodeState::arrived;
    settle(s, peer);
}

void lose_all(Snapshots &s, uint32_t peer)
{
    if (s.entry_count == 0) return;
    for (Snapshot &snapshot : sent_to(s, peer))
        if (snapshot.decode_state == DecodeState::in_flight ||
            snapshot.decode_state == DecodeState::arrived)
            snapshot.decode_state = DecodeState::useless;
}
}
