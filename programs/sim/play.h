// One run of the simulation, in this process or in one of its own.
#pragma once
#include "sim/world/simulation.h"

namespace sim {

struct Outcome {
    bool ok = true;
    bool died = false;     // By an assertion or a crash, or in no end of time: it has no digest.
    std::string invariant; // That does not hold; "I11" for an assertion or crash; "time".
    std::string text;
    uint64_t digest = 0, datagrams = 0, events = 0, virtual_us = 0;
};

struct Played {
    Outcome outcome;
    std::unique_ptr<tern::Simulation> simulation;
};

namespace play {

// Safety, then liveness. script: null for chance.
Played run(const tern::SimOptions &options, const std::vector<tern::SimChoice> *script,
           tern::Keep keep);
// The same in a child: whatever happens to it, there is an outcome. dying_file: where the choices
// go if it ends in an assertion; empty: nowhere.
Outcome isolated(const tern::SimOptions &options, const std::vector<tern::SimChoice> *script,
                 double wall_s_max, const std::string &dying_file);
std::string print(const Outcome &outcome); // On one line.
Outcome parse(const std::string &line);

}
}
