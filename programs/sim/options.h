// tern-sim's command line.
#pragma once
#include <cstdint>
#include <string>

namespace sim {

enum class Command {
    none,
    run,
    sweep,
    explore,
    replay,
    shrink,
    scenario,
    mutants,
    hunt,
    soak,
    failover,
    load_test
};

// Where the history of a run is written. Empty: nowhere.
struct HistoryFiles {
    std::string svg = {}, json = {}, page = {};
    bool any() const { return !svg.empty() || !json.empty() || !page.empty(); }
};

struct Options {
    Command command = Command::none;
    // run, sweep
    uint64_t seed = 1;
    uint16_t peers = 0; // 0: drawn from the seed.
    uint32_t seconds = 30;
    std::string topology = "mesh";
    std::string quorum = "majority";
    uint16_t liars = 0;
    std::string faults = "swarm";
    std::string script; // The path of a game in Lua. Empty: the simulator's own games.
    std::string record; // The path for the trace. Empty: not written.
    HistoryFiles history;
    bool twice = false; // Runs twice and compares the digests.
    bool stats = false; // Measures the speed under a fixed load.
    bool no_crypto = false;
    uint32_t tick_hz = 60;
    uint32_t objects = 200;
    // sweep
    uint64_t seeds = 1000, first = 1;
    uint32_t jobs = 1;
    std::string folder = "sim-failures";
    bool digests = false; // Prints a line with the digest of each seed.
    // soak, failover
    uint64_t soak_objects = 1'000'000;
    uint32_t alive = 1000;
    double loss_percent = 2;
    std::string death = "crash";
    uint64_t death_seeds = 200;
    uint32_t rtt_ms = 0;            // 0: drawn from the seed.
    double death_loss_percent = -1; // Negative: drawn from the seed.
    uint32_t timeout_ms = 2000;
    bool idle = false;
    // crowd
    uint16_t clients = 64;
    bool mesh = false;
    // explore
    uint16_t creates = 1, claims = 2, destroys = 1, crashes = 1, updates = 0, losses = 0, joins = 0;
    uint16_t waits = 0, holds = 0, suspicions = 0, forges = 0, locks = 0, releases = 0, hides = 0;
    uint16_t lies = 0, liar = 0;
    uint16_t objects_max = 0; // 0: more than are created.
    bool mortal = false, survivors = false, star = false;
    // explore, mutants, hunt, shrink
    uint32_t bound_s = 0; // Stops after this time. 0: the command's default, or never.
    // replay, shrink: a file. scenario: a name. hunt: a mutant.
    std::string name;
    std::string keep; // replay: a folder to which the file is copied, to become a test.
};

struct ParsedOptions {
    bool run = false;
    int exit_status = 0; // The exit status if not `run`,
    std::string text;    // ... and the text to print: help or an error.
    Options options;
};

ParsedOptions parse_options(int argc, const char *const *argv);

}
