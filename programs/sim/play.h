// One run of the simulation, in this process or in one of its own.
#pragma once
#include "sim/world/simulation.h"

namespace sim {

struct Outcome {
    bool ok = true;
    bool died = false;     // The run failed an assert, crashed or took too long; no digest.
    std::string invariant; // The violated one. "I11": assert or crash. "time": took too long.
    std::string text;
    uint64_t digest = 0, datagrams = 0, events = 0, virtual_us = 0;
};

struct Played {
    Outcome outcome;
    std::unique_ptr<tern::Simulation> simulation;
};

namespace play {

// Runs the safety phase, then the liveness phase. script null: choices are drawn by chance.
Played run(const tern::SimOptions &options, const std::vector<tern::SimChoice> *script,
           tern::Keep keep);
// Runs both in a child process, so that there is an outcome even if the run crashes or never ends.
// dying_file: the choices so far are written there if the run fails an assert. Empty: not written.
Outcome isolated(const tern::SimOptions &options, const std::vector<tern::SimChoice> *script,
                 double wall_s_max, const std::string &dying_file);
std::string print(const Outcome &outcome); // One line, for parse().
Outcome parse(const std::string &line);

}
}
