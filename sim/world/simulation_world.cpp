// Carries out the choices that concern the world of a simulation: peers that come and go, clocks,
// paths, strangers.
#include "base/assert.h"
#include "sim/world/names.h"
#include "sim/world/simulation.h"
#include "sim/world/sodium_source.h"
#include "tern/limits.hpp"
#include <algorithm>
#include <cstdio>
#include <cstring>

namespace tern::simulation {

// --- Peers ---

// Resets what depends on the PeerId. The records of the last tick stay: start_over() needs them.
static void forget_self(Simulation &sim, uint16_t place)
{
    Place &p = sim.places[place];
    Node &node = sim.nodes[place];
    node.self = PeerId::none;
    node.changes.clear();
    node.slots.clear();
    node.values.clear();
    p.slot_end = 0;
    p.guesses = 0;
    p.pending.clear();
    p.reliable_calls.clear();
    p.unreliable_calls.clear();
    p.asks = 0;
    p.state = State::idle;
    sim.wire.members[place] = false;
}

static void forget_peer(Simulation &sim, uint16_t place)
{
    Node &node = sim.nodes[place];
    node.events.clear();
    node.calls.clear();
    node.asks.clear();
    node.claims.clear();
    node.played.clear();
    node.given.clear();
    node.balanced = false;
    node.note_count = 0;
    node.notes_missed = 0;
    forget_self(sim, place);
}

void start_over(Simulation &sim, uint16_t place)
{
    oracles::peer_starts_over(sim.oracles, place);
    forget_self(sim, place);
}

void come_back(Simulation &sim, uint16_t place)
{
    oracles::peer_comes_back(sim.oracles, sim.nodes, place);
    forget_peer(sim, place);
}

Session *take_session(Simulation &sim, uint16_t place)
{
    Node &node = sim.nodes[place];
    Session *session = node.session;
    if (!session) return nullptr;
    oracles::peer_gone(sim.oracles, sim.nodes, place);
    inspect::listen(session, nullptr);
    node.session = nullptr;
    forget_peer(sim, place);
    return session;
}

void end_peer(Simulation &sim, uint16_t place)
{
    Place &p = sim.places[place];
    sodium_source::use(&p.crypto);
    destroy_session(p.ending);
    p.ending = nullptr;
    destroy_session(take_session(sim, place));
}

// The member through which the newcomer joins: any one, since members redirect newcomers to the
// host. It differs from try to try. no_place: there is none.
static uint16_t answering_place(const Simulation &sim, uint16_t newcomer)
{
    std::vector<uint16_t> open;
    for (uint16_t place = 0; place < sim.nodes.size(); ++place)
        if (place != newcomer && sim.nodes[place].session &&
            session_state(sim.nodes[place].session) == State::open)
            open.push_back(place);
    if (open.empty()) return no_place;
    return open[(newcomer + sim.places[newcomer].generation) % open.size()];
}

static bool leads(const Node &node)
{
    return node.session && session_state(node.session) == State::open &&
           host_peer(node.session) == node.self;
}

uint16_t host_place(const Simulation &sim)
{
    uint16_t latest = no_place;
    uint16_t term = 0;
    for (uint16_t place = 0; place < sim.nodes.size(); ++place) {
        if (!leads(sim.nodes[place])) continue;
        const uint16_t number = inspect::replica(sim.nodes[place].session).term.number;
        if (latest != no_place && number < term) continue;
        latest = place;
        term = number;
    }
    return latest;
}

static uint32_t votes(const Replica &r)
{
    uint32_t count = 0;
    for (const Member &member : r.members.all())
        count += member.id != PeerId::none && member.votes && !member.fenced;
    return count;
}

void settle_split(Simulation &sim, uint16_t place)
{
    // With Quorum::survivors the parts go on, and become one again by themselves.
    if (!leads(sim.nodes[place]) || sim.options.quorum == Quorum::survivors) return;
    for (uint16_t other = 0; other < sim.nodes.size(); ++other) {
        if (other == place || !leads(sim.nodes[other])) continue;
        const Replica &one = inspect::replica(sim.nodes[place].session);
        const Replica &two = inspect::replica(sim.nodes[other].session);
        if (one.duties.collecting || two.duties.collecting) continue;
        if (replica::is_member(one, two.self) || replica::is_member(two, one.self)) continue;
        if (votes(one) > 1 && votes(two) > 1 && !sim.oracles.violation)
            sim.oracles.violation = oracles::violation(
                "I13", ObjectId::none, place, "peers %s and %s are both hosts of several",
                names::text(one.self).c_str(), names::text(two.self).c_str());
        sim.counts.splits += 1;
        end_peer(sim, one.term.number < two.term.number ? place : other);
        return;
    }
}

static constexpr uint32_t few_calls = 2;

void start_peer(Simulation &sim, uint16_t place)
{
    constexpr size_t notes_max = 8192;
    Node &node = sim.nodes[place];
    Place &p = sim.places[place];
    end_peer(sim, place);
    forget_peer(sim, place);
    if (sim.wire.addresses[place] == no_place) wire::take_address(sim.wire, place, p.next_address);
    if (sim.wire.addresses[place] < first_mapped)
        p.next_address = static_cast<AddressNumber>(sim.wire.addresses[place] + sim.options.places);
    node.address = wire::address(sim.wire.addresses[place]);
    p.generation += 1;
    p.crypto = dice::make(sim.options.seed, Stream::crypto, place, p.generation);
    p.workload = dice::make(sim.options.seed, Stream::workload, place, p.generation);
    Config config;
    char name[16];
    std::snprintf(name, sizeof name, "%u.%u", place, p.generation);
    config.name = name;
    config.types = sim.types;
    config.topology = sim.options.topology;
    config.quorum = sim.options.quorum;
    // In half of the runs the host lets liars stay, so that they lie to the end.
    if (sim.options.liars > 0 && sim.options.seed % 2 != 0)
        config.misbehaviour = Misbehaviour::ask_game;
    config.peers_max = static_cast<uint16_t>(std::min(sim.options.places + 2, 16));
    config.timeout_ms = sim.options.timeout_ms;
    config.join_timeout_ms = sim.options.join_timeout_ms;
    config.send_bytes_per_second_max = sim.options.send_bytes_per_second_max;
    sodium_source::use(&p.crypto);
    node.session = make_session(config);
    node.notes.resize(notes_max);
    p.journal = {node.notes, 0, 0};
    inspect::listen(node.session, &p.journal);
    if (p.limits_call_events) inspect::limit_call_events(node.session, few_calls);
    p.clock_at_us = sim.now_us;
    node.next_tick_us = std::max(node.next_tick_us, sim.now_us);
    const uint16_t through = answering_place(sim, place);
    if (through == no_place) {
        receive(node.session, {}, node.clock_us); // start() needs the time.
        start(node.session);
    } else {
        const Node &member = sim.nodes[through];
        sodium_source::use(&sim.places[through].crypto);
        sim.invite = make_invite(member.session, std::span(&member.address, 1));
        sodium_source::use(&p.crypto);
        join(node.session, sim.invite);
    }
    p.state = session_state(node.session);
    remember(sim, MomentKind::started, place, place);
    oracles::peer_started(sim.oracles, sim.nodes, place);
}

static bool start(Simulation &sim, const SimChoice &choice)
{
    if (sim.nodes[choice.a].session || answering_place(sim, choice.a) == no_place) return false;
    if (choice.value == 1) {
        AddressNumber &next = sim.places[choice.a].next_address;
        if (next >= first_mapped) return false;
        wire::take_address(sim.wire, choice.a, next);
        next = static_cast<AddressNumber>(next + sim.options.places);
    }
    start_peer(sim, choice.a);
    return true;
}

static bool crash(Simulation &sim, const SimChoice &choice)
{
    if (!sim.nodes[choice.a].session) return false;
    remember(sim, MomentKind::crashed, choice.a, choice.a);
    end_peer(sim, choice.a);
    return true;
}

void trouble(Simulation &sim, uint16_t place, uint64_t until_us)
{
    sim.nodes[place].troubled_us = std::max(sim.nodes[place].troubled_us, until_us);
}

// --- Addresses ---

static bool can_move(const Simulation &sim, uint16_t place)
{
    return sim.nodes[place].session && sim.places[place].rebound_until_us == 0;
}

// lasts_us 0: moves for good.
static void move(Simulation &sim, uint16_t place, AddressNumber to, uint64_t lasts_us)
{
    Place &p = sim.places[place];
    p.home = sim.wire.addresses[place];
    wire::take_address(sim.wire, place, to);
    trouble(sim, place, sim.now_us);
    p.rebound_until_us = lasts_us == 0 ? 0 : sim.now_us + lasts_us;
    sim.nodes[place].address = wire::address(to);
}

static bool rebind(Simulation &sim, const SimChoice &choice)
{
    Place &p = sim.places[choice.a];
    if (!can_move(sim, choice.a) || p.next_address >= first_mapped) return false;
    move(sim, choice.a, p.next_address, choice.lasts_us);
    p.next_address = static_cast<AddressNumber>(p.next_address + sim.options.places);
    return true;
}

static bool move_two(Simulation &sim, const SimChoice &choice)
{
    if (choice.a == choice.b || !can_move(sim, choice.a) || !can_move(sim, choice.b)) return false;
    AddressNumber first = sim.wire.addresses[choice.b], second = sim.wire.addresses[choice.a];
    if (choice.act == Act::nat) {
        if (sim.next_shared >= first_stranger) return false;
        first = sim.next_shared;
        second = static_cast<AddressNumber>(first + 1);
        sim.next_shared = static_cast<AddressNumber>(first + 2);
    }
    move(sim, choice.a, first, choice.lasts_us);
    move(sim, choice.b, second, choice.lasts_us);
    return true;
}

static bool natted(Simulation &sim, const SimChoice &choice)
{
    if (!sim.nodes[choice.a].session) return false;
    wire::set_nat(sim.wire, choice.a, choice.value == 0 ? Nat::restricted : Nat::symmetric);
    trouble(sim, choice.a, UINT64_MAX);
    return true;
}

// --- Links ---

static bool cut(Simulation &sim, Route &route, const SimChoice &choice)
{
    if (sim.now_us >= route.cut_until_us) route.cut_since_us = sim.now_us;
    route.cut_until_us = std::max(route.cut_until_us, sim.now_us + choice.lasts_us);
    remember(sim, MomentKind::cut, choice.a, choice.b);
    remember_later(sim, route.cut_until_us, MomentKind::healed, choice.a, choice.b);
    return true;
}

static bool trouble_link(Simulation &sim, const SimChoice &choice)
{
    if (choice.a == choice.b) return false;
    Route &route = wire::route(sim.wire, choice.a, choice.b);
    const uint64_t until_us = sim.now_us + choice.lasts_us;
    switch (choice.act) {
    case Act::cut: return cut(sim, route, choice);
    case Act::sever:
        route.severed = true;
        remember(sim, MomentKind::cut, choice.a, choice.b);
        return true;
    case Act::clog: route.clog_until_us = std::max(route.clog_until_us, until_us); return true;
    case Act::mtu:
        route.mtu_until_us = until_us;
        route.mtu_bytes = static_cast<uint64_t>(choice.value);
        return true;
    case Act::queue:
        route.queue_until_us = until_us;
        route.queue_bytes_per_second = static_cast<uint64_t>(choice.value);
        return true;
    default: return false;
    }
}

// --- Clocks and ticks ---

static bool trouble_place(Simulation &sim, const SimChoice &choice)
{
    Place &p = sim.places[choice.a];
    if (!sim.nodes[choice.a].session) return false;
    const uint64_t until_us = sim.now_us + choice.lasts_us;
    switch (choice.act) {
    case Act::flood:
        p.flooded_until_us = until_us;
        p.flood_calls = std::min<uint64_t>(static_cast<uint64_t>(choice.value), 500);
        for (uint16_t place = 0; place < sim.options.places; ++place)
            trouble(sim, place, until_us);
        [[fallthrough]];
    case Act::pause:
        p.paused_until_us = std::max(p.paused_until_us, until_us);
        trouble(sim, choice.a, p.paused_until_us);
        remember(sim, MomentKind::paused, choice.a, choice.a);
        remember_later(sim, p.paused_until_us, MomentKind::resumed, choice.a, choice.a);
        return true;
    case Act::slow:
        p.slow_until_us = until_us;
        trouble(sim, choice.a, until_us);
        p.slow_us = std::clamp<uint64_t>(static_cast<uint64_t>(choice.value), 1000, 10'000'000);
        return true;
    case Act::skew: p.skew_ppm = std::clamp<int64_t>(choice.value, -100'000, 100'000); return true;
    case Act::jump:
        p.clock_exact_us += std::min<uint64_t>(static_cast<uint64_t>(choice.value), 1ull << 40);
        trouble(sim, choice.a, sim.now_us);
        return true;
    case Act::grain:
        p.grain_us = std::min<uint64_t>(static_cast<uint64_t>(choice.value), 1'000'000);
        trouble(sim, choice.a, UINT64_MAX);
        return true;
    case Act::full:
        p.full_until_us = until_us;
        trouble(sim, choice.a, until_us);
        p.full_datagrams = static_cast<uint64_t>(choice.value);
        return true;
    default: return false;
    }
}

// --- Strangers ---

// Random bytes. Most of them begin like a datagram of tern and have its size, so that they get past
// the first checks.
static size_t make_garbage(uint64_t value, std::byte (&bytes)[datagram_bytes_max])
{
    static constexpr size_t sizes[] = {0,  156, 100,
                                       64, 60,  24}; // Indexed by datagram type, 1 to 5.
    Dice dice = {value, 0};
    const uint64_t type = dice::within(dice, 0, 6);
    size_t size = dice::within(dice, 0, datagram_bytes_max);
    if (type >= 1 && type <= 5 && dice::per_mille(dice, 700)) size = sizes[type];
    for (size_t i = 0; i < size; ++i)
        bytes[i] = static_cast<std::byte>(dice::next(dice));
    if (size >= 4) {
        bytes[0] = static_cast<std::byte>(type);
        bytes[1] = std::byte{1};
        bytes[2] = bytes[3] = std::byte{0};
    }
    return size;
}

static bool trouble_by_stranger(Simulation &sim, const SimChoice &choice)
{
    if (!sim.nodes[choice.a].session) return false;
    Place &p = sim.places[choice.a];
    std::byte garbage[datagram_bytes_max];
    std::span<const std::byte> bytes = garbage;
    if (choice.act == Act::garbage)
        bytes = bytes.first(make_garbage(static_cast<uint64_t>(choice.value), garbage));
    else
        bytes = choice.value == 0 ? p.newest_handshake : p.newest_datagram;
    if (bytes.empty()) return false;
    wire::send_strange(sim.wire, sim.now_us, sim.next_stranger, choice.a, bytes);
    sim.next_stranger =
        sim.next_stranger == UINT16_MAX - 1 ? first_stranger : AddressNumber(sim.next_stranger + 1);
    return true;
}

bool happen(Simulation &sim, const SimChoice &choice)
{
    switch (choice.act) {
    case Act::start: return start(sim, choice);
    case Act::crash: return crash(sim, choice);
    case Act::cut:
    case Act::clog:
    case Act::mtu:
    case Act::queue:
    case Act::sever: return trouble_link(sim, choice);
    case Act::rebind: return rebind(sim, choice);
    case Act::nat:
    case Act::swap: return move_two(sim, choice);
    case Act::natted: return natted(sim, choice);
    case Act::garbage:
    case Act::spoof: return trouble_by_stranger(sim, choice);
    case Act::pause:
    case Act::slow:
    case Act::flood:
    case Act::skew:
    case Act::jump:
    case Act::grain:
    case Act::full: return trouble_place(sim, choice);
    default: return false;
    }
}

}
