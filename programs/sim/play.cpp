#include "play.h"
#include "allocations.h"
#include "child.h"
#include "commands.h"
#include "sim/world/liveness.h"
#include <csignal>
#include <cstdio>
#include <sstream>
#include <unistd.h>

namespace sim::play {

static const tern::Simulation *running = nullptr; // The newest one of run(), for die().

static Outcome outcome_of(const tern::Simulation &simulation)
{
    Outcome outcome;
    const tern::Violation &violation = simulation.oracles.violation;
    outcome.ok = !violation;
    outcome.invariant = violation.invariant;
    outcome.text = violation.text;
    outcome.digest = simulation.digest;
    outcome.datagrams = simulation.wire.counts.sent;
    outcome.events = simulation.counts.world_events;
    outcome.virtual_us = simulation.now_us;
    return outcome;
}

static void show_progress(const tern::Simulation &simulation)
{
    char text[120];
    std::snprintf(text, sizeof text, "%.1f virtual s of %u and what follows, %.0f s",
                  static_cast<double>(simulation.now_us) / 1e6, simulation.options.seconds,
                  wall_s());
    progress::show(text);
}

Played run(const tern::SimOptions &options, const std::vector<tern::SimChoice> *script,
           tern::Keep keep)
{
    Played played;
    played.simulation = script ? tern::simulation::make(options, *script, keep)
                               : tern::simulation::make(options, keep);
    tern::Simulation &simulation = *played.simulation;
    simulation.oracles.allocation_count = allocations::count();
    running = &simulation;
    for (uint64_t steps = 1; tern::simulation::step(simulation); ++steps)
        if (steps % 4096 == 0) show_progress(simulation);
    tern::liveness::play(simulation);
    tern::simulation::remember_violation(simulation);
    played.outcome = outcome_of(simulation);
    return played;
}

std::string print(const Outcome &outcome)
{
    std::string text = outcome.text;
    for (char &c : text)
        if (c == '\n') c = ' ';
    std::ostringstream line;
    line << outcome.ok << ' ' << outcome.died << ' ' << outcome.digest << ' ' << outcome.datagrams
         << ' ' << outcome.events << ' ' << outcome.virtual_us << ' '
         << (outcome.ok ? "-" : outcome.invariant) << ' ' << text;
    return line.str();
}

Outcome parse(const std::string &line)
{
    Outcome outcome;
    std::istringstream in(line);
    in >> outcome.ok >> outcome.died >> outcome.digest >> outcome.datagrams >> outcome.events >>
        outcome.virtual_us >> outcome.invariant;
    in.ignore(1);
    std::getline(in, outcome.text);
    if (outcome.ok) outcome.invariant.clear();
    return outcome;
}

// --- A child that fails an assert still reports its outcome and writes its choices ---

static const Child *running_in = nullptr;
static const char *choices_file = "";

static void die(int)
{
    Outcome outcome = outcome_of(*running);
    outcome.ok = false;
    outcome.died = true;
    outcome.invariant = "I11";
    if (*choices_file != '\0') {
        tern::Trace trace = tern::simulation::trace(*running);
        trace.digest = 0;
        write_file(choices_file, tern::script::print(trace));
    }
    child::say(*running_in, print(outcome));
    _exit(1);
}

static void run_in(const Child &child, const tern::SimOptions &options,
                   const std::vector<tern::SimChoice> *script, const std::string &file)
{
    running_in = &child;
    choices_file = file.c_str();
    std::signal(SIGABRT, die);
    std::signal(SIGSEGV, die);
    child::say(child, print(run(options, script, {!file.empty(), false}).outcome));
    child::finish(child);
}

Outcome isolated(const tern::SimOptions &options, const std::vector<tern::SimChoice> *script,
                 double wall_s_max, const std::string &dying_file)
{
    Child child = child::start();
    if (child.pid == 0) run_in(child, options, script, dying_file);
    const double until_s = wall_s() + wall_s_max;
    Outcome outcome;
    bool said = false, killed = false;
    while (!child.ended) {
        child::wait({&child}, 100);
        for (const std::string &line : child::lines(child)) {
            outcome = parse(line);
            said = true;
        }
        if (child.ended || wall_s() < until_s || killed) continue;
        child::kill(child);
        killed = true;
    }
    if (!said) {
        outcome.ok = false;
        outcome.died = true;
        outcome.invariant = killed ? "time" : "I11";
        outcome.text = "it did not end in time";
    }
    if (outcome.died && !killed) outcome.text = child::last_words(child);
    return outcome;
}

}
