// The commands of tern-sim. Each prints a line of JSON and returns the exit status.
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
int failover(const Options &options);
int load_test(const Options &options);

// --- Functions that several commands use ---

// The options of the run with this seed, according to the command line.
tern::SimOptions run_options(const Options &options, uint64_t seed);
void add_outcome(Report &line, const Outcome &outcome);
// Writes <name>.trace and <name>.svg of a run that fails, both shrunk. Returns the trace's path.
std::string keep_failure(const tern::SimOptions &options, const Outcome &outcome,
                         const std::string &name, uint32_t wall_s_max);

// Writes the trace to `record` and the picture to `svg` of a violation that the explorer has found.
// Empty path: does not write that file.
void keep_counterexample(const tern::ExploreScope &scope, const tern::ExploreResult &result,
                         const std::string &record, const HistoryFiles &files);
// Writes the files that are named.
void write_history(const tern::History &history, const HistoryFiles &files);

// An error in these prints a message and ends the program with status 2.
std::string read_file(const std::string &path);
void write_file(const std::string &path, const std::string &text);
[[noreturn]] void fail(const std::string &text);

}
