#include "base/mutant.h"
#include "replication/snapshot_lineage.h"
#include <algorithm>
#include <bit>
#include <cstring>

namespace tern::snapshots {

// --- Which base ---

// Loss above which only what has arrived serves as one; and in how many chains snapshots are built
// below it, each upon the one before it in its chain.
static constexpr uint32_t loss_for_acked = loss_one / 10, loss_for_one_chain = loss_one / 2000,
                          loss_for_three_chains = loss_one / 40;
static constexpr uint32_t loss_at_first = loss_one / 100, loss_window = 128;

static std::span<Snapshot> sent_to(Snapshots &s, uint32_t peer)
{
    return {s.sent.begin() + size_t{peer} * snapshots_kept, snapshots_kept};
}

// Numbers of changes begin anew after twice as many.
static bool is_recent(const Snapshot &snapshot, uint32_t tick)
{
    return tick - snapshot.tick < snapshot_base_ticks_max;
}

// The newest that is known to have arrived; 0: none.
static uint32_t newest_usable(std::span<const Snapshot> kept, uint32_t number, uint32_t tick)
{
    for (uint32_t at = number - 1; at != 0 && number - at <= snapshot_reach; --at) {
        const Snapshot &snapshot = kept[at % snapshots_kept];
        if (snapshot.fate == SnapshotFate::usable) return is_recent(snapshot, tick) ? at : 0;
    }
    return 0;
}

// Whether it may be lost, as something newer has arrived; or what it is built on.
static bool is_doubtful(std::span<const Snapshot> kept, uint32_t number, uint32_t arrived_number)
{
    for (uint32_t at = number; at != 0;) {
        const Snapshot &snapshot = kept[at % snapshots_kept];
        if (snapshot.number != at || snapshot.fate == SnapshotFate::useless) return true;
        if (snapshot.fate == SnapshotFate::usable) return false;
        if (snapshot.fate == SnapshotFate::in_flight && at < arrived_number) return true;
        at = snapshot.base;
    }
    return false;
}

struct Chains {
    uint32_t count;
    uint32_t turns_in_a_row; // Two build on 1 and 3 ticks before, where one would on 2 and 2.
};

// What is told once in a while is not told again soon, and each chain knows of its own part alone.
static constexpr uint32_t loss_for_one_chain_of_repeats = loss_one / 64;

static Chains chains_for(const Snapshots &s, uint32_t loss)
{
    if (s.trail_count > 0) return {loss < loss_for_one_chain_of_repeats ? 1u : 2u, 1};
    return {loss < loss_for_one_chain ? 1u : loss < loss_for_three_chains ? 2u : 3u, 2};
}

static bool is_of_chain(const Snapshot &snapshot, uint32_t turn, const Chains &chains)
{
    const uint32_t rows = turn / chains.turns_in_a_row - snapshot.turn / chains.turns_in_a_row;
    return rows % chains.count == 0;
}

static uint32_t turn_of(const Snapshot &last, uint32_t tick)
{
    return last.turn + (last.tick != tick ? 1 : 0);
}

// The newest of this tick; else of the chain whose turn it is. Where that one is broken, of any
// other: so the chain goes on at once.
static uint32_t newest_of_chain(std::span<const Snapshot> kept, uint32_t number, uint32_t tick,
                                uint32_t arrived_number, const Chains &chains)
{
    const uint32_t turn = turn_of(kept[(number - 1) % snapshots_kept], tick);
    uint32_t newest = 0; // That serves.
    bool is_broken = false;
    for (uint32_t at = number - 1; at != 0 && number - at <= snapshot_reach; --at) {
        const Snapshot &snapshot = kept[at % snapshots_kept];
        if (snapshot.tick == tick) return snapshot.fate != SnapshotFate::useless ? at : 0;
        const bool serves = !is_doubtful(kept, at, arrived_number) && is_recent(snapshot, tick);
        const bool is_own = is_of_chain(snapshot, turn, chains);
        if (serves && is_own && !is_broken) return at;
        is_broken |= is_own;
        if (serves && newest == 0) newest = at;
        if (is_broken && newest != 0) return newest;
    }
    return newest;
}

static uint32_t choose_base(Snapshots &s, uint32_t peer, uint32_t tick)
{
    const SnapshotPeer &p = s.peers[peer];
    const uint32_t number = p.sent_number + 1;
    const uint32_t loss = p.loss == 0 ? loss_at_first : p.loss;
    const std::span<const Snapshot> kept = sent_to(s, peer);
    const uint32_t usable = newest_usable(kept, number, tick);
    const uint32_t chain =
        newest_of_chain(kept, number, tick, p.arrived_number, chains_for(s, loss));
    const bool of_this_tick = chain != 0 && kept[chain % snapshots_kept].tick == tick;
    if (of_this_tick) return chain;
    if (loss > loss_for_acked && usable != 0) return usable;
    return std::max(chain, usable);
}

// --- What is to be told ---

struct Writing {
    uint32_t peer, number, base, tick;
    Lineage lineage;
    bool base_fails; // It needs what is gone.
    SnapshotWish wish;
    bool was_short; // Of bytes, in the last tick.
};

static bool is_kept(const Snapshots &s, uint32_t entry, uint16_t change)
{
    const auto since = static_cast<uint16_t>((s.change[entry] - change) & (change_lost - 1));
    return (change & change_lost) == 0 && since < snapshots_kept;
}

static const uint32_t *words_at(const Snapshots &s, uint32_t entry, uint16_t change)
{
    return s.changes.begin() + place_of_change(s, entry, change);
}

static bool take_told_history(const Snapshots &s, const Writing &w, PlanItem &item)
{
    const EntryMark *marks = s.sent_marks.begin() + place_of(w.peer, 0) * s.entry_count;
    const ToldHistory h = told_history(w.lineage, marks, s.entry_count, item.entry);
    item.states = h.count;
    for (uint8_t i = 0; i < h.count; ++i) {
        item.changes[i] =
            s.sent_changes[place_of(w.peer, h.numbers[i]) * s.entry_count + item.entry];
        item.ages[i] = static_cast<uint16_t>(h.ages[i]);
        if (!is_kept(s, item.entry, item.changes[i])) return false;
    }
    return true;
}

// Its history, as of the lineage. False: part of it is gone.
static bool take_history(const Snapshots &s, const Writing &w, uint32_t entry, EntryMark mark,
                         PlanItem &item)
{
    item.entry = static_cast<uint16_t>(entry);
    if (s.layouts[s.entries[entry].type].repeats) return take_told_history(s, w, item);
    item.states = states(w.lineage, mark);
    for (uint8_t i = 0; i < item.states; ++i) {
        const size_t place = place_of(w.peer, w.lineage.numbers[i]) * s.entry_count + entry;
        item.changes[i] = s.sent_changes[place];
        if (!is_kept(s, entry, item.changes[i])) return false;
    }
    return true;
}

// Of what may repeat it counts when a state was so, not only what it was.
static bool is_same(const Snapshots &s, uint32_t entry, uint16_t change)
{
    if (change == s.change[entry]) return true;
    const StateLayout &layout = s.layouts[s.entries[entry].type];
    if (layout.repeats) return false;
    const size_t size = layout.word_count * sizeof(uint32_t);
    return std::memcmp(words_at(s, entry, change), words_at(s, entry, s.change[entry]), size) == 0;
}

static bool is_active(const Snapshots &s, const World &world, uint32_t entry)
{
    const SentEntry &e = s.entries[entry];
    const Object &object = world.slots[e.slot];
    if (e.ended || object.life != Life::alive) return false;
    if (object.id != e.id || object.stamp != e.stamp) return false;
    return (s.active[entry / 64] >> entry % 64 & 1) != 0;
}

static EntryMark base_mark(const Snapshots &s, const Writing &w, uint32_t entry)
{
    if (w.base == 0) return {};
    return s.sent_marks[place_of(w.peer, w.base) * s.entry_count + entry];
}

static bool is_listed(const Snapshots &s, const Writing &w, uint32_t entry)
{
    return snapshots::is_listed(base_mark(s, w, entry));
}

static bool is_turn(const SnapshotWish &wish, Slot slot, uint32_t tick)
{
    if (wish.published[slot].acked_tick == 0) return false;
    if (wish.interests.empty()) return true;
    const Interest &interest = wish.interests[slot];
    return !interest.hidden && !sight_due(interest) && urgency(interest, tick) >= priority_one;
}

static bool is_due(const SnapshotWish &wish, Slot slot)
{
    return (wish.due[slot / 64] >> slot % 64 & 1) != 0;
}

// What is held back is told once, not by each chain: later it would not be as of then.
static bool is_wanted(const Snapshots &s, const World &world, const Writing &w, uint32_t entry)
{
    const SentEntry &e = s.entries[entry];
    if (!is_active(s, world, entry) || !is_turn(w.wish, e.slot, w.tick)) return false;
    return !s.layouts[e.type].repeats || is_due(w.wish, e.slot);
}

// Where there is room for all within the tick the order is that of the entries, which costs least.
static uint64_t urgency_of(const Writing &w, Slot slot)
{
    if (!w.wish.interests.empty()) return urgency(w.wish.interests[slot], w.tick);
    return w.was_short ? w.tick - w.wish.published[slot].sent_tick : 0;
}

// Of an object that is what its lineage says: whether nothing that was sent since says otherwise.
// It may have been something else meanwhile, and another chain, or an UPDATE, has said so.
static bool is_last_word(const Snapshots &s, const Writing &w, const PlanItem &item)
{
    if (item.changes[0] == s.change[item.entry]) return true;
    for (uint32_t at = w.base; at != 0;) {
        const size_t place = place_of(w.peer, at);
        const Snapshot &snapshot = s.sent[place];
        if (snapshot.number != at) return false;
        if ((s.sent_marks[place * s.entry_count + item.entry].bits & mark_told) != 0)
            return w.wish.published[s.entries[item.entry].slot].sent_tick <= snapshot.tick;
        at = snapshot.base;
    }
    return false;
}

static void plan_entry(const Snapshots &s, SnapshotScratch &scratch, const World &world, Writing &w,
                       uint32_t entry)
{
    const EntryMark mark = base_mark(s, w, entry);
    const bool listed = snapshots::is_listed(mark);
    const SentEntry &e = s.entries[entry];
    const bool wanted = is_wanted(s, world, w, entry);
    if (!listed && !wanted) return;
    PlanItem item = {};
    const bool known = take_history(s, w, entry, mark, item);
    if (!known && listed) w.base_fails = true;
    if (!known) item = {static_cast<uint16_t>(entry), 0, 0, {}, {}};
    const bool same = item.states > 0 && is_same(s, entry, item.changes[0]);
    if (same && wanted && is_due(w.wish, e.slot))
        flat::push(is_last_word(s, w, item) ? scratch.same : scratch.stray, e.slot);
    item.listed_told =
        static_cast<uint8_t>((listed ? item_listed : 0) | (wanted && !same ? item_told : 0));
    if (item.listed_told == 0) return;
    if (s.layouts[e.type].repeats)
        item.listed_told = static_cast<uint8_t>(item.listed_told | presence_class(mark) << 2);
    flat::push(scratch.plan, item);
    flat::push(scratch.plan_urgency, urgency_of(w, e.slot));
}

// Those that the base tells of, then the others; each in the order of the entries.
static void make_plan(const Snapshots &s, SnapshotScratch &scratch, const World &world, Writing &w)
{
    flat::clear(scratch.plan);
    flat::clear(scratch.plan_urgency);
    flat::clear(scratch.same);
    flat::clear(scratch.stray);
    for (uint32_t entry = 0; w.base != 0 && entry < s.entries_used; ++entry)
        if (is_listed(s, w, entry)) plan_entry(s, scratch, world, w, entry);
    for (uint32_t entry = 0; entry < s.entries_used; ++entry)
        if (!is_listed(s, w, entry)) plan_entry(s, scratch, world, w, entry);
}

static uint32_t told_count(const SnapshotScratch &scratch)
{
    uint32_t count = 0;
    for (const PlanItem &item : scratch.plan.all())
        count += (item.listed_told & item_told) != 0;
    return count;
}

// The urgency of the last of the `told_max` most urgent, and how many of just that are among them.
struct Cut {
    uint64_t urgency;
    uint32_t equal;
};

static Cut find_cut(SnapshotScratch &scratch, uint32_t told_max)
{
    flat::clear(scratch.told_urgency);
    for (uint32_t i = 0; i < scratch.plan.count; ++i)
        if ((scratch.plan[i].listed_told & item_told) != 0)
            flat::push(scratch.told_urgency, scratch.plan_urgency[i]);
    if (told_max == 0) return {UINT64_MAX, 0};
    if (scratch.told_urgency.count <= told_max) return {0, told_max};
    uint64_t *last = scratch.told_urgency.begin() + told_max - 1;
    std::nth_element(scratch.told_urgency.begin(), last, scratch.told_urgency.end(),
                     [](uint64_t a, uint64_t b) { return a > b; });
    const auto equal = std::count(scratch.told_urgency.begin(), last + 1, *last);
    return {*last, static_cast<uint32_t>(equal)};
}

// Of what does not fit, which is what has waited least, this snapshot says nothing.
static void cut_plan(SnapshotScratch &scratch, uint32_t told_max)
{
    Cut cut = find_cut(scratch, told_max);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < scratch.plan.count; ++i) {
        PlanItem item = scratch.plan[i];
        const uint64_t urgency = scratch.plan_urgency[i];
        const bool told = (item.listed_told & item_told) != 0;
        const bool at_cut = told && urgency == cut.urgency;
        if (told && (urgency < cut.urgency || (at_cut && cut.equal == 0)))
            item.listed_told = static_cast<uint8_t>(item.listed_told & ~item_told);
        else if (at_cut)
            cut.equal -= 1;
        if ((item.listed_told & (item_listed | item_told)) == 0) continue;
        scratch.plan_urgency[kept] = urgency;
        scratch.plan[kept++] = item;
    }
    while (scratch.plan.count > kept) {
        flat::pop(scratch.plan);
        flat::pop(scratch.plan_urgency);
    }
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
    const bool is_told = (item.listed_told & item_told) != 0;
    History history = history_of(s, l, item);
    if ((item.listed_told & item_listed) != 0) {
        if (layout.repeats)
            range_coder::code(e, is_told, repeated_absent[item.listed_told >> 2]);
        else
            state_coder::write_presence(e, layout, history, before, is_told);
        before = before << 1 | (is_told ? 1 : 0);
        if (!is_told) return true;
    } else {
        range_coder::code(e, true, another_chance);
        range_coder::code_bits(e, item.entry >> 8, entry_bits - 8);
        range_coder::code_bits(e, item.entry & 255u, 8);
        range_coder::code(e, item.states == 0, whole_chance);
        if (item.states == 0) write_identity(e, entry);
    }
    const uint64_t mask =
        item.states == 0 ? all_fields(layout) : changed_fields(layout, history.at[0], now);
    return state_coder::write(e, layout, history, mask, now);
}

// How many of the plan's objects are told; all: it is written whole.
static uint32_t write_body(const Snapshots &s, SnapshotScratch &scratch, const Lineage &l,
                           std::span<std::byte> buffer, size_t &size_bytes)
{
    RangeEncoder e = range_coder::encoder(buffer);
    unsigned before = 0;
    uint32_t told = 0;
    bool fits = true;
    for (uint32_t i = 0; i < scratch.plan.count && fits; ++i) {
        const PlanItem &item = scratch.plan[i];
        const size_t begin = range_coder::bit_count(e);
        fits = write_item(e, s, l, item, before) && range_coder::fits(e);
        if (!fits) break;
        scratch.plan_bits[i] = static_cast<uint16_t>(range_coder::bit_count(e) - begin);
        told += (item.listed_told & item_told) != 0;
    }
    range_coder::code(e, false, another_chance);
    size_bytes = fits && range_coder::fits(e) ? range_coder::finish(e) : 0;
    return told;
}

static bool is_coded(const SnapshotCode &code, const SnapshotScratch &scratch, const Writing &w)
{
    if (code.age_count != w.lineage.count) return false;
    if (std::memcmp(code.ages, w.lineage.ages, sizeof code.ages) != 0) return false;
    return code.count == scratch.plan.count &&
           std::memcmp(&scratch.cached[code.first], scratch.plan.begin(),
                       code.count * sizeof(PlanItem)) == 0;
}

static void keep_code(SnapshotScratch &scratch, const Writing &w, std::span<const std::byte> body)
{
    if (flat::full(scratch.codes) || body.size() > snapshot_bytes_max) return;
    SnapshotCode &code = flat::push(scratch.codes, {});
    code.age_count = w.lineage.count;
    std::ranges::copy(w.lineage.ages, code.ages);
    code.first = scratch.cached.count;
    code.count = scratch.plan.count;
    std::copy_n(scratch.plan_bits.begin(), code.count, scratch.cached_bits.begin() + code.first);
    for (const PlanItem &item : scratch.plan.all())
        flat::push(scratch.cached, item);
    code.size_bytes = static_cast<uint32_t>(body.size());
    std::memcpy(code.bytes, body.data(), body.size());
}

// Its bytes; 0: nothing fits.
static size_t code_body(const Snapshots &s, SnapshotScratch &scratch, const Writing &w,
                        std::span<std::byte> buffer)
{
    for (const SnapshotCode &code : scratch.codes.all())
        if (is_coded(code, scratch, w) && code.size_bytes <= buffer.size()) {
            std::memcpy(buffer.data(), code.bytes, code.size_bytes);
            std::copy_n(scratch.cached_bits.begin() + code.first, code.count,
                        scratch.plan_bits.begin());
            return code.size_bytes;
        }
    size_t size = 0;
    for (uint32_t most = told_count(scratch); most > 0 && size == 0;) {
        const uint32_t told = write_body(s, scratch, w.lineage, buffer, size);
        if (size > 0) break;
        most =
            std::min(told, most - 1 - most / 16); // That the others are not told takes room, too.
        cut_plan(scratch, most);
    }
    if (size > 0) keep_code(scratch, w, buffer.first(size));
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

// --- What it says is kept ---

static Snapshot *kept(Snapshots &s, uint32_t peer, uint32_t number)
{
    Snapshot &snapshot = s.sent[place_of(peer, number)];
    return snapshot.number == number && number != 0 ? &snapshot : nullptr;
}

// From the oldest on: what arrived counts when its base does, and not if that does not.
static void settle(Snapshots &s, uint32_t peer)
{
    const uint32_t last = s.peers[peer].sent_number;
    const uint32_t first = last < snapshots_kept ? 1 : last - snapshots_kept + 1;
    for (uint32_t number = first; number <= last && number != 0; ++number) {
        Snapshot *snapshot = kept(s, peer, number);
        if (!snapshot || snapshot->base == 0) continue;
        if (snapshot->fate != SnapshotFate::in_flight && snapshot->fate != SnapshotFate::arrived)
            continue;
        const Snapshot *base = kept(s, peer, snapshot->base);
        const bool counts =
            (base && base->fate == SnapshotFate::usable) || TERN_MUTANT(useless_snapshot_counts);
        if (counts && snapshot->fate == SnapshotFate::arrived)
            snapshot->fate = SnapshotFate::usable;
        else if (!base || base->fate == SnapshotFate::useless)
            snapshot->fate = SnapshotFate::useless;
    }
}

static void remember(Snapshots &s, SnapshotScratch &scratch, const Writing &w)
{
    const size_t to = place_of(w.peer, w.number) * s.entry_count;
    const size_t from = place_of(w.peer, w.base) * s.entry_count;
    EntryMark *marks = s.sent_marks.begin() + to;
    uint16_t *changes = s.sent_changes.begin() + to;
    for (uint32_t i = 0; i < s.entries_used; ++i) {
        const EntryMark base = w.base == 0 ? EntryMark{} : s.sent_marks[from + i];
        const uint16_t change = w.base == 0 ? change_lost : s.sent_changes[from + i];
        marks[i] = inherited(base);
        changes[i] = is_kept(s, i, change) ? change : change_lost;
    }
    for (uint32_t i = 0; i < scratch.plan.count; ++i) {
        const PlanItem &item = scratch.plan[i];
        if ((item.listed_told & item_told) == 0) continue;
        marks[item.entry] = told(marks[item.entry], item.states);
        changes[item.entry] = s.change[item.entry];
        flat::push(scratch.told, s.entries[item.entry].slot);
        flat::push(scratch.told_bits, scratch.plan_bits[i]);
    }
    SnapshotPeer &p = s.peers[w.peer];
    const uint32_t turn = turn_of(s.sent[place_of(w.peer, p.sent_number)], w.tick);
    s.sent[place_of(w.peer, w.number)] = {w.number, w.base, w.tick, SnapshotFate::in_flight,
                                          {},       turn};
    p.sent_number = w.number;
    settle(s, w.peer); // What was here has no fate any more, nor has what was built on it.
    if (p.loss == 0) p.loss = loss_at_first;
}

size_t write(Snapshots &s, SnapshotScratch &scratch, const World &world, uint32_t peer,
             const SnapshotWish &wish, std::span<std::byte> buffer)
{
    flat::clear(scratch.told);
    flat::clear(scratch.told_bits);
    flat::clear(scratch.same);
    flat::clear(scratch.stray);
    if (s.entry_count == 0 || s.entries_used == 0) return 0;
    if (s.peers[peer].sent_number == UINT32_MAX) return 0;
    SnapshotPeer &p = s.peers[peer];
    const uint32_t base = choose_base(s, peer, world.tick);
    const bool was_short =
        p.was_cut != 0 && s.sent[place_of(peer, p.sent_number)].tick != world.tick;
    Writing w = {peer, p.sent_number + 1, base, world.tick, {}, false, wish, was_short};
    for (;;) {
        w.lineage = lineage(s, sent_to(s, peer), w.number, w.base, w.tick);
        make_plan(s, scratch, world, w);
        if (!w.base_fails && w.lineage.is_kept) break;
        w.base = 0;
        w.base_fails = false;
    }
    const uint32_t wanted = told_count(scratch);
    p.was_cut = wanted > 0 ? 1 : 0; // Unless all of it is told.
    if (wanted > wish.told_max) cut_plan(scratch, wish.told_max);
    if (told_count(scratch) == 0) return 0;
    const uint32_t base_tick = w.base == 0 ? 0 : s.sent[place_of(peer, w.base)].tick;
    const size_t head = write_head(w, buffer, base_tick);
    if (head == 0) return 0;
    const size_t body = code_body(s, scratch, w, buffer.subspan(head));
    if (body == 0) return 0;
    p.was_cut = told_count(scratch) < wanted ? 1 : 0;
    remember(s, scratch, w);
    return head + body;
}

uint32_t last_number(const Snapshots &s, uint32_t peer)
{
    return s.peers[peer].sent_number;
}

// --- What became of it ---

SnapshotFate fate_of(const Snapshots &s, uint32_t peer, uint32_t number)
{
    const Snapshot &snapshot = s.sent[place_of(peer, number)];
    return snapshot.number == number ? snapshot.fate : SnapshotFate::useless;
}

void fate(Snapshots &s, uint32_t peer, uint32_t number, bool arrived)
{
    SnapshotPeer &p = s.peers[peer];
    p.loss = p.loss - p.loss / loss_window + (arrived ? 0 : loss_one / loss_window);
    p.loss = std::max<uint32_t>(p.loss, 1);
    if (arrived) p.arrived_number = std::max(p.arrived_number, number);
    Snapshot *snapshot = kept(s, peer, number);
    if (!snapshot || snapshot->fate != SnapshotFate::in_flight) return;
    snapshot->fate = !arrived              ? SnapshotFate::useless
                     : snapshot->base == 0 ? SnapshotFate::usable
                                           : SnapshotFate::arrived;
    settle(s, peer);
}

void lose_all(Snapshots &s, uint32_t peer)
{
    if (s.entry_count == 0) return;
    for (Snapshot &snapshot : sent_to(s, peer))
        if (snapshot.fate == SnapshotFate::in_flight || snapshot.fate == SnapshotFate::arrived)
            snapshot.fate = SnapshotFate::useless;
}
}
