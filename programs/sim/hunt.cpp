// Looks for a violation that one mutant causes: by the scenarios, by every order of moves in small
// clusters, then by seeds. The search does not depend on the mutant. In tern-sim-mutants only.
#include "child.h"
#include "commands.h"
#include "report.h"
#include "sim/explorer/cluster_script_play.h"
#include "sim/mutants/mutant.h"
#include "sim/scenarios/scenarios.h"
#include "sim/scenarios/scenarios_sessions.h"
#include <cstdio>
#include <cstring>
#include <sys/resource.h>

namespace sim {

#ifdef TERN_MUTANTS

namespace {

struct Found {
    bool found = false;
    std::string by, invariant, text, trace;
};

// The smallest first. Without a mutant each is explored completely within seconds.
std::vector<tern::ExploreScope> scopes()
{
    std::vector<tern::ExploreScope> all;
    const auto scope = [&](uint16_t claims, uint16_t destroys, uint16_t crashes, uint16_t updates,
                           uint16_t joins) -> tern::ExploreScope & {
        tern::ExploreScope added = {};
        added.claims = claims;
        added.destroys = destroys;
        added.crashes = crashes;
        added.updates = updates;
        added.joins = joins;
        all.push_back(added);
        return all.back();
    };
    scope(1, 1, 0, 0, 0);
    scope(2, 0, 0, 0, 0);
    scope(1, 0, 0, 1, 0).losses = 1;
    scope(2, 1, 1, 0, 0);
    scope(1, 1, 0, 0, 1);
    scope(0, 1, 1, 0, 1);
    scope(1, 0, 0, 2, 0).losses = 1;
    scope(1, 1, 0, 0, 0).waits = 1;
    scope(1, 1, 1, 0, 0).mortal = true;
    scope(1, 1, 0, 0, 0).creates = 2;
    scope(0, 0, 0, 3, 0).losses = 1;
    scope(1, 1, 0, 0, 0).forges = 1;
    scope(0, 0, 1, 1, 0);
    scope(2, 0, 0, 1, 0).holds = 1;
    tern::ExploreScope &crossing = scope(0, 2, 0, 0, 0);
    crossing.creates = 3;
    crossing.objects_max = 2;
    scope(1, 1, 1, 0, 0).suspicions = 1;
    scope(0, 0, 1, 0, 0).suspicions = 1;
    tern::ExploreScope &half = scope(0, 0, 1, 0, 0);
    half.peers = 4;
    half.creates = 0;
    half.suspicions = 1;
    scope(1, 0, 0, 0, 0).locks = 2;
    scope(2, 0, 0, 0, 0).locks = 1;
    scope(0, 0, 0, 1, 0).hides = 2;
    tern::ExploreScope &given_up = scope(1, 0, 1, 0, 0);
    given_up.releases = 1;
    given_up.survivors = true;
    tern::ExploreScope &few = scope(0, 0, 2, 0, 0);
    few.peers = 4;
    few.survivors = true;
    tern::ExploreScope &told = scope(1, 0, 0, 2, 0);
    told.star = true;
    told.losses = 1;
    tern::ExploreScope &forged = scope(1, 1, 0, 0, 0);
    forged.star = true;
    forged.forges = 1;
    scope(1, 0, 1, 0, 0).lies = 1;
    tern::ExploreScope &named = scope(0, 0, 1, 0, 0);
    named.peers = 4;
    named.creates = 0;
    named.lies = 1;
    return all;
}

// Scenarios reach states that the explorer would reach only in a scope that takes too long, or the
// seeds only after too many.
void play_scenarios(const Child &self)
{
    for (const tern::Scenario &scenario : tern::scenarios::orders()) {
        if (scenario.mutant != tern::Mutant::none) continue;
        const tern::PlayedScript played =
            tern::cluster_script::play(tern::cluster_script::parse(scenario.text).script);
        if (played.ok()) continue;
        const std::string &invariant = played.violation.invariant;
        child::say(self, (invariant.empty() ? "scenario" : invariant) + " scenario " +
                             std::string(scenario.name) + ": " + played.failure +
                             played.violation.text);
        return;
    }
    for (const tern::ScenarioTitle &title : tern::scenarios::sessions()) {
        const tern::PlayedSessions played = tern::scenarios::play_sessions(title.name);
        if (played.failure.empty()) continue;
        child::say(self, "scenario " + std::string(title.name) + ": " + played.failure);
        return;
    }
}

constexpr uint64_t states_max = 300'000; // In one scope: with a mutant there may be no end.
// Bounds are in processor time. A child may take this many times as long in real time.
constexpr double patience = 5;

double seconds_of(const rusage &used)
{
    const auto seconds = [](const timeval &t) {
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

// The processor time of this process and of its children that have ended. So the search does not
// depend on what else the machine does.
double processor_s()
{
    rusage own = {}, children = {};
    getrusage(RUSAGE_SELF, &own);
    getrusage(RUSAGE_CHILDREN, &children);
    return seconds_of(own) + seconds_of(children);
}

// Runs in a child, because a mutant may fail an assert.
void explore_all(const Child &self, const std::string &name, double bound_s)
{
    for (const tern::ExploreScope &scope : scopes()) {
        tern::Explorer explorer = tern::explorer::make(scope);
        const tern::ExploreResult &result = tern::explorer::result(explorer);
        while (tern::explorer::advance(explorer, 5'000) && result.states < states_max &&
               processor_s() < bound_s) {
        }
        if (!result.violation) continue;
        keep_counterexample(scope, result, name + ".trace", {name + ".svg", {}});
        child::say(self, result.violation.invariant + " " + result.violation.text);
        child::finish(self);
    }
    play_scenarios(self);
    child::finish(self);
}

Found explore_found(const std::string &name, double bound_s)
{
    const double until_s = wall_s() + bound_s * patience;
    Child child = child::start();
    if (child.pid == 0) explore_all(child, name, bound_s);
    Found found;
    found.by = "explore";
    while (!child.ended) {
        child::wait({&child}, 200);
        for (const std::string &line : child::lines(child)) {
            const size_t space = line.find(' ');
            found.found = true;
            found.invariant = line.substr(0, space);
            found.text = line.substr(space + 1);
            found.trace = name + ".trace";
        }
        if (wall_s() > until_s) child::kill(child);
    }
    if (child.status != 0 && !found.found && wall_s() <= until_s) {
        found.found = true;
        found.invariant = "I11";
        found.text = child::last_words(child);
    }
    return found;
}

Found simulate_found(const Options &options, const std::string &name, double bound_s)
{
    Found found;
    found.by = "simulate";
    for (uint64_t seed = 1; processor_s() < bound_s; ++seed) {
        tern::SimOptions run = run_options(options, seed);
        if (seed % 2 != 0) run.seconds /= 2; // Some faults show soon, some need long runs.
        if (seed % 4 >= 2) run.topology = tern::Topology::star;
        const double wait_s = (bound_s - processor_s()) * patience;
        const Outcome outcome = play::isolated(run, nullptr, wait_s, {});
        if (outcome.ok || outcome.invariant == "time") continue;
        found.found = true;
        found.by += " seed " + std::to_string(seed);
        found.invariant = outcome.invariant;
        found.text = outcome.text;
        found.trace = keep_failure(run, outcome, name, 0);
        break;
    }
    return found;
}

}

int hunt(const Options &options)
{
    size_t number = 0;
    for (size_t i = 0; i < tern::mutant_count; ++i)
        if (options.name == tern::mutant_texts[i].name) number = i;
    if (number == 0 && options.name != "none") fail("there is no mutant \"" + options.name + "\"");
    tern::mutant = static_cast<tern::Mutant>(number);
    tern::stub_crypto = true; // More runs fit into the time.
    const double start_s = wall_s();
    const double bound_s = options.bound_s == 0 ? 60 : options.bound_s;
    const std::string name = options.folder + "/" + options.name;
    Found found = explore_found(name, bound_s / 2);
    if (!found.found) found = simulate_found(options, name, bound_s);
    Report line;
    report::add(line, "mutant", options.name);
    report::add(line, "wrong", std::string(tern::mutant_texts[number].wrong));
    report::add(line, "found", found.found);
    report::add(line, "by", found.by);
    report::add(line, "invariant", found.invariant);
    report::add(line, "text", found.text);
    report::add(line, "trace", found.trace);
    report::add(line, "seconds", wall_s() - start_s);
    return report::finish(line, found.found);
}

#else

int hunt(const Options &)
{
    fail("only tern-sim-mutants hunts");
}

#endif

}
