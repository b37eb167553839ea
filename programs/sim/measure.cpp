// Measures the speed of the simulation under a fixed load on a good network.
#include "commands.h"
#include "sim/mutants/mutant.h"
#include <ctime>

namespace sim {

namespace {

// The games keep their objects, and each sets a tenth of its own in every tick.
tern::SimOptions load(const Options &options)
{
    tern::SimOptions run;
    run.seed = options.seed;
    run.places = options.peers == 0 ? 8 : options.peers;
    run.seconds = options.seconds;
    run.objects = options.objects;
    run.tick_us_low = run.tick_us_high = 1'000'000 / options.tick_hz;
    run.send_bytes_per_second_max = 4 * 1024 * 1024; // The load must get through.
    const uint32_t changes = (options.objects / run.places + 9) / 10;
    const std::string games = "set=0,destroy=0,claim=0,crowd=0,migrate=0,pingpong=0,brief=0,call=0,"
                              "whisper=0,refuse=0,sets=" +
                              std::to_string(changes);
    run.faults = tern::faults::parse(games, run.seed).faults;
    return run;
}

}

int measure(const Options &options)
{
#ifdef TERN_MUTANTS
    tern::stub_crypto = options.no_crypto;
#else
    if (options.no_crypto) fail("--no-crypto: only tern-sim-mutants can do without");
#endif
    const tern::SimOptions run = load(options);
    const double start_s = wall_s();
    const std::clock_t start_clock = std::clock();
    const auto simulation = tern::simulation::make(run);
    tern::simulation::run_safety(*simulation);
    const double took_s = wall_s() - start_s;
    // Processor time, so that other processes do not disturb the measurement.
    const double cpu_s = static_cast<double>(std::clock() - start_clock) / CLOCKS_PER_SEC;
    const tern::Violation &violation = simulation->oracles.violation;
    const double virtual_s = static_cast<double>(simulation->now_us) / 1e6;
    Report line;
    report::add(line, "ok", !violation);
    report::add(line, "peers", uint64_t{run.places});
    report::add(line, "objects", uint64_t{run.objects});
    report::add(line, "hz", uint64_t{options.tick_hz});
    report::add(line, "crypto", !options.no_crypto);
    report::add(line, "virtual_s", virtual_s);
    report::add(line, "wall_s", took_s);
    report::add(line, "cpu_s", cpu_s);
    report::add(line, "times_real_time", virtual_s / cpu_s);
    report::add(line, "datagrams", simulation->wire.counts.sent);
    report::add(line, "datagrams_per_s", static_cast<double>(simulation->wire.counts.sent) / cpu_s);
    report::add(line, "changes", simulation->counts.changes);
    report::add(line, "ticks", simulation->counts.ticks);
    if (violation) report::add(line, "text", violation.text);
    return report::finish(line, !violation);
}

}
