#include "sim/network/wire.h"
#include "base/assert.h"
#include "tern/limits.hpp"
#include <algorithm>
#include <cstring>

namespace tern::wire {

static constexpr uint32_t slots_per_block = 256;
static constexpr size_t slot_bytes = datagram_bytes_max;

// --- Addresses ---

Address address(AddressNumber number)
{
    const bool second = number >= first_shared && number < first_stranger && number % 2 == 1;
    Address address = {};
    address.ip[10] = address.ip[11] = 0xff;
    address.ip[12] = 10;
    address.ip[14] = static_cast<uint8_t>(number >> 8);
    address.ip[15] = static_cast<uint8_t>(number - second);
    address.port = second ? 7778 : 7777;
    return address;
}

AddressNumber number(const Address &address)
{
    if (address.ip[12] != 10 || (address.port != 7777 && address.port != 7778)) return no_place;
    return static_cast<AddressNumber>((address.ip[14] << 8 | address.ip[15]) + address.port - 7777);
}

void take_address(Wire &wire, uint16_t place, AddressNumber number)
{
    TERN_ASSERT(number < first_stranger, "address %u", number);
    if (wire.place_of_address.size() <= number) wire.place_of_address.resize(number + 1u, no_place);
    const AddressNumber former = wire.addresses[place];
    if (former < wire.place_of_address.size() && wire.place_of_address[former] == place)
        wire.place_of_address[former] = no_place;
    wire.addresses[place] = number;
    wire.place_of_address[number] = place;
    set_nat(wire, place, wire.nats[place]);
}

// --- Making ---

Wire make(const SimOptions &options)
{
    Wire wire = {};
    wire.places = options.places;
    wire.routes.resize(size_t{options.places} * options.places);
    wire.health.resize(wire.routes.size());
    wire.transits.resize(options.places);
    wire.addresses.resize(options.places, no_place);
    wire.nats.resize(options.places, Nat::none);
    wire.members.resize(options.places);
    for (uint16_t from = 0; from < options.places; ++from)
        for (uint16_t to = 0; to < options.places; ++to) {
            Route &r = route(wire, from, to);
            const uint64_t shape = dice::key(options.seed, Stream::rates, from, to);
            r.key = dice::key(options.seed, Stream::network, from, to);
            r.latency_us = std::max<uint64_t>(
                1, dice::within(shape, options.latency_us_low, options.latency_us_high));
            draw_rates(r, options.faults);
            const Rates &rates = r.rates;
            health(wire, from, to).latency_us = r.latency_us + rates.delay_ms * uint64_t{1000};
            wire.any_rate = wire.any_rate || rates.loss || rates.burst || rates.delay_ms ||
                            rates.late_ms || rates.twice || rates.damage || rates.truncate ||
                            rates.replay || rates.acks;
        }
    wire.keeps_far = faults::range(options.faults, FaultKind::replay).on;
    wire.keeps = wire.keeps_far || faults::range(options.faults, FaultKind::spoof).on;
    return wire;
}

void follow(Wire &wire, const std::vector<SimChoice> &choices)
{
    wire.scripted = true;
    wire.keeps = wire.keeps_far = false;
    for (const SimChoice &choice : choices) {
        wire.keeps_far = wire.keeps_far || choice.act == Act::replay;
        wire.keeps = wire.keeps || wire.keeps_far || choice.act == Act::spoof;
        if (!script::is_network(choice.act)) continue;
        if (choice.a < wire.places && choice.b < wire.places)
            route(wire, choice.a, choice.b).choices.push_back(choice);
    }
    for (Route &r : wire.routes)
        std::stable_sort(r.choices.begin(), r.choices.end(),
                         [](const SimChoice &x, const SimChoice &y) { return x.when < y.when; });
}

Route &route(Wire &wire, uint16_t from, uint16_t to)
{
    return wire.routes[size_t{from} * wire.places + to];
}

const Route &route(const Wire &wire, uint16_t from, uint16_t to)
{
    return wire.routes[size_t{from} * wire.places + to];
}

PathHealth &health(Wire &wire, uint16_t from, uint16_t to)
{
    return wire.health[size_t{from} * wire.places + to];
}

static void trouble(PathHealth &path, uint64_t until_us)
{
    path.troubled_us = std::max(path.troubled_us, until_us);
}

static void trouble_all(Wire &wire, uint16_t from, uint64_t until_us)
{
    for (uint16_t to = 0; to < wire.places; ++to)
        trouble(health(wire, from, to), until_us);
}

// --- Bytes ---

static std::byte *bytes_of(Wire &wire, uint32_t slot)
{
    return &wire.blocks[slot / slots_per_block][slot % slots_per_block * slot_bytes];
}

// The result of take_slot() if too many datagrams are under way.
static constexpr uint32_t no_transit_slot = 0xffffffff;

static uint32_t take_slot(Wire &wire)
{
    if (!wire.free_slots.empty()) {
        const uint32_t slot = wire.free_slots.back();
        wire.free_slots.pop_back();
        return slot;
    }
    if (wire.slots_used == transits_max) return no_transit_slot;
    if (wire.slots_used % slots_per_block == 0)
        wire.blocks.emplace_back(new std::byte[slots_per_block * slot_bytes]);
    return wire.slots_used++;
}

void release(Wire &wire, std::vector<uint32_t> &slots)
{
    wire.free_slots.insert(wire.free_slots.end(), slots.begin(), slots.end());
    slots.clear();
}

static void keep(Route &route, std::span<const std::byte> bytes)
{
    if (!route.kept) route.kept = std::make_unique<Kept>();
    const size_t at = route.sent % kept_datagrams_max;
    route.kept->sizes[at] = static_cast<uint16_t>(bytes.size());
    std::memcpy(route.kept->bytes[at], bytes.data(), bytes.size());
}

static void keep_far(Route &route, std::span<const std::byte> bytes)
{
    const size_t at = route.sent % far_datagrams_max;
    if (route.far.size() <= at) route.far.resize(at + 1);
    FarKept &kept = route.far[at];
    kept.size_bytes = bytes.size() <= far_bytes_max ? static_cast<uint16_t>(bytes.size()) : 0;
    std::memcpy(kept.bytes, bytes.data(), kept.size_bytes);
}

std::span<const std::byte> kept(const Route &route, uint64_t number)
{
    if (number == 0 || number > route.sent) return {};
    const uint64_t back = route.sent - number;
    const size_t far = number % far_datagrams_max;
    if (back >= kept_datagrams_max) {
        if (back >= far_datagrams_max || far >= route.far.size()) return {};
        return {route.far[far].bytes, route.far[far].size_bytes};
    }
    if (!route.kept) return {};
    const size_t at = number % kept_datagrams_max;
    return {route.kept->bytes[at], route.kept->sizes[at]};
}

// --- Sending ---

// The order for std::push_heap, which puts the largest first: the next transit is the largest.
static bool is_later(const Transit &a, const Transit &b)
{
    return a.due_us != b.due_us ? a.due_us > b.due_us : a.sequence > b.sequence;
}

static void launch(Wire &wire, Transit transit, std::span<const std::byte> bytes)
{
    transit.slot = take_slot(wire);
    if (transit.slot == no_transit_slot) {
        wire.counts.lost_for_room += 1;
        return;
    }
    transit.sequence = wire.sequence;
    transit.size_bytes = static_cast<uint16_t>(bytes.size());
    wire.sequence += 1;
    if (!bytes.empty()) std::memcpy(bytes_of(wire, transit.slot), bytes.data(), bytes.size());
    std::vector<Transit> &heap = wire.transits[transit.place];
    heap.push_back(transit);
    std::push_heap(heap.begin(), heap.end(), is_later);
}

// When a datagram arrives that is sent now, treatments apart. 0: a fault of the path loses it; that
// is counted here.
static uint64_t due_us(Wire &wire, Route &r, uint64_t now_us, size_t size_bytes)
{
    if (now_us < r.cut_until_us || r.severed) {
        wire.counts.lost_by_cut += 1;
        return 0;
    }
    if (now_us < r.mtu_until_us && size_bytes > r.mtu_bytes) {
        wire.counts.lost_by_mtu += 1;
        return 0;
    }
    uint64_t start_us = now_us;
    if (now_us < r.queue_until_us) {
        const uint64_t free_us = std::max(now_us, r.queue_free_us);
        const uint64_t queued = (free_us - now_us) * r.queue_bytes_per_second / 1'000'000;
        if (queued + size_bytes > queue_bytes_max) {
            wire.counts.lost_by_queue += 1;
            return 0;
        }
        start_us = r.queue_free_us =
            free_us + size_bytes * 1'000'000 / std::max<uint64_t>(1, r.queue_bytes_per_second);
        wire.counts.delayed_by_queue += 1;
    }
    uint64_t due = start_us + r.latency_us;
    if (now_us < r.clog_until_us) {
        due = std::max(due, r.clog_until_us);
        wire.counts.delayed_by_clog += 1;
    }
    return due;
}

static void count(Wire &wire, Act act)
{
    wire.counts.acts[static_cast<size_t>(act)] += 1;
}

static void mangle(Wire &wire, const Treatment &t, std::byte *bytes, Transit &transit)
{
    if (t.damaged && transit.size_bytes > 0) {
        const uint64_t bit = t.bit % (uint64_t{transit.size_bytes} * 8);
        bytes[bit / 8] ^= std::byte{1} << static_cast<unsigned>(bit % 8);
        count(wire, Act::damage);
    }
    if (t.truncated && transit.size_bytes > 0) {
        transit.size_bytes = static_cast<uint16_t>(t.bytes % transit.size_bytes);
        count(wire, Act::truncate);
    }
}

static void launch_treated(Wire &wire, const Treatment &t, Transit transit,
                           std::span<const std::byte> bytes)
{
    std::byte copy[datagram_bytes_max];
    std::memcpy(copy, bytes.data(), bytes.size());
    Transit first = transit;
    first.due_us += t.delay_us;
    first.size_bytes = static_cast<uint16_t>(bytes.size());
    if (t.delay_us > 0) count(wire, Act::delay);
    if (t.lost) count(wire, Act::lose);
    mangle(wire, t, copy, first);
    if (!t.lost) launch(wire, first, std::span(copy, first.size_bytes));
    for (uint32_t i = 0; i < t.copy_count; ++i) {
        Transit again = transit;
        again.due_us += t.copy_us[i];
        launch(wire, again, bytes);
        count(wire, Act::twice);
    }
    if (!t.replays || t.c >= wire.places || t.d >= wire.places) return;
    const std::span<const std::byte> earlier = kept(route(wire, t.c, t.d), t.number);
    if (earlier.empty()) return;
    launch(wire, transit, earlier);
    count(wire, Act::replay);
}

Launched send(Wire &wire, uint64_t now_us, uint16_t from, const Datagram &datagram)
{
    TERN_ASSERT(!datagram.bytes.empty() && datagram.bytes.size() <= datagram_bytes_max, "%zu bytes",
                datagram.bytes.size());
    wire.counts.sent += 1;
    wire.counts.bytes += datagram.bytes.size();
    const AddressNumber to_number = number(datagram.address);
    const uint16_t to = place_at(wire, now_us, from, to_number);
    // The sender does not know the address of a peer that has moved. It may be its own by now.
    if (to == no_place || to == from) trouble_all(wire, from, now_us);
    if (to == no_place) {
        wire.counts.lost_nowhere += 1;
        return {no_place, true, 0};
    }
    PathHealth &path = health(wire, from, to);
    const AddressNumber shown = shown_address(wire, now_us, from, to);
    Route &r = route(wire, from, to);
    r.sent += 1;
    if (wire.keeps) keep(r, datagram.bytes);
    if (wire.keeps_far) keep_far(r, datagram.bytes);
    const uint64_t due = due_us(wire, r, now_us, datagram.bytes.size());
    if (due != now_us + r.latency_us) trouble(path, std::max(due, now_us));
    if (due == 0) return {to, true, 0};
    Transit transit = {};
    transit.due_us = due;
    transit.from = shown;
    transit.to = to_number;
    transit.place = to;
    transit.sender = from;
    if (wire.calm || (!wire.scripted && !wire.any_rate) ||
        (wire.scripted && r.next_choice == r.choices.size())) {
        launch(wire, transit, datagram.bytes);
        return {to, false, 0};
    }
    const Treatment t =
        wire.scripted ? chosen(r, r.sent) : drawn(wire, r, r.sent, datagram.bytes.size());
    if (wire.records) record(wire, from, to, r.sent, t);
    if (t.lost || t.damaged || t.truncated || r.latency_us + t.delay_us > path.latency_us)
        trouble(path, now_us + t.delay_us);
    for (uint32_t i = 0; i < t.copy_count; ++i)
        path.copied_us = std::max(path.copied_us, due + t.copy_us[i]);
    if (t.replays) path.copied_us = std::max(path.copied_us, due);
    // The recipient challenges the address from which it gets what a third peer has sealed for it.
    // It counts the challenge as sent to that peer.
    if (t.replays && t.d == to && t.c != from && t.c < wire.places) {
        trouble(path, due);
        trouble(health(wire, t.c, to), due);
    }
    launch_treated(wire, t, transit, datagram.bytes);
    return {to, t.lost, t.copy_count};
}

void send_strange(Wire &wire, uint64_t now_us, AddressNumber from, uint16_t to,
                  std::span<const std::byte> bytes)
{
    Transit transit = {};
    transit.due_us = now_us + 1;
    transit.from = from;
    transit.to = wire.addresses[to];
    transit.place = to;
    transit.sender = no_place;
    launch(wire, transit, bytes);
}

// --- Arriving ---

// Whether the datagram reaches the place at which it is due.
static bool gets_in(Wire &wire, const Transit &transit, size_t waiting)
{
    const bool is_mapped = transit.to >= first_mapped && transit.to < first_shared;
    if (!is_mapped && transit.to != wire.addresses[transit.place]) {
        wire.counts.lost_nowhere += 1;
        return false;
    }
    if (transit.sender != no_place) {
        const Route &r = route(wire, transit.sender, transit.place);
        if (r.severed || (r.cut_since_us <= transit.due_us && transit.due_us < r.cut_until_us)) {
            wire.counts.lost_by_cut += 1;
            return false;
        }
    }
    if (waiting >= arrivals_max) {
        wire.counts.lost_by_full_inbox += 1;
        return false;
    }
    return true;
}

static bool arrives(Wire &wire, const Transit &transit, size_t waiting)
{
    const bool is_in = gets_in(wire, transit, waiting);
    if (!is_in && transit.sender != no_place)
        trouble(health(wire, transit.sender, transit.place), transit.due_us);
    return is_in;
}

void deliver(Wire &wire, uint64_t now_us, uint16_t place, std::vector<Datagram> &inbox,
             std::vector<uint32_t> &slots)
{
    std::vector<Transit> &heap = wire.transits[place];
    while (!heap.empty() && heap.front().due_us <= now_us) {
        std::pop_heap(heap.begin(), heap.end(), is_later);
        const Transit transit = heap.back();
        heap.pop_back();
        slots.push_back(transit.slot);
        if (!arrives(wire, transit, inbox.size())) continue;
        const std::byte *bytes = bytes_of(wire, transit.slot);
        inbox.push_back({address(transit.from), {bytes, transit.size_bytes}});
        wire.counts.delivered += 1;
    }
}

void calm(Wire &wire)
{
    wire.calm = true;
    for (uint16_t place = 0; place < wire.places; ++place)
        set_nat(wire, place, Nat::none);
    for (Route &r : wire.routes)
        r.cut_until_us = r.clog_until_us = r.mtu_until_us = r.queue_until_us = 0;
}

}
