// Runs a whole simulation in which the bytes choose what the games do and what happens to datagrams
// and peers. All invariants hold after each tick; in the end the core of peers agrees and can still
// make progress.
#include "fuzz/support/input.h"
#include "fuzz/targets.h"
#include "sim/trace/script.h"
#include "sim/world/liveness.h"

namespace tern::fuzz {

namespace {

constexpr size_t choices_max = 40;

void check(const Simulation &sim)
{
    const Violation &violation = sim.oracles.violation;
    TERN_ASSERT(!violation, "%s: %s", violation.invariant.c_str(), violation.text.c_str());
}

}

void fuzz_simulator(std::span<const uint8_t> data)
{
    Input in = {data};
    // Not for every input: the second phase takes longer than the first, and the first finds most
    // failures.
    const bool to_the_end = input::u8(in) % 8 == 0;
    const Trace trace = script::from_bytes(input::all(in), choices_max);
    const auto sim = simulation::make(trace.options, trace.choices);
    simulation::run_safety(*sim);
    check(*sim);
    if (!to_the_end) return;
    Liveness liveness = liveness::begin(*sim);
    while (liveness::step(liveness, *sim)) {
    }
    check(*sim);
}

}
