#include "replication/snapshot/snapshot_lineage.h"
#include <algorithm>
#include <cstring>

namespace tern::snapshots {

struct Reading {
    uint32_t peer, number, base, tick;
    Lineage lineage;
};

static std::span<Snapshot> got_from(Snapshots &s, uint32_t peer)
{
    return {s.got.begin() + size_t{peer} * snapshots_kept, snapshots_kept};
}

static uint32_t *words_of(Snapshots &s, uint32_t peer, uint32_t number, uint32_t entry)
{
    const size_t place = place_of(peer, number) * s.entry_count + entry;
    return s.got_words.begin() + place * s.word_count;
}

const uint32_t *words(const Snapshots &s, uint32_t peer, uint32_t number, uint16_t entry)
{
    const size_t place = place_of(peer, number) * s.entry_count + entry;
    return s.got_words.begin() + place * s.word_count;
}

// --- The head ---

struct Head {
    uint32_t number, base;
    uint32_t tick; // 0: `since` ticks after the base's.
    uint32_t since;
    size_t size_bytes; // 0: malformed.
};

// The full number with these low 15 bits that is nearest to `newest`.
static uint32_t whole_number(uint32_t low, uint32_t newest)
{
    const uint32_t ahead = (low - newest) & 0x7fff;
    return newest + ahead - (ahead < 0x4000 ? 0 : 0x8000);
}

static Head read_head(std::span<const std::byte> message, uint32_t newest)
{
    BitReader r = bits::reader(message);
    Head head = {};
    head.number = whole_number(static_cast<uint32_t>(bits::read(r, 15)), newest);
    const auto base_distance = static_cast<uint32_t>(bits::read(r, 6));
    const auto since = static_cast<uint32_t>(bits::read(r, 3));
    if (base_distance > snapshot_reach || (base_distance == 0 && since != snapshot_tick_far))
        bits::fail(r);
    if (base_distance >= head.number) bits::fail(r);
    head.base = base_distance == 0 ? 0 : head.number - base_distance;
    if (since == snapshot_tick_far)
        head.tick = static_cast<uint32_t>(bits::read(r, 32));
    else
        head.since = since;
    if (since == snapshot_tick_far && head.tick == 0) bits::fail(r);
    if (!bits::failed(r)) head.size_bytes = bits::bit_count(r) / 8;
    return head;
}

// A snapshot whose base did not arrive is given up and acked. If the base arrives later, it is
// refused, so the sender never sees both acked and knows that the snapshot does not count.
static SnapshotCheck check_base(Snapshots &s, Head &head, uint32_t peer)
{
    const uint32_t newest = s.peers[peer].got_number;
    const std::span<Snapshot> kept = got_from(s, peer);
    const auto ahead = static_cast<int32_t>(head.number - newest);
    if (ahead <= -static_cast<int32_t>(snapshots_kept)) return SnapshotCheck::refused;
    // Its sender meant another object by an entry, and the states of that one are forgotten.
    if (static_cast<int32_t>(head.number - s.peers[peer].renamed_number) < 0)
        return SnapshotCheck::refused;
    const Snapshot &here = kept[head.number % snapshots_kept];
    if (here.number == head.number) return SnapshotCheck::refused; // A duplicate, or given up.
    if (head.base == 0) return SnapshotCheck::usable;
    if (static_cast<int32_t>(head.base - newest) <= -static_cast<int32_t>(snapshots_kept))
        return SnapshotCheck::refused;
    const Snapshot &base = kept[head.base % snapshots_kept];
    if (base.number != head.base) return SnapshotCheck::useless;
    return base.decode_state == DecodeState::usable ? SnapshotCheck::usable
                                                    : SnapshotCheck::useless;
}

// --- The body ---

struct Body {
    RangeDecoder d;
    // The start of the present object in the code, its entry or presence included.
    size_t item_bits;
    bool malformed;
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

static bool is_predicted(const TypeTable &types, TypeId type)
{
    return type < types.types.size() && types.types[type].predicted;
}

// Reads the entry's state into its words and marks it as carried.
static void read_state(Snapshots &s, SnapshotScratch &scratch, const TypeTable &types,
                       const Reading &r, Body &body, uint32_t number, uint8_t states,
                       const ReceivedEntry &entry)
{
    const StateLayout &layout = s.layouts[entry.type];
    const History history = layout.repeats && states > 0 ? carried_history_of(s, r, number)
                                                         : history_of(s, r, number, states);
    uint32_t *to = words_of(s, r.peer, r.number, number);
    alignas(16) std::byte value[struct_bytes_max];
    const uint64_t mask = state_coder::read(body.d, layout, history, to);
    const uint64_t all = type_table::all_fields(types, entry.type);
    if ((mask == 0 && !layout.repeats) || range_coder::failed(body.d) ||
        !state_layout::from_words(layout, types, entry.type, {to, s.word_count}, all, value)) {
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

static void read_listed(Snapshots &s, SnapshotScratch &scratch, const TypeTable &types,
                        const Reading &r, Body &body)
{
    unsigned before = 0;
    for (uint32_t i = 0; i < s.entry_count && !body.malformed; ++i) {
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
                : state_coder::read_presence(body.d, layout, history, before);
        before = before << 1 | (present ? 1 : 0);
        if (present) read_state(s, scratch, types, r, body, i, count, entry);
        body.malformed = body.malformed || range_coder::failed(body.d);
    }
}

static void read_other(Snapshots &s, SnapshotScratch &scratch, const TypeTable &types,
                       const Reading &r, Body &body, uint32_t number)
{
    const size_t base_place = place_of(r.peer, r.base) * s.entry_count + number;
    const EntryPresence presence = r.base == 0 ? EntryPresence{} : s.got_presences[base_place];
    ReceivedEntry entry = s.got_entries[size_t{r.peer} * s.entry_count + number];
    const bool whole = range_coder::code(body.d, false, whole_probability);
    const uint8_t count = whole ? 0 : states(r.lineage, presence);
    if (whole) entry = read_identity(body.d);
    if (!whole && count == 0) body.malformed = true;
    if (!is_predicted(types, entry.type)) body.malformed = true;
    if (object_id::creator(entry.id) == PeerId::none) body.malformed = true;
    if (is_listed(presence)) body.malformed = true; // A listed entry is coded in the list.
    body.malformed = body.malformed || range_coder::failed(body.d);
    if (!body.malformed) read_state(s, scratch, types, r, body, number, count, entry);
}

static void read_others(Snapshots &s, SnapshotScratch &scratch, const TypeTable &types,
                        const Reading &r, Body &body)
{
    uint32_t least = 0;
    for (;;) {
        body.item_bits = range_coder::bit_count(body.d);
        if (body.malformed || !range_coder::code(body.d, false, another_probability)) return;
        uint32_t number = range_coder::code_bits(body.d, 0, entry_bits - 8) << 8;
        number |= range_coder::code_bits(body.d, 0, 8);
        if (number < least || number >= s.entry_count) body.malformed = true;
        if (!body.malformed) read_other(s, scratch, types, r, body, number);
        least = number + 1;
    }
}

static void inherit(Snapshots &s, const Reading &r)
{
    const size_t from = place_of(r.peer, r.base) * s.entry_count;
    const size_t to = place_of(r.peer, r.number) * s.entry_count;
    for (uint32_t i = 0; i < s.entry_count; ++i)
        s.got_presences[to + i] =
            r.base == 0 ? EntryPresence{} : inherited(s.got_presences[from + i]);
    if (r.base == 0) return;
    std::memcpy(s.got_words.begin() + to * s.word_count, s.got_words.begin() + from * s.word_count,
                size_t{s.entry_count} * s.word_count * sizeof(uint32_t));
}

SnapshotCheck check(Snapshots &s, SnapshotScratch &scratch, const TypeTable &types, uint32_t peer,
                    std::span<const std::byte> message)
{
    flat::clear(scratch.read_numbers);
    flat::clear(scratch.read_entries);
    flat::clear(scratch.read_bits);
    scratch.read = {};
    if (s.entry_count == 0) return SnapshotCheck::malformed;
    Head head = read_head(message, s.peers[peer].got_number);
    if (head.size_bytes == 0 || head.number == 0) return SnapshotCheck::malformed;
    const SnapshotCheck base = check_base(s, head, peer);
    scratch.read_peer = peer;
    scratch.read = {head.number, head.base, 0, DecodeState::useless, 0, {}, 0};
    if (base != SnapshotCheck::usable) return base;
    const std::span<Snapshot> kept = got_from(s, peer);
    if (head.tick == 0) {
        const uint32_t base_tick = kept[head.base % snapshots_kept].tick;
        if (base_tick > UINT32_MAX - head.since) return SnapshotCheck::malformed;
        head.tick = base_tick + head.since;
    }
    Reading r = {peer, head.number, head.base, head.tick, {}};
    r.lineage = lineage(s, kept, r.number, r.base, r.tick);
    if (!r.lineage.is_kept) return SnapshotCheck::refused;
    kept[r.number % snapshots_kept] = {}; // The snapshot that was kept here is too old now.
    inherit(s, r);
    Body body = {range_coder::decoder(message.subspan(head.size_bytes)), 0, false};
    if (r.base != 0) read_listed(s, scratch, types, r, body);
    read_others(s, scratch, types, r, body);
    if (body.malformed || !range_coder::complete(body.d) || scratch.read_numbers.count == 0)
        return SnapshotCheck::malformed;
    scratch.read.tick = r.tick;
    scratch.read.decode_state = DecodeState::usable;
    return SnapshotCheck::usable;
}

// If the entry stood for another object before, forgets that object's states as of all other
// snapshots.
static void name_entry(Snapshots &s, const SnapshotScratch &scratch, uint32_t peer, uint32_t i)
{
    const uint32_t number = scratch.read_numbers[i];
    const ReceivedEntry &now = scratch.read_entries[i];
    ReceivedEntry &entry = s.got_entries[size_t{peer} * s.entry_count + number];
    if (entry.id == now.id && entry.stamp == now.stamp && entry.type == now.type) return;
    if (entry.id != ObjectId::none) s.peers[peer].renamed_number = scratch.read.number;
    entry = now;
    for (const Snapshot &snapshot : got_from(s, peer))
        if (snapshot.number != 0 && snapshot.number != scratch.read.number)
            s.got_presences[place_of(peer, snapshot.number) * s.entry_count + number] = {};
}

bool receive(Snapshots &s, const SnapshotScratch &scratch, uint32_t peer,
             std::span<const std::byte> message)
{
    uint32_t &newest = s.peers[peer].got_number;
    const Head head = read_head(message, newest);
    if (scratch.read_peer != peer || scratch.read.number != head.number || head.number == 0)
        return false;
    const std::span<Snapshot> kept = got_from(s, peer);
    if (static_cast<int32_t>(head.number - newest) > 0) newest = head.number;
    if (scratch.read.decode_state ==
        DecodeState::useless) { // From now on check() refuses the base.
        Snapshot &base = kept[head.base % snapshots_kept];
        if (base.number != head.base) base = {head.base, 0, 0, DecodeState::useless, 0, {}, 0};
        Snapshot &here = kept[head.number % snapshots_kept];
        here = {head.number, head.base, 0, DecodeState::useless, 0, {}, 0};
        return false;
    }
    kept[head.number % snapshots_kept] = scratch.read;
    for (uint32_t i = 0; i < scratch.read_numbers.count; ++i)
        name_entry(s, scratch, peer, i);
    return true;
}

}
