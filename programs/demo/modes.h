// The three ways to run tern-demo. Each returns the exit status of the program.
#pragma once
#include "options.h"

namespace demo {

// Forks the peers, kills one half-way, and compares the worlds that the survivors report. 0: all
// have the same world; 1: they have not; 130: interrupted.
int run_parent(const Options &options);
// Runs one peer in this process, for players on several machines. 0: it left; 1: something ended
// its session, or --find found none; 2: an option is wrong.
int run_alone(const Options &options);
// Tries what must be refused. 0: all was refused as expected.
int run_trials(const Options &options);

}
