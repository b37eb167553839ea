// Finds a small run that fails in the same way as a large one, by delta debugging of its choices,
// then of its places, its time and its numbers.
//
// The search is resumable: the caller runs the candidates, and can show progress and stop at any
// time. `best` is always a run that fails.
//     Shrinker s = shrink::make(trace, violation, when_us);
//     while (const Trace *candidate = shrink::next(s)) ... run it ... shrink::answer(s, ...);
#pragma once
#include "sim/picture/history.h"
#include "sim/trace/script.h"

namespace tern {

enum class ShrinkPass : uint8_t {
    tail,    // Drops the choices after the violation.
    kinds,   // Drops all choices of the network, all of the world, then those of each act.
    owners,  // Drops all choices of a place, or of a path.
    chunks,  // Drops a half of the choices, a quarter, ... a single one.
    places,  // Drops a place.
    time,    // If the violation is at rest: shortens the safety phase before it.
    numbers, // Sets options to their defaults; lowers delays, counts and values.
    done
};

struct Shrinker {
    Trace best; // The smallest run so far that fails.
    std::string invariant;
    uint64_t violation_us; // When `best` fails. After its safety phase: at rest.
    // The position of the search.
    ShrinkPass pass;
    size_t at;    // The next proposal of the pass.
    size_t chunk; // ShrinkPass::chunks: how many choices a proposal drops.
    bool smaller; // A candidate was accepted since the passes last began with the first.
    bool again;   // ShrinkPass::chunks: a candidate was accepted since `at` was 0.
    Trace candidate;
    uint64_t tries, accepted;
};

namespace shrink {

// The trace must contain all choices, also those that were drawn by chance: see Keep::choices.
Shrinker make(const Trace &failing, const Violation &violation, uint64_t violation_us);
// The next run to try; valid until answer(). Null: nothing is left to try.
const Trace *next(Shrinker &s);
// Reports the result of that run. The run becomes `best` if it violates the same invariant.
void answer(Shrinker &s, const Violation &violation, uint64_t violation_us);

}
}
