// The treatment of each datagram: drawn from the seed by the datagram's number, or read from a
// script. Also writes treatments down as choices of a script.
#include "sim/network/wire.h"
#include <algorithm>

namespace tern::wire {

enum class Draw : uint8_t { loss, twice, copy, damage, truncate, replay, delay, late, acks };

static uint64_t draw(const Route &route, uint64_t number, Draw purpose, uint64_t again = 0)
{
    const uint64_t stream = static_cast<uint64_t>(purpose) << 56 ^ again << 48;
    return dice::drawn(route.key ^ stream, number);
}

static uint32_t rate(const Route &route, const Faults &faults, FaultKind kind)
{
    const FaultRange &range = faults::range(faults, kind);
    if (!range.on) return 0;
    const uint64_t drawn = dice::drawn(route.key, static_cast<uint64_t>(kind) << 48);
    return static_cast<uint32_t>(dice::within(drawn, range.low, range.high));
}

void draw_rates(Route &route, const Faults &faults)
{
    const auto of = [&](FaultKind kind) { return rate(route, faults, kind); };
    route.rates = {of(FaultKind::loss),     of(FaultKind::twice),  of(FaultKind::damage),
                   of(FaultKind::truncate), of(FaultKind::replay), of(FaultKind::burst),
                   of(FaultKind::delay),    of(FaultKind::late),   of(FaultKind::acks)};
}

void set_loss(Wire &wire, uint32_t per_mille)
{
    wire.calm = per_mille == 0;
    wire.scripted = wire.records = false; // Losses depend on the seed and the number alone.
    wire.any_rate = true;
    for (Route &route : wire.routes) {
        route.rates = {};
        route.rates.loss = per_mille;
        route.in_burst = false;
    }
}

// The Gilbert-Elliott model: in a burst 90 % of the datagrams are lost, outside of it none. Without
// `burst` each datagram is lost independently.
static bool is_lost(Route &route, uint64_t number)
{
    const Rates &rates = route.rates;
    if (rates.loss == 0 && rates.burst == 0) return false;
    const uint64_t drawn = draw(route, number, Draw::loss);
    if (rates.burst == 0) return dice::per_mille(drawn, rates.loss);
    const uint64_t again = dice::mixed(drawn);
    if (route.in_burst) {
        route.in_burst = !dice::per_mille(drawn, 1000 / rates.burst);
        return dice::per_mille(again, 900);
    }
    // Bursts begin so often that about `loss` per mille are lost in all (10, if `loss` is 0).
    const uint32_t loss = rates.loss == 0 ? 10 : rates.loss;
    route.in_burst = dice::within(drawn, 0, 999'999) < loss * 1000u / rates.burst;
    return false;
}

static void draw_copies(const Route &route, uint64_t number, Treatment &t)
{
    while (t.copy_count < copies_max &&
           dice::per_mille(draw(route, number, Draw::twice, t.copy_count), route.rates.twice)) {
        const uint64_t drawn = draw(route, number, Draw::copy, t.copy_count);
        // A tenth of the copies may be late by seconds; the others come within 50 ms.
        const uint64_t most = dice::per_mille(dice::mixed(drawn), 100) ? 2'000'000 : 50'000;
        t.copy_us[t.copy_count] = dice::within(drawn, 0, most);
        t.copy_count += 1;
    }
}

static void draw_delay(const Route &route, uint64_t number, Treatment &t)
{
    const Rates &rates = route.rates;
    if (rates.delay_ms > 0) {
        const uint64_t drawn = draw(route, number, Draw::delay);
        if ((drawn & 3) == 0) t.delay_us += dice::within(drawn, 0, uint64_t{rates.delay_ms} * 1000);
    }
    if (rates.late_ms > 0) {
        const uint64_t drawn = draw(route, number, Draw::late);
        if (dice::per_mille(drawn, 5)) t.delay_us += uint64_t{rates.late_ms} * 1000;
    }
}

// Replays a datagram of this path from where a replay window ends, or one of the newest of any
// path.
static void draw_replay(const Wire &wire, const Route &route, uint64_t number, Treatment &t)
{
    const uint64_t drawn = draw(route, number, Draw::replay);
    if (!dice::per_mille(drawn, route.rates.replay)) return;
    const uint64_t again = dice::mixed(drawn);
    uint64_t path = dice::within(again, 0, wire.routes.size() - 1);
    if ((drawn & 1) != 0 && route.sent > far_back_high) {
        path = static_cast<uint64_t>(&route - wire.routes.data());
        t.number = number - dice::within(dice::mixed(again), far_back_low, far_back_high);
    }
    const uint64_t sent = wire.routes[path].sent;
    if (sent == 0) return;
    t.replays = true;
    t.c = static_cast<uint16_t>(path / wire.places);
    t.d = static_cast<uint16_t>(path % wire.places);
    if (t.number > 0) return;
    const uint64_t back =
        dice::within(dice::mixed(again), 0, std::min<uint64_t>(sent, kept_datagrams_max) - 1);
    t.number = sent - back;
}

Treatment drawn(const Wire &wire, Route &route, uint64_t number, size_t size_bytes)
{
    Treatment t = {};
    t.lost = is_lost(route, number);
    if (route.rates.acks > 0 && size_bytes <= small_bytes_max)
        t.lost = t.lost || dice::per_mille(draw(route, number, Draw::acks), route.rates.acks);
    draw_delay(route, number, t);
    if (route.rates.twice > 0) draw_copies(route, number, t);
    if (route.rates.damage > 0) {
        const uint64_t drawn = draw(route, number, Draw::damage);
        t.damaged = dice::per_mille(drawn, route.rates.damage);
        t.bit = dice::mixed(drawn) >> 48;
    }
    if (route.rates.truncate > 0) {
        const uint64_t drawn = draw(route, number, Draw::truncate);
        t.truncated = dice::per_mille(drawn, route.rates.truncate);
        t.bytes = dice::mixed(drawn) >> 48;
    }
    if (route.rates.replay > 0) draw_replay(wire, route, number, t);
    return t;
}

static void add(Treatment &t, const SimChoice &choice)
{
    switch (choice.act) {
    case Act::lose: t.lost = true; break;
    case Act::delay: t.delay_us += choice.lasts_us; break;
    case Act::twice:
        if (t.copy_count < copies_max) t.copy_us[t.copy_count++] = choice.lasts_us;
        break;
    case Act::damage:
        t.damaged = true;
        t.bit = static_cast<uint64_t>(choice.value);
        break;
    case Act::truncate:
        t.truncated = true;
        t.bytes = static_cast<uint64_t>(choice.value);
        break;
    case Act::replay:
        t.replays = true;
        t.c = choice.c;
        t.d = choice.d;
        t.number = static_cast<uint64_t>(choice.value);
        break;
    default: break;
    }
}

Treatment chosen(Route &route, uint64_t number)
{
    Treatment t = {};
    for (; route.next_choice < route.choices.size(); ++route.next_choice) {
        const SimChoice &choice = route.choices[route.next_choice];
        if (choice.when > number) break;
        if (choice.when == number) add(t, choice);
    }
    return t;
}

void record(Wire &wire, uint16_t from, uint16_t to, uint64_t number, const Treatment &t)
{
    SimChoice choice = {};
    choice.a = from;
    choice.b = to;
    choice.when = number;
    const auto push = [&](Act act, uint64_t lasts_us, uint64_t value) {
        choice.act = act;
        choice.lasts_us = lasts_us;
        choice.value = static_cast<int64_t>(value);
        wire.recorded.push_back(choice);
    };
    if (t.lost) push(Act::lose, 0, 0);
    if (t.delay_us > 0) push(Act::delay, t.delay_us, 0);
    for (uint32_t i = 0; i < t.copy_count; ++i)
        push(Act::twice, t.copy_us[i], 0);
    if (t.damaged) push(Act::damage, 0, t.bit);
    if (t.truncated) push(Act::truncate, 0, t.bytes);
    if (!t.replays) return;
    choice.c = t.c;
    choice.d = t.d;
    push(Act::replay, 0, t.number);
}

}
