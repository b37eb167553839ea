// The command tern-sim run --script.
#include "commands.h"
#include "game.h"
#include <cstdio>
#include <cstdlib>

namespace sim {

static tern::Faults script_faults(const Options &options)
{
    if (options.faults == "swarm") return tern::faults::drawn(options.seed);
    const tern::ParsedFaults parsed = tern::faults::parse(options.faults, options.seed);
    if (!parsed.error.empty()) fail("--faults: " + parsed.error);
    const tern::Faults none = tern::faults::none();
    for (size_t i = 0; i < tern::fault_kind_count; ++i) {
        const auto kind = static_cast<tern::FaultKind>(i);
        const bool is_asked = parsed.faults.ranges[i].on && !none.ranges[i].on;
        if (is_asked && !is_scripted_fault(kind) && !options.faults.starts_with("swarm"))
            fail(std::string("--faults: ") + tern::faults::text(kind).name +
                 " is none of a script's run; there are loss, burst, delay, late, twice, damage, "
                 "truncate, replay, acks, start, crash, pause, cut, partition and leave");
    }
    return parsed.faults;
}

int run_script(const Options &options)
{
    setenv("TZ", "UTC", 1); // os.date() of a script depends on it.
    GameOptions game = {options.script, options.seed, options.peers, options.seconds,
                        script_faults(options)};
    if (game.peers == 0) game.peers = 4;
    const GameOutcome outcome = run_game(game);
    const bool ok = outcome.invariant.empty();
    if (!ok)
        std::fprintf(stderr, "tern-sim: seed %llu: %s\n",
                     static_cast<unsigned long long>(options.seed), outcome.text.c_str());
    Report line;
    report::add(line, "ok", ok);
    report::add(line, "script", options.script);
    report::add(line, "seed", options.seed);
    report::add(line, "peers", uint64_t{game.peers});
    report::add(line, "virtual_s", static_cast<double>(outcome.virtual_us) / 1e6);
    report::add(line, "wall_s", wall_s());
    report::add(line, "alive", uint64_t{outcome.alive});
    const GameCounts &counts = outcome.counts;
    const std::pair<const char *, uint64_t> numbers[] = {
        {"ticks", counts.ticks},           {"datagrams", counts.datagrams},
        {"events", counts.events},         {"joins", counts.joins},
        {"crashes", counts.crashes},       {"leaves", counts.leaves},
        {"pauses", counts.pauses},         {"cuts", counts.cuts},
        {"partitions", counts.partitions}, {"ended", counts.ended}};
    for (const auto &[name, number] : numbers)
        report::add(line, name, number);
    report::add(line, "digest", report::hex(outcome.digest));
    if (!ok) {
        report::add(line, "invariant", outcome.invariant);
        report::add(line, "text", outcome.text);
    }
    return report::finish(line, ok);
}

}
