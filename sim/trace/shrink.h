// Finds a small run that fails in the same way as a large one: delta debugging over its choices,
// then its places, its time and the numbers in it.
//
// Resumable, so that whoever runs the candidates can show progress and stop at any time: `best` is
// always a run that fails.
//     Shrinker s = shrink::make(trace, violation, when_us);
//     while (const Trace *candidate = shrink::next(s)) ... run it ... shrink::answer(s, ...);
#pragma once
#include "sim/picture/history.h"
#include "sim/trace/script.h"

namespace tern {

enum class ShrinkPass : uint8_t {
    tail,   // What comes after the violation.
    kinds,  // All of the network's choices, all of the world's, then each kind.
    owners, // All choices of a place; all of a path.
    chunks, // Halves, quarters, ... single ones.
    places,
    time,    // Of a violation at rest: a shorter run before it.
    numbers, // Options as usual; delays, counts and values lower.
    done
};

struct Shrinker {
    Trace best; // The smallest that fails.
    std::string invariant;
    uint64_t violation_us; // In `best`; beyond its seconds: at rest.
    // Where the search is.
    ShrinkPass pass;
    size_t at;    // Of the pass: which of its proposals is next.
    size_t chunk; // chunks: how many at once.
    bool smaller; // Something was accepted since `pass` was kinds.
    bool again;   // chunks: something was accepted since `at` was 0.
    Trace candidate;
    uint64_t tries, accepted;
};

namespace shrink {

// The trace must be complete: what was drawn by chance, written down as choices.
Shrinker make(const Trace &failing, const Violation &violation, uint64_t violation_us);
// The next run to try. Null: nothing is left to try. Valid until answer().
const Trace *next(Shrinker &s);
// How it went. Only the same invariant counts.
void answer(Shrinker &s, const Violation &violation, uint64_t violation_us);

}
}
