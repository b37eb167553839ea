// The commands of tern-sim; each prints its line of JSON and gives the exit status.
#pragma once
#include "options.h"
#include "play.h"
#include "report.h"
#include "sim/explorer/explorer.h"

namespace sim {

int run(const Options &options);
int measure(const Options &options);    // run --stats
int run_script(const Options &options); // run --script
int sweep(const Options &options);
int explore(const Options &options);
int replay(const Options &options);
int shrink(const Options &options);
int scenario(const Options &options);
int mutants(const Options &options);
int hunt(const Options &options);
int soak(const Options &options);
int deaths(const Options &options);
int crowd(const Options &options);

// --- What several of them use ---

// Of a run from this seed, as the command line wants it.
tern::SimOptions run_options(const Options &options, uint64_t seed);
void add_outcome(Report &line, const Outcome &outcome);
// Writes <name>.trace and <name>.svg of a run that fails, both shrunk. The trace's path.
std::string keep_failure(const tern::SimOptions &options, const Outcome &outcome,
                         const std::string &name, uint32_t wall_s_max);

// Writes the trace and the picture of what the explorer found, each if it has a path.
void keep_counterexample(const tern::ExploreScope &scope, const tern::ExploreResult &result,
                         const std::string &record, const std::string &svg);

// Files. An error is told and ends the program with status 2.
std::string read_file(const std::string &path);
void write_file(const std::string &path, const std::string &text);
[[noreturn]] void fail(const std::string &text);

}
