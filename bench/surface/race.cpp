#include "bench/surface/race.h"
#include <algorithm>
#include <cstdio>

namespace bench::surface::race {

namespace {

constexpr uint32_t settle_us = 100'000, settle_orders_max = 100;

struct Turn { // A contender of measure().
    const Race *race;
    Racer *racer;
};

Sample run_turn(Turn &turn)
{
    const PairReport report = pair::run(turn.racer->pair, OrderKind::measure, turn.racer->ticks);
    Sample made = turn.race->sample(*turn.racer, report);
    made.wrong = made.wrong || report.failed || report.host.wrong || report.clients.wrong;
    return made;
}

// Whether all clients show in the end what the host shows.
bool settles(Racer &racer)
{
    if (!racer.must_settle) return true;
    const uint32_t ticks = settle_us / racer.programs.period_us;
    for (uint32_t i = 0; i < settle_orders_max && !racer.pair.failed; ++i)
        if (pair::run(racer.pair, OrderKind::rest, ticks).clients.is_ready) return true;
    std::printf("WRONG: %s: a client does not show what the host shows\n", racer.name.c_str());
    return false;
}

double per_client(const Racer &racer, double value)
{
    return value / racer.ticks / racer.client_count;
}

}

uint32_t rounds(const Options &options)
{
    return std::max(3u, (options.rounds + 1) / 2);
}

uint32_t ticks(const Options &options, uint32_t period_us)
{
    const uint32_t all = 600'000 / period_us;
    return options.quick ? std::max(6u, all / 10) : all;
}

void print_layer()
{
    static bool is_printed = false;
    if (is_printed) return;
    is_printed = true;
    std::printf(
        "\nlayer: public surface: sessions (include/tern/*.h, as a game embeds them).\n"
        "The host and the clients are processes of their own, ticked in real time.\n"
        "us: CPU per client and tick, of the process of the host and of that of all\n"
        "clients. host ns, recv ns: CPU per changed object and receiver. bytes, kbit/s: to\n"
        "and from a client, with 28 bytes of IP and UDP for each datagram. ms: ages of\n"
        "what a client shows (how long ago it was so at the host), or of a message when it\n"
        "is received; clients tick half a tick after the host. late: ticks that began more\n"
        "than half a tick late. delivered: changes that clients saw; what a later one\n"
        "overtook is not among them. MB: memory that the process has written.\n");
}

void print_virtual_layer()
{
    static bool is_printed = false;
    if (is_printed) return;
    is_printed = true;
    std::printf(
        "\nlayer: public surface: sessions, over the simulated network of tern/sim.hpp, in\n"
        "virtual time. tern: default Config, but types, topology = star, peers_max.\n");
}

bool run(const Race &race, std::vector<Racer> &racers, const Options &options)
{
    print_layer();
    std::vector<Turn> turns;
    std::vector<Contender> contenders;
    turns.reserve(racers.size()); // The contenders point into it.
    for (Racer &racer : racers) {
        racer.pair = pair::start(racer.programs);
        turns.push_back({&race, &racer});
        contenders.push_back(contender<run_turn>(racer.name.c_str(), turns.back()));
    }
    Section section = {race.id, race.title, race.columns, {}};
    for (const std::string &note : race.notes)
        section.notes.push_back(note.c_str());
    Options own = options;
    own.rounds = rounds(options);
    bool right = measure(section, contenders, own);
    for (Racer &racer : racers) {
        right = settles(racer) && right;
        pair::end(racer.pair);
    }
    return right;
}

double host_us(const Racer &racer, const PairReport &report)
{
    return per_client(racer, report.host.cpu_ns) / 1000;
}

double clients_us(const Racer &racer, const PairReport &report)
{
    return per_client(racer, report.clients.cpu_ns) / 1000;
}

double wire_bytes(const Racer &racer, const PairReport &report)
{
    return per_client(racer, report.host.wire_bytes);
}

double late_percent(const Racer &racer, const PairReport &report)
{
    const auto late = static_cast<double>(report.host.late_ticks + report.clients.late_ticks);
    return 100 * late / (2.0 * racer.ticks);
}

}
