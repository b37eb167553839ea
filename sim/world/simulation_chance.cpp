// Faults by chance. Their times are planned when a run begins, from one stream of draws for each
// kind; places and values are drawn when a fault is due.
#include "sim/world/simulation.h"
#include "tern/limits.hpp"
#include <algorithm>
#include <cstdlib>

namespace tern::simulation {

static constexpr uint64_t second_us = 1'000'000;

static void plan_first_starts(Simulation &sim)
{
    Dice dice = dice::make(sim.options.seed, Stream::faults, 0xfffe);
    const uint64_t gap_us = dice::per_mille(dice, 300) ? 0 : dice::within(dice, 0, 500'000);
    for (uint16_t i = 1; i < sim.options.places; ++i) {
        // Liars come last, so that they are no hosts as long as an honest peer is left.
        const uint64_t late_us = is_liar(sim, i) ? second_us : 0;
        const uint64_t when_us = sim.now_us + 20'000 + (i - 1u) * gap_us + late_us;
        sim.plan.push_back({std::min(when_us, sim.safety_end_us - 1), FaultKind::start, i - 1u});
    }
}

static void plan_kind(Simulation &sim, FaultKind kind)
{
    const FaultRange &range = faults::range(sim.options.faults, kind);
    if (!range.on) return;
    Dice dice = dice::make(sim.options.seed, Stream::faults, static_cast<uint64_t>(kind));
    const uint64_t count = dice::within(dice, range.low, range.high);
    const uint32_t first = kind == FaultKind::start ? sim.options.places - 1u : 0;
    // `part` is in millionths of the phase. Its first tenth has no faults, so that peers can join.
    for (uint32_t i = 0; i < count; ++i) {
        const uint64_t part = dice::within(dice, 100'000, 999'999);
        const uint64_t when_us = sim.now_us + sim.options.seconds * part;
        sim.plan.push_back({when_us, kind, first + i});
    }
}

// Each swizzle clogs some of the places, one after the other within a second.
static void plan_swizzle(Simulation &sim)
{
    const FaultRange &range = faults::range(sim.options.faults, FaultKind::swizzle);
    if (!range.on) return;
    constexpr auto kind = static_cast<uint64_t>(FaultKind::swizzle);
    Dice dice = dice::make(sim.options.seed, Stream::faults, kind);
    const uint64_t count = dice::within(dice, range.low, range.high);
    for (uint32_t i = 0; i < count; ++i) {
        const uint64_t part = dice::within(dice, 100'000, 950'000);
        for (uint32_t place = 0; place < sim.options.places; ++place) {
            const uint64_t later_us = dice::within(dice, 0, second_us);
            if (dice::per_mille(dice, 400)) continue;
            const uint64_t when_us = sim.now_us + sim.options.seconds * part + later_us;
            if (when_us < sim.safety_end_us)
                sim.plan.push_back({when_us, FaultKind::swizzle, i * places_max + place});
        }
    }
}

void make_plan(Simulation &sim)
{
    plan_first_starts(sim);
    for (size_t i = 0; i < fault_kind_count; ++i) {
        const auto kind = static_cast<FaultKind>(i);
        if (kind == FaultKind::swizzle)
            plan_swizzle(sim);
        else if (faults::is_count(kind))
            plan_kind(sim, kind);
    }
    std::stable_sort(sim.plan.begin(), sim.plan.end(),
                     [](const Planned &a, const Planned &b) { return a.when_us < b.when_us; });
}

// --- Where and how ---

static uint16_t any_place(const Simulation &sim, Dice &dice, uint16_t first = 0)
{
    return static_cast<uint16_t>(dice::within(dice, first, sim.options.places - 1u));
}

static uint16_t any_other(const Simulation &sim, Dice &dice, uint16_t than)
{
    const uint64_t steps = dice::within(dice, 1, sim.options.places - 1u);
    return static_cast<uint16_t>((than + steps) % sim.options.places);
}

static SimChoice begun(const Simulation &sim, Act act, uint16_t a)
{
    SimChoice choice = {};
    choice.act = act;
    choice.a = a;
    choice.when = sim.now_us;
    return choice;
}

// Short durations are common. A fault that concerns the host is usually shorter than the timeout:
// otherwise hardly any run would keep a host for long.
static uint64_t duration_us(const Simulation &sim, Dice &dice, uint64_t low, uint64_t high,
                            bool concerns_host)
{
    const uint64_t a = dice::within(dice, low, high), b = dice::within(dice, low, high);
    const bool spared = concerns_host && !dice::per_mille(dice, 300);
    const uint64_t most = uint64_t{sim.options.timeout_ms} * 400;
    return spared ? std::min({a, b, most}) : std::min(a, b);
}

static bool is_host(const Simulation &sim, uint16_t place)
{
    return place == host_place(sim);
}

static void start_by_chance(Simulation &sim, Dice &dice, uint32_t number)
{
    SimChoice choice = begun(sim, Act::start, 0);
    if (number < sim.options.places - 1u) {
        choice.a = static_cast<uint16_t>(number + 1);
        choose(sim, choice);
        return;
    }
    const uint16_t first = any_place(sim, dice);
    choice.value = dice::per_mille(dice, 500);
    for (uint16_t i = 0; i < sim.options.places; ++i) { // The next place where nobody is.
        choice.a = static_cast<uint16_t>((first + i) % sim.options.places);
        if (choose(sim, choice)) return;
    }
}

static void cut_by_chance(Simulation &sim, Dice &dice)
{
    SimChoice choice = begun(sim, Act::cut, any_place(sim, dice));
    choice.b = any_other(sim, dice, choice.a);
    const bool host = is_host(sim, choice.a) || is_host(sim, choice.b);
    choice.lasts_us = duration_us(sim, dice, 50'000, 8 * second_us, host);
    choose(sim, choice);
}

// Two peers, neither of them the host, lose their path: for a while or for good, sometimes in one
// direction only.
static void pair_by_chance(Simulation &sim, Dice &dice)
{
    SimChoice choice = begun(sim, Act::sever, any_place(sim, dice));
    choice.b = any_other(sim, dice, choice.a);
    const bool one_way = dice::per_mille(dice, 300);
    if (dice::per_mille(dice, 400)) {
        choice.act = Act::cut;
        choice.lasts_us = duration_us(sim, dice, second_us, 10 * second_us, false);
    }
    if (is_host(sim, choice.a) || is_host(sim, choice.b)) return;
    choose(sim, choice);
    std::swap(choice.a, choice.b);
    if (!one_way) choose(sim, choice);
}

static void nat_by_chance(Simulation &sim, Dice &dice)
{
    SimChoice choice = begun(sim, Act::natted, any_place(sim, dice));
    choice.value = dice::per_mille(dice, 500);
    if (!is_host(sim, choice.a)) choose(sim, choice);
}

// Sides 0 and 1 cannot reach each other (or, one_way, only 1 reaches 0); a place of side 2 reaches
// both.
static void partition_by_chance(Simulation &sim, Dice &dice)
{
    uint8_t side[places_max] = {};
    const uint64_t shape = dice::within(dice, 0, 2);
    const bool one_way = dice::per_mille(dice, 300);
    if (shape == 0) {
        side[any_place(sim, dice)] = 1;
    } else {
        for (uint16_t i = 0; i < sim.options.places; ++i)
            side[i] = static_cast<uint8_t>(dice::within(dice, 0, 1));
        if (shape == 2) side[any_place(sim, dice)] = 2;
    }
    const uint64_t lasts_us = duration_us(sim, dice, 100'000, 6 * second_us, true);
    for (uint16_t a = 0; a < sim.options.places; ++a)
        for (uint16_t b = 0; b < sim.options.places; ++b) {
            if (side[a] == side[b] || side[a] == 2 || side[b] == 2) continue;
            if (one_way && side[a] == 1) continue;
            SimChoice choice = begun(sim, Act::cut, a);
            choice.b = b;
            choice.lasts_us = lasts_us;
            choose(sim, choice);
        }
}

// On a ring, each place reaches equally many places before and behind it: a majority, together with
// itself. So every place has a majority, and no two places have the same one.
static void ring_by_chance(Simulation &sim, Dice &dice)
{
    const uint16_t places = sim.options.places;
    uint16_t at[places_max];
    for (uint16_t i = 0; i < places; ++i)
        at[i] = i;
    for (uint16_t i = places; i > 1; --i)
        std::swap(at[i - 1], at[dice::within(dice, 0, i - 1u)]);
    const uint64_t lasts_us = duration_us(sim, dice, 100'000, 8 * second_us, true);
    const uint16_t near = static_cast<uint16_t>((places / 2 + 1) / 2);
    for (uint16_t a = 0; a < places; ++a)
        for (uint16_t b = 0; b < places; ++b) {
            const int apart = std::abs(static_cast<int>(a) - static_cast<int>(b));
            if (std::min(apart, places - apart) <= near) continue;
            SimChoice choice = begun(sim, Act::cut, at[a]);
            choice.b = at[b];
            choice.lasts_us = lasts_us;
            choose(sim, choice);
        }
}

// One place of a swizzle: all datagrams to and from it wait until the clog ends, then arrive at
// once.
static void clog_by_chance(Simulation &sim, Dice &dice, uint16_t place)
{
    const uint64_t lasts_us = duration_us(sim, dice, 100'000, 3 * second_us, is_host(sim, place));
    for (uint16_t other = 0; other < sim.options.places; ++other) {
        if (other == place) continue;
        SimChoice choice = begun(sim, Act::clog, place);
        choice.b = other;
        choice.lasts_us = lasts_us;
        choose(sim, choice);
        std::swap(choice.a, choice.b);
        choose(sim, choice);
    }
}

static void addresses_by_chance(Simulation &sim, Dice &dice, FaultKind kind)
{
    const Act act = kind == FaultKind::nat ? Act::nat : Act::swap;
    SimChoice choice = begun(sim, act, any_place(sim, dice));
    choice.b = any_other(sim, dice, choice.a);
    const bool host = is_host(sim, choice.a) || is_host(sim, choice.b);
    choice.lasts_us = duration_us(sim, dice, 100'000, 6 * second_us, host);
    if (!host && dice::per_mille(dice, 250)) choice.lasts_us = 0;
    choose(sim, choice);
}

static void link_by_chance(Simulation &sim, Dice &dice, FaultKind kind)
{
    SimChoice choice = begun(sim, Act::clog, any_place(sim, dice));
    choice.b = any_other(sim, dice, choice.a);
    const bool host = is_host(sim, choice.a) || is_host(sim, choice.b);
    choice.lasts_us = duration_us(sim, dice, 20'000, 2 * second_us, host);
    if (kind == FaultKind::mtu) {
        choice.act = Act::mtu;
        const bool is_real = dice::per_mille(dice, 500); // Real paths have such limits.
        const uint64_t least = is_real ? datagram_bytes_base : 200;
        const uint64_t most = is_real ? datagram_bytes_max - 1 : datagram_bytes_base - 1;
        choice.value = static_cast<int64_t>(dice::within(dice, least, most));
    }
    if (kind == FaultKind::queue) {
        choice.act = Act::queue;
        choice.value = static_cast<int64_t>(dice::within(dice, 10'000, 200'000));
        choice.lasts_us += second_us;
    }
    choose(sim, choice);
}

static void clock_by_chance(Simulation &sim, Dice &dice, FaultKind kind)
{
    SimChoice choice = begun(sim, Act::skew, any_place(sim, dice));
    if (kind == FaultKind::skew)
        choice.value = static_cast<int64_t>(dice::within(dice, 0, 2000)) - 1000;
    if (kind == FaultKind::jump) {
        choice.act = Act::jump;
        choice.value =
            static_cast<int64_t>(duration_us(sim, dice, 1000, second_us, is_host(sim, choice.a)));
    }
    if (kind == FaultKind::grain) {
        choice.act = Act::grain;
        choice.value = static_cast<int64_t>(dice::within(dice, 1, 100) * 1000);
    }
    choose(sim, choice);
}

static void place_by_chance(Simulation &sim, Dice &dice, FaultKind kind)
{
    SimChoice choice = begun(sim, Act::pause, any_place(sim, dice));
    const bool host = is_host(sim, choice.a);
    if (kind == FaultKind::pause)
        choice.lasts_us = duration_us(sim, dice, 100'000, 4 * second_us, host);
    if (kind == FaultKind::slow) {
        choice.act = Act::slow;
        choice.lasts_us = duration_us(sim, dice, 500'000, 3 * second_us, false);
        choice.value = static_cast<int64_t>(dice::within(dice, 100'000, 500'000));
    }
    if (kind == FaultKind::flood) {
        choice.act = Act::flood;
        choice.lasts_us = duration_us(sim, dice, 1 * second_us, 4 * second_us, host);
        choice.value = static_cast<int64_t>(dice::within(dice, 100, 500));
    }
    if (kind == FaultKind::full) {
        choice.act = Act::full;
        choice.lasts_us = duration_us(sim, dice, 50'000, second_us, host);
        choice.value = static_cast<int64_t>(dice::within(dice, 0, 3));
    }
    if (kind == FaultKind::rebind) {
        choice.act = Act::rebind;
        choice.lasts_us = duration_us(sim, dice, 100'000, 3 * second_us, host);
        if (!host && dice::per_mille(dice, 250)) choice.lasts_us = 0;
    }
    choose(sim, choice);
}

static void departure_by_chance(Simulation &sim, Dice &dice, FaultKind kind)
{
    const uint16_t who = any_place(sim, dice);
    if (kind == FaultKind::crash) {
        choose(sim, begun(sim, Act::crash, who));
    } else if (kind == FaultKind::leave) {
        sim.places[who].acts.push_back(begun(sim, Act::leave, who));
    } else {
        const uint16_t host = host_place(sim);
        if (host == no_place) return;
        SimChoice choice = begun(sim, Act::remove, host);
        choice.b = who;
        sim.places[host].acts.push_back(choice);
    }
}

static void stranger_by_chance(Simulation &sim, Dice &dice, FaultKind kind)
{
    SimChoice choice = begun(sim, Act::garbage, any_place(sim, dice));
    choice.value = static_cast<int64_t>(dice::next(dice) >> 16);
    if (kind == FaultKind::spoof) {
        choice.act = Act::spoof;
        choice.value &= 1;
    }
    choose(sim, choice);
}

void happen_by_chance(Simulation &sim, const Planned &planned)
{
    Dice dice = dice::make(sim.options.seed, Stream::faults,
                           1000 + static_cast<uint64_t>(planned.kind), planned.number);
    switch (planned.kind) {
    case FaultKind::start: return start_by_chance(sim, dice, planned.number);
    case FaultKind::cut: return cut_by_chance(sim, dice);
    case FaultKind::natted: return nat_by_chance(sim, dice);
    case FaultKind::cutpair: return pair_by_chance(sim, dice);
    case FaultKind::partition: return partition_by_chance(sim, dice);
    case FaultKind::ring: return ring_by_chance(sim, dice);
    case FaultKind::swizzle:
        return clog_by_chance(sim, dice, static_cast<uint16_t>(planned.number % places_max));
    case FaultKind::nat:
    case FaultKind::swap: return addresses_by_chance(sim, dice, planned.kind);
    case FaultKind::clog:
    case FaultKind::mtu:
    case FaultKind::queue: return link_by_chance(sim, dice, planned.kind);
    case FaultKind::skew:
    case FaultKind::jump:
    case FaultKind::grain: return clock_by_chance(sim, dice, planned.kind);
    case FaultKind::pause:
    case FaultKind::slow:
    case FaultKind::flood:
    case FaultKind::full:
    case FaultKind::rebind: return place_by_chance(sim, dice, planned.kind);
    case FaultKind::crash:
    case FaultKind::leave:
    case FaultKind::remove: return departure_by_chance(sim, dice, planned.kind);
    case FaultKind::garbage:
    case FaultKind::spoof: return stranger_by_chance(sim, dice, planned.kind);
    default: return;
    }
}

}
