// Plays sessions over a bad network, as tern-sim sweep does, and prints the digest of each: all
// that was sent and all that happened. ci/platforms.sh compares what this prints on each platform.
//     one_world SEEDS
#include "sim/world/faults.h"
#include "sim/world/liveness.h"
#include "sim/world/simulation.h"
#include <cstdio>
#include <cstdlib>

using namespace tern;

static bool play(uint64_t seed, Topology topology)
{
    SimOptions options;
    options.seed = seed;
    options.seconds = 5;
    options.topology = topology;
    options.faults = faults::drawn(seed);
    const std::unique_ptr<Simulation> simulation = simulation::make(options);
    simulation::run_safety(*simulation);
    liveness::play(*simulation);
    const Violation &violation = simulation->oracles.violation;
    std::printf("seed %llu %s %016llx%s\n", static_cast<unsigned long long>(seed),
                topology == Topology::mesh ? "mesh" : "star",
                static_cast<unsigned long long>(simulation->digest), violation ? " VIOLATION" : "");
    return !violation;
}

int main(int argument_count, char **arguments)
{
    const unsigned long long seeds =
        argument_count == 2 ? std::strtoull(arguments[1], nullptr, 10) : 0;
    if (seeds == 0) {
        std::fprintf(stderr, "expected: one_world SEEDS, with a number from 1 on\n");
        return 2;
    }
    bool well = true;
    for (uint64_t seed = 1; seed <= seeds; ++seed)
        well = play(seed, seed % 2 == 0 ? Topology::star : Topology::mesh) && well;
    return well ? 0 : 1;
}
