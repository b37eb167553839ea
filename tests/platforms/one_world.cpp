// Plays sessions over a bad network, as tern-sim sweep does, and prints the digest of each: all
// that was sent and all that happened. Likewise traces, and recordings of real sessions.
// ci/platforms.sh compares what this prints on each platform.
//     one_world SEEDS [FILE ...]
#include "sim/explorer/cluster_script_play.h"
#include "sim/recording/recording.h"
#include "sim/trace/script.h"
#include "sim/world/faults.h"
#include "sim/world/liveness.h"
#include "sim/world/simulation.h"
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace tern;

static bool print(const std::string &name, uint64_t digest, bool well)
{
    std::printf("%s %016llx%s\n", name.c_str(), static_cast<unsigned long long>(digest),
                well ? "" : " FAILED");
    return well;
}

static bool finish(const std::string &name, Simulation &simulation)
{
    simulation::run_safety(simulation);
    liveness::play(simulation);
    return print(name, simulation.digest, !simulation.oracles.violation);
}

static bool play_seed(uint64_t seed, Topology topology)
{
    SimOptions options;
    options.seed = seed;
    options.seconds = 5;
    options.topology = topology;
    options.faults = faults::drawn(seed);
    const char *kind = topology == Topology::mesh ? "mesh" : "star";
    return finish("seed " + std::to_string(seed) + " " + kind, *simulation::make(options));
}

static bool play_file(const std::string &file)
{
    std::ostringstream bytes;
    bytes << std::ifstream(file, std::ios::binary).rdbuf();
    const std::string text = bytes.str(), name = file.substr(file.find_last_of('/') + 1);
    if (recording::is_recording(std::as_bytes(std::span(text)))) {
        const PlayedRecording played = recording::play(std::as_bytes(std::span(text)));
        return print(name, played.digest, played.ok);
    }
    ParsedScript cluster = cluster_script::parse(text);
    if (cluster.error.empty()) {
        cluster.script.has_digest = false;
        const PlayedScript played = cluster_script::play(cluster.script);
        return print(name, played.digest, played.ok());
    }
    const ParsedTrace parsed = script::parse(text);
    if (parsed.error.empty())
        return finish(name, *simulation::make(parsed.trace.options, parsed.trace.choices));
    return print(name + ": " + parsed.error, 0, false);
}

int main(int argument_count, char **arguments)
{
    const unsigned long long seeds =
        argument_count >= 2 ? std::strtoull(arguments[1], nullptr, 10) : 0;
    if (seeds == 0) {
        std::fprintf(stderr, "expected: one_world SEEDS [FILE ...], with 1 or more seeds\n");
        return 2;
    }
    bool well = true;
    for (uint64_t seed = 1; seed <= seeds; ++seed)
        well = play_seed(seed, seed % 2 == 0 ? Topology::star : Topology::mesh) && well;
    for (int i = 2; i < argument_count; ++i)
        well = play_file(arguments[i]) && well;
    return well ? 0 : 1;
}
