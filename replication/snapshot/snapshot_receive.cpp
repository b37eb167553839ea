#include "replication/snapshot/snapshot_lineage.h"
#include <algorithm>
#include <bit>
#include <cstring>

namespace tern::snapshots {

struct Reading { // One group of a message.
    Snapshots &s;
    SnapshotScratch &scratch;
    const TypeTable &types;
    uint32_t peer, number;
    uint32_t tick, since; // As in Head, until the base of the first group is known.
    uint32_t group, base;
    Lineage lineage;
};

static uint32_t *words_of(Snapshots &s, uint32_t peer, uint32_t number, uint32_t entry)
{
    const size_t place = place_of(peer, number) * s.entry_count + entry;
    return s.got_words.begin() + place * s.word_count;
}

// --- The head ---

struct Head {
    uint32_t number, base; // The base of the first group.
    uint32_t tick;         // 0: `since` ticks after the base's.
    uint32_t since;
    uint32_t first, last; // The groups that the message may have.
    size_t size_bytes;    // 0: malformed.
};

// The full number with these low bits that is nearest to `newest`.
static uint32_t whole_number(uint32_t low, uint32_t newest)
{
    constexpr uint32_t count = 1u << number_bits;
    const uint32_t ahead = (low - newest) & (count - 1);
    return newest + ahead - (ahead < count / 2 ? 0 : count);
}

static Head read_head(const Snapshots &s, std::span<const std::byte> message, uint32_t newest)
{
    BitReader r = bits::reader(message);
    Head head = {};
    head.number = whole_number(static_cast<uint32_t>(bits::read(r, number_bits)), newest);
    const auto base_distance = static_cast<uint32_t>(bits::read(r, base_bits));
    const auto since = static_cast<uint32_t>(bits::read(r, since_bits));
    head.first = static_cast<uint32_t>(bits::read(r, group_bits));
    head.last = static_cast<uint32_t>(bits::read(r, group_bits));
    if (base_distance > snapshot_reach || (base_distance == 0 && since != snapshot_tick_far))
        bits::fail(r);
    if (base_distance >= head.number) bits::fail(r);
    if (head.first > head.last || head.last >= s.group_count) bits::fail(r);
    head.base = base_distance == 0 ? 0 : head.number - base_distance;
    if (since == snapshot_tick_far)
        head.tick = static_cast<uint32_t>(bits::read(r, 32));
    else
        head.since = since;
    if (since == snapshot_tick_far && head.tick == 0) bits::fail(r);
    if (!bits::failed(r)) head.size_bytes = bits::bit_count(r) / 8;
    return head;
}

static bool is_too_old(uint32_t number, uint32_t newest)
{
    return static_cast<int32_t>(number - newest) <= -static_cast<int32_t>(snapshots_kept);
}

// Whether the message comes too late, or was here already. A group that a later message could not
// do without has been given up, see receive().
static bool is_refused(const Snapshots &s, const Head &head, uint32_t peer)
{
    if (is_too_old(head.number, s.peers[peer].got_number)) return true;
    for (uint32_t group = head.first; group <= head.last; ++group) {
        const uint32_t at = stream_of(s, peer, group);
        // Its sender meant another object by an entry, and the states of that one are forgotten.
        if (static_cast<int32_t>(head.number - s.got_renamed[at]) < 0) return true;
        if (stream(s.got, at)[head.number % snapshots_kept].number == head.number) return true;
    }
    return false;
}

// A message with a base that did not arrive is given up and acked. If the base arrives later, it is
// refused, so the sender never sees both acked and knows that the message does not count.
static SnapshotCheck check_base(const Snapshots &s, uint32_t peer, uint32_t group, uint32_t base)
{
    if (base == 0) return SnapshotCheck::usable;
    if (is_too_old(base, s.peers[peer].got_number)) return SnapshotCheck::refused;
    const Snapshot &kept = stream(s.got, stream_of(s, peer, group))[base % snapshots_kept];
    const bool is_usable = kept.number == base && kept.decode_state == DecodeState::usable;
    return is_usable ? SnapshotCheck::usable : SnapshotCheck::useless;
}

// --- The body ---

struct Body {
    RangeDecoder d;
    // The start of the present object in the code, its entry or presence included.
    size_t item_bits;
    unsigned before; // Whether the listed entries before are carried, one bit each.
    bool malformed;
    bool is_stale; // A later snapshot has given one of its entries to another object already.
};

static uint64_t read_bytes(RangeDecoder &d, unsigned count)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < count * 8; shift += 8)
        value |= uint64_t{range_coder::code_bits(d, 0, 8)} << shift;
    return value;
}

static ReceivedEntry read_identity(RangeDecoder &d)
{
    ReceivedEntry entry = {};
    entry.type = static_cast<TypeId>(range_coder::code_bits(d, 0, 8));
    entry.id = static_cast<ObjectId>(read_bytes(d, 6));
    if (range_coder::code_bits(d, 0, 1) != 0) entry.stamp = read_bytes(d, 8);
    return entry;
}

static History history_of(Snapshots &s, const Reading &r, uint32_t entry, uint8_t states)
{
    History history = snapshots::history(r.lineage, states);
    for (uint8_t i = 0; i < states; ++i)
        history.at[i] = words_of(s, r.peer, r.lineage.numbers[i], entry);
    return history;
}

static History carried_history_of(Snapshots &s, const Reading &r, uint32_t entry)
{
    const EntryPresence *presences = s.got_presences.begin() + place_of(r.peer, 0) * s.entry_count;
    const CarriedHistory h = carried_history(r.lineage, presences, s.entry_count, entry);
    History history = {motion::horizon(std::span(h.ages).first(h.count)), {}};
    for (uint8_t i = 0; i < h.count; ++i)
        history.at[i] = words_of(s, r.peer, h.numbers[i], entry);
    return history;
}

static bool is_same(const ReceivedEntry &a, const ReceivedEntry &b)
{
    return a.id == b.id && a.stamp == b.stamp && a.type == b.type;
}

static bool is_predicted(const TypeTable &types, TypeId type)
{
    return type < types.types.size() && types.types[type].predicted;
}

// Reads the entry's state into its words and marks it as carried.
static void read_state(const Reading &r, Body &body, uint32_t number, uint8_t states,
                       const ReceivedEntry &entry)
{
    Snapshots &s = r.s;
    SnapshotScratch &scratch = r.scratch;
    const StateLayout &layout = s.layouts[entry.type];
    const History history = layout.repeats && states > 0 ? carried_history_of(s, r, number)
                                                         : history_of(s, r, number, states);
    uint32_t *to = words_of(s, r.peer, r.number, number);
    std::byte *value =
        scratch.read_values.begin() + size_t{scratch.read_numbers.count} * scratch.value_bytes;
    std::memset(value, 0, r.types.types[entry.type].size_bytes); // What lies between fields, too.
    const uint64_t mask = state_coder::read(body.d, layout, history, to);
    const uint64_t all = type_table::all_fields(r.types, entry.type);
    if ((mask == 0 && !layout.repeats) || range_coder::failed(body.d) ||
        !state_layout::from_words(layout, r.types, {to, s.word_count}, all, value)) {
        body.malformed = true;
        return;
    }
    const size_t place = place_of(r.peer, r.number) * s.entry_count + number;
    s.got_presences[place] = carried(s.got_presences[place], states);
    flat::push(scratch.read_numbers, static_cast<uint16_t>(number));
    const size_t bits = range_coder::bit_count(body.d) - body.item_bits;
    flat::push(scratch.read_bits, static_cast<uint16_t>(bits));
    flat::push(scratch.read_entries, entry);
}

static void read_listed(const Reading &r, Body &body)
{
    Snapshots &s = r.s;
    const GroupEntries entries = entries_in(s, r.group);
    for (uint32_t i = entries.first; i < entries.end && !body.malformed; ++i) {
        const EntryPresence presence =
            s.got_presences[place_of(r.peer, r.base) * s.entry_count + i];
        if (!is_listed(presence)) continue;
        const ReceivedEntry &entry = s.got_entries[size_t{r.peer} * s.entry_count + i];
        const uint8_t count = states(r.lineage, presence);
        const History history = history_of(s, r, i, count);
        body.item_bits = range_coder::bit_count(body.d);
        const StateLayout &layout = s.layouts[entry.type];
        const bool present =
            layout.repeats
                ? range_coder::code(body.d, false, repeated_absent[presence_class(presence)])
                : state_coder::read_presence(body.d, layout, history, body.before);
        body.before = body.before << 1 | (present ? 1 : 0);
        if (present) read_state(r, body, i, count, entry);
        body.malformed = body.malformed || range_coder::failed(body.d);
    }
}

static void read_other(const Reading &r, Body &body, uint32_t number)
{
    const Snapshots &s = r.s;
    const size_t base_place = place_of(r.peer, r.base) * s.entry_count + number;
    const EntryPresence presence = r.base == 0 ? EntryPresence{} : s.got_presences[base_place];
    const ReceivedEntry &known = s.got_entries[size_t{r.peer} * s.entry_count + number];
    const bool whole = range_coder::code(body.d, false, whole_probability);
    const uint8_t count = whole ? 0 : states(r.lineage, presence);
    const ReceivedEntry entry = whole ? read_identity(body.d) : known;
    if (known.id != ObjectId::none && !is_same(entry, known) &&
        static_cast<int32_t>(r.number - known.named) < 0)
        body.is_stale = true;
    if (!whole && count == 0) body.malformed = true;
    if (!is_predicted(r.types, entry.type)) body.malformed = true;
    if (object_id::creator(entry.id) == PeerId::none) body.malformed = true;
    if (is_listed(presence)) body.malformed = true; // A listed entry is coded in the list.
    body.malformed = body.malformed || range_coder::failed(body.d);
    if (!body.malformed) read_state(r, body, number, count, entry);
}

static void read_others(const Reading &r, Body &body)
{
    const GroupEntries entries = entries_in(r.s, r.group);
    uint32_t least = entries.first;
    for (;;) {
        body.item_bits = range_coder::bit_count(body.d);
        if (body.malformed || !range_coder::code(body.d, false, another_probability)) return;
        const uint32_t number = entries.first + range_coder::code_bits(body.d, 0, entry_bits);
        if (number < least || number >= entries.end) body.malformed = true;
        if (!body.malformed) read_other(r, body, number);
        least = number + 1;
    }
}

static void inherit(Snapshots &s, const Reading &r)
{
    const GroupEntries entries = entries_in(s, r.group);
    const size_t count = entries.end - entries.first;
    const size_t from = place_of(r.peer, r.base) * s.entry_count + entries.first;
    const size_t to = place_of(r.peer, r.number) * s.entry_count + entries.first;
    for (uint32_t i = 0; i < count; ++i)
        s.got_presences[to + i] =
            r.base == 0 ? EntryPresence{} : inherited(s.got_presences[from + i]);
    if (r.base == 0) return;
    std::memcpy(s.got_words.begin() + to * s.word_count, s.got_words.begin() + from * s.word_count,
                count * s.word_count * sizeof(uint32_t));
}

static SnapshotCheck read_group(Reading &r, Body &body)
{
    Snapshots &s = r.s;
    SnapshotScratch &scratch = r.scratch;
    const SnapshotCheck base = check_base(s, r.peer, r.group, r.base);
    scratch.read.missing_group = r.group;
    scratch.read.bases[r.group] = r.base;
    if (base != SnapshotCheck::usable) return base;
    const std::span<Snapshot> kept = stream(s.got, stream_of(s, r.peer, r.group));
    const uint32_t base_tick = kept[r.base % snapshots_kept].tick;
    if (r.tick == 0 && base_tick > UINT32_MAX - r.since) return SnapshotCheck::malformed;
    if (r.tick == 0) r.tick = base_tick + r.since;
    r.lineage = lineage(s, kept, r.number, r.base, r.tick);
    if (!r.lineage.is_kept) return SnapshotCheck::refused;
    kept[r.number % snapshots_kept] = {}; // The snapshot that was kept here is too old now.
    inherit(s, r);
    const uint32_t before = scratch.read_numbers.count;
    if (r.base != 0) read_listed(r, body);
    read_others(r, body);
    if (scratch.read_numbers.count == before) body.malformed = true;
    scratch.read.groups |= 1u << r.group;
    if (body.malformed) return SnapshotCheck::malformed;
    return body.is_stale ? SnapshotCheck::refused : SnapshotCheck::usable;
}

// Reads whether the next group is in the message, and its base.
static bool read_group_head(const Head &head, Reading &r, Body &body)
{
    if (r.group == head.first) return true;
    const bool is_absent = range_coder::code(body.d, false, absent_probability);
    if (is_absent && r.group == head.last) body.malformed = true;
    if (is_absent || !range_coder::code(body.d, false, other_base_probability)) return !is_absent;
    const uint32_t distance = range_coder::code_bits(body.d, 0, base_bits);
    if (distance > snapshot_reach || distance >= r.number) body.malformed = true;
    r.base = distance == 0 || body.malformed ? 0 : r.number - distance;
    return true;
}

static SnapshotCheck read_groups(Reading &r, const Head &head, std::span<const std::byte> bytes)
{
    Body body = {range_coder::decoder(bytes), 0, 0, false, false};
    for (; r.group <= head.last; ++r.group) {
        if (!read_group_head(head, r, body)) continue;
        if (body.malformed || range_coder::failed(body.d)) return SnapshotCheck::malformed;
        const SnapshotCheck check = read_group(r, body);
        if (check != SnapshotCheck::usable) return check;
    }
    if (!range_coder::complete(body.d)) return SnapshotCheck::malformed;
    r.scratch.read.tick = r.tick;
    r.scratch.read.decode_state = DecodeState::usable;
    return SnapshotCheck::usable;
}

SnapshotCheck check(Snapshots &s, SnapshotScratch &scratch, const TypeTable &types, uint32_t peer,
                    std::span<const std::byte> message)
{
    flat::clear(scratch.read_numbers);
    flat::clear(scratch.read_entries);
    flat::clear(scratch.read_bits);
    scratch.read = {};
    if (s.entry_count == 0) return SnapshotCheck::malformed;
    const Head head = read_head(s, message, s.peers[peer].got_number);
    if (head.size_bytes == 0 || head.number == 0) return SnapshotCheck::malformed;
    scratch.read.peer = peer;
    scratch.read.number = head.number;
    scratch.read.message_bytes = static_cast<uint32_t>(message.size());
    scratch.read.first = head.first;
    scratch.read.last = head.last;
    scratch.read.decode_state = DecodeState::useless;
    if (is_refused(s, head, peer)) return SnapshotCheck::refused;
    Reading r = {s,         scratch,    types,      peer,      head.number,
                 head.tick, head.since, head.first, head.base, {}};
    return read_groups(r, head, message.subspan(head.size_bytes));
}

// If the entry stood for another object before, forgets that object's states as of all other
// snapshots.
static void name_entry(Snapshots &s, const SnapshotScratch &scratch, uint32_t peer, uint32_t i)
{
    const uint32_t number = scratch.read_numbers[i];
    const ReceivedEntry &now = scratch.read_entries[i];
    ReceivedEntry &entry = s.got_entries[size_t{peer} * s.entry_count + number];
    if (is_same(entry, now)) return;
    const uint32_t at = stream_of(s, peer, number / group_entries);
    if (entry.id != ObjectId::none) s.got_renamed[at] = scratch.read.number;
    entry = now;
    entry.named = scratch.read.number;
    for (const Snapshot &snapshot : stream(s.got, at))
        if (snapshot.number != 0 && snapshot.number != scratch.read.number)
            s.got_presences[place_of(peer, snapshot.number) * s.entry_count + number] = {};
}

static Snapshot given_up(uint32_t number)
{
    return {number, 0, 0, DecodeState::useless, {}, 0, 0};
}

// From now on check() refuses the base, and this message.
static void give_up(Snapshots &s, uint32_t peer, const ReadSnapshot &read)
{
    const uint32_t group = read.missing_group;
    Snapshot &base = stream(s.got, stream_of(s, peer, group))[read.bases[group] % snapshots_kept];
    if (base.number != read.bases[group]) base = given_up(read.bases[group]);
    base.decode_state = DecodeState::useless;
    for (uint32_t i = read.first; i <= read.last; ++i) {
        Snapshot &here = stream(s.got, stream_of(s, peer, i))[read.number % snapshots_kept];
        here = given_up(read.number);
    }
}

static void take_groups(Snapshots &s, const ReadSnapshot &read)
{
    for (uint32_t left = read.groups; left != 0; left &= left - 1) {
        const auto group = static_cast<uint32_t>(std::countr_zero(left));
        stream(s.got, stream_of(s, read.peer, group))[read.number % snapshots_kept] = {
            read.number, read.bases[group], read.tick, DecodeState::usable, {}, 0, 0};
    }
}

bool receive(Snapshots &s, SnapshotScratch &scratch, uint32_t peer)
{
    const ReadSnapshot &read = scratch.read;
    if (read.peer != peer || read.number == 0) return false;
    uint32_t &newest = s.peers[peer].got_number;
    if (static_cast<int32_t>(read.number - newest) > 0) newest = read.number;
    if (read.decode_state == DecodeState::useless) {
        give_up(s, peer, read);
        scratch.read.number = 0;
        return false;
    }
    take_groups(s, read);
    for (uint32_t i = 0; i < scratch.read_numbers.count; ++i)
        name_entry(s, scratch, peer, i);
    scratch.read.number = 0;
    return true;
}

}
