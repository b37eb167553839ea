#include "commands.h"
#include "report.h"
#include "sim/picture/picture.h"
#include <cstdio>
#include <cstdlib>

namespace sim {

tern::SimOptions run_options(const Options &options, uint64_t seed)
{
    tern::SimOptions run = tern::script::swarm(seed);
    run.seconds = options.seconds;
    if (options.topology == "star") run.topology = tern::Topology::star;
    if (options.quorum == "survivors") run.quorum = tern::Quorum::survivors;
    if (options.peers != 0) run.places = options.peers;
    run.liars = options.liars;
    if (run.liars > 0) run.places = std::max(run.places, static_cast<uint16_t>(2 * run.liars + 2));
    if (options.faults == "swarm") return run;
    if (options.faults == "help") {
        std::fputs(tern::faults::help().c_str(), stdout);
        std::exit(0);
    }
    const tern::ParsedFaults parsed = tern::faults::parse(options.faults, seed);
    if (!parsed.error.empty())
        fail("--faults: " + parsed.error + "\nThere are:\n" + tern::faults::help());
    run.faults = parsed.faults;
    return run;
}

void add_outcome(Report &line, const Outcome &outcome)
{
    report::add(line, "virtual_s", static_cast<double>(outcome.virtual_us) / 1e6);
    report::add(line, "wall_s", wall_s());
    report::add(line, "datagrams", outcome.datagrams);
    report::add(line, "events", outcome.events);
    report::add(line, "digest", report::hex(outcome.digest));
    if (outcome.ok) return;
    report::add(line, "invariant", outcome.invariant);
    report::add(line, "text", outcome.text);
}

// The page of programs/page/steps.html with this history in it.
static std::string steps_page(const std::string &json)
{
    std::string text =
#include "steps_page.inc"
        ;
    std::string safe; // No name in it may end the script that holds it.
    for (const char letter : json)
        safe += letter == '<' ? std::string("\\u003c") : std::string(1, letter);
    static constexpr std::string_view place = "@history@";
    return text.replace(text.find(place), place.size(), safe);
}

void write_history(const tern::History &history, const HistoryFiles &files)
{
    if (!files.svg.empty()) write_file(files.svg, tern::picture::svg(history));
    if (!files.json.empty()) write_file(files.json, tern::history::json(history));
    if (!files.page.empty()) write_file(files.page, steps_page(tern::history::json(history)));
}

void keep_played(const Played &played, const std::string &record, const HistoryFiles &files)
{
    if (!record.empty())
        write_file(record, tern::script::print(tern::simulation::trace(*played.simulation)));
    write_history(played.simulation->history, files);
}

int run(const Options &options)
{
    const tern::SimOptions run = run_options(options, options.seed);
    const tern::Keep keep = {!options.record.empty(), options.history.any()};
    const Played played = play::run(run, nullptr, keep);
    Outcome outcome = played.outcome;
    if (options.twice) {
        const Outcome again = play::run(run, nullptr, {}).outcome;
        if (again.digest != outcome.digest || again.events != outcome.events) {
            outcome.ok = false;
            outcome.invariant = "determinism";
            outcome.text =
                "a second run of the same seed ended with digest " + report::hex(again.digest);
        }
    }
    keep_played(played, options.record, options.history);
    Report line;
    report::add(line, "ok", outcome.ok);
    report::add(line, "seed", options.seed);
    report::add(line, "peers", uint64_t{run.places});
    report::add(line, "faults", tern::faults::print(run.faults));
    add_outcome(line, outcome);
    return report::finish(line, outcome.ok);
}

}
