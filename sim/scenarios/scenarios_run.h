// For the scenarios of whole sessions: runs the simulation of a trace, records what the scenario
// measures, and queries the state of the peers.
#pragma once
#include "sim/scenarios/scenarios_sessions.h"
#include "sim/world/liveness.h"
#include "sim/world/sodium_source.h"

namespace tern::scenarios {

struct HeardCall { // A call that a game received.
    uint16_t place;
    Numbered call;
    PeerId owner; // The owner of call.about, as the receiver knew it. none: no such object there.
};

struct Run {
    std::unique_ptr<Simulation> sim;
    std::string failure; // The first failed expectation. Empty: none.
    std::vector<HeardCall> calls;
    std::vector<uint32_t> ticks; // For each place, ticks of which the calls were recorded.
    // The place whose sent bytes are counted: the most in one tick, and in each second of the run.
    uint16_t sender = no_place;
    uint64_t tick_bytes_most = 0;
    std::vector<uint64_t> bytes_by_second;
};

struct Stage {
    std::string_view title;
    Topology topology; // star: overrides the trace's.
};

// The head of a trace. Places start one after the other, and at 3 s place i creates thing 1 + i.
// options: more lines of options, or none.
std::string populated_trace(uint16_t places, uint32_t seconds, std::string_view options);
Run begin(const Stage &stage, std::string_view text);     // text: a trace; asserts that it parses.
void expect(Run &run, bool holds, std::string_view what); // what: continues "expected that".
bool advance(Run &run);                                   // One world event. False: none is left.
// Up to a time of the run. Also expects that no oracle was violated.
void advance_to(Run &run, uint64_t time_us);
// The rest of the safety phase, then the liveness phase.
PlayedSessions finish(Run &run, const std::string &measured = "");

// --- Queries. thing: an object, by the number that its `create` line gives it, from 1 ---
bool is_open(const Run &run, uint16_t place);
bool is_cut_off(const Run &run, uint16_t place);
bool is_dead(const Run &run, uint16_t place, uint32_t thing);
bool is_owned(const Run &run, uint16_t place, uint32_t thing, uint16_t by);
// True if the peers at all places are open, have the same host and the same world, and are the only
// members. The second function checks the given places instead of all.
bool agree(const Run &run);
bool agree(const Run &run, std::span<const uint16_t> places);
std::string seconds(uint64_t time_us); // "1.5 s", rounded down.

// --- The scenarios, by file; scenarios_sessions.cpp has the rest ---
struct Playable {
    ScenarioTitle title;
    PlayedSessions (*play)(const Stage &stage);
    bool in_star = false;               // Also played in a star, where it must pass too.
    Topology topology = Topology::mesh; // star: overrides the trace's.
};
std::span<const Playable> partitions(); // scenarios_partitions.cpp
std::span<const Playable> others();     // scenarios_others_sessions.cpp
std::span<const Playable> stars();      // scenarios_stars.cpp
std::span<const Playable> snapshots();  // scenarios_snapshots.cpp
std::span<const Playable> links();      // scenarios_paths.cpp
std::span<const Playable> liars();      // scenarios_liars.cpp

}
