// Explores every order of moves in a small cluster. Writes the shortest counterexample as a trace
// and a picture.
#include "commands.h"
#include "report.h"
#include "sim/explorer/cluster_script.h"
#include "sim/explorer/cluster_script_play.h"
#include "sim/explorer/explorer.h"
#include <cstdio>

namespace sim {

namespace {

constexpr uint64_t states_at_once = 20'000; // States between two reads of the clock.

tern::ExploreScope scope_of(const Options &options)
{
    tern::ExploreScope scope = {};
    if (options.peers != 0) scope.peers = options.peers;
    scope.creates = options.creates;
    scope.claims = options.claims;
    scope.destroys = options.destroys;
    scope.crashes = options.crashes;
    scope.updates = options.updates;
    scope.losses = options.losses;
    scope.joins = options.joins;
    scope.waits = options.waits;
    scope.holds = options.holds;
    scope.suspicions = options.suspicions;
    scope.forges = options.forges;
    scope.lies = options.lies;
    scope.liar = options.liar;
    scope.locks = options.locks;
    scope.releases = options.releases;
    scope.hides = options.hides;
    if (options.objects_max > 0) scope.objects_max = options.objects_max;
    scope.mortal = options.mortal;
    scope.survivors = options.survivors;
    scope.star = options.star;
    return scope;
}

void show_progress(const tern::ExploreResult &result)
{
    char text[160];
    std::snprintf(text, sizeof text,
                  "%llu states seen, %llu looked at, depth %llu, %.1f million moves, %.0f s",
                  static_cast<unsigned long long>(result.states),
                  static_cast<unsigned long long>(result.expanded),
                  static_cast<unsigned long long>(result.depth),
                  static_cast<double>(result.edges) / 1e6, wall_s());
    progress::show(text);
}

}

void keep_counterexample(const tern::ExploreScope &scope, const tern::ExploreResult &result,
                         const std::string &record, const HistoryFiles &files)
{
    const tern::Script script = tern::cluster_script::of(scope, result.moves);
    if (!record.empty()) write_file(record, tern::cluster_script::text(script));
    if (files.any()) write_history(tern::cluster_script::play(script).history, files);
}

int explore(const Options &options)
{
    const tern::ExploreScope scope = scope_of(options);
    if (scope.peers + scope.joins > tern::cluster_peers_max)
        fail("--peers " + std::to_string(scope.peers) + " and --joins " +
             std::to_string(scope.joins) + ": together at most " +
             std::to_string(tern::cluster_peers_max));
    if (scope.losses > 0 && scope.updates == 0)
        fail("--losses " + std::to_string(scope.losses) + " of UPDATEs: needs --updates");
    if (const char *broken = tern::cluster::liar_broken(scope))
        fail("--lies " + std::to_string(scope.lies) + ": the scope has " + broken);
    tern::Explorer explorer = tern::explorer::make(scope);
    const double start_s = wall_s();
    const double bound_s = options.bound_s == 0 ? 1e18 : options.bound_s;
    while (tern::explorer::advance(explorer, states_at_once) && wall_s() - start_s < bound_s)
        show_progress(tern::explorer::result(explorer));
    const tern::ExploreResult &result = tern::explorer::result(explorer);
    const bool ok = !result.violation;
    Report line;
    report::add(line, "ok", ok);
    report::add(line, "exhausted", result.exhausted);
    report::add(line, "states", result.states);
    report::add(line, "moves", result.edges);
    report::add(line, "depth", result.depth);
    const tern::ExploredWays ways = tern::explorer::count_ways(explorer);
    if (ways.known) report::add(line, "interleavings_log10", ways.log10);
    report::add(line, "peer_states", result.blocks);
    report::add(line, "peer_steps", result.steps);
    report::add(line, "wall_s", wall_s() - start_s);
    if (!ok) {
        progress::clear();
        const tern::Script script = tern::cluster_script::of(scope, result.moves);
        std::printf("%s: %s\n%s", result.violation.invariant.c_str(), result.violation.text.c_str(),
                    tern::cluster_script::text(script).c_str());
        report::add(line, "invariant", result.violation.invariant);
        report::add(line, "text", result.violation.text);
        report::add(line, "counterexample_moves", uint64_t{result.moves.size()});
        keep_counterexample(scope, result, options.record, options.history);
    }
    return report::finish(line, ok);
}

}
