// A scenario of whole sessions as it runs: its script, what its games hear, and what is to be seen.
#pragma once
#include "sim/scenarios/scenarios_sessions.h"
#include "sim/world/liveness.h"
#include "sim/world/sodium_source.h"

namespace tern::scenarios {

struct HeardCall {
    uint16_t place;
    Numbered call;
    PeerId owner; // Of what it is about, there and then. none: it does not exist there.
};

struct Run {
    std::unique_ptr<Simulation> sim;
    std::string failure; // The first.
    std::vector<HeardCall> calls;
    std::vector<uint32_t> ticks; // By place: those that have been looked at.
    uint16_t sender = no_place;  // Whose bytes are counted; all in seconds of the run.
    uint64_t tick_bytes_most = 0;
    std::vector<uint64_t> bytes_by_second;
};

struct Stage {
    std::string_view title;
    Topology topology; // star: whatever the trace says.
};

Run begin(const Stage &stage, std::string_view text);     // text: a trace.
void expect(Run &run, bool holds, std::string_view what); // Said after "expected that".
bool advance(Run &run);                                   // One world event. False: none is left.
void advance_to(Run &run, uint64_t time_us);
PlayedSessions finish(Run &run); // The rest of the safety phase, then liveness.

// --- What is to be seen. thing: an object, by the number that its create gives it. ---
bool is_open(const Run &run, uint16_t place);
bool is_dead(const Run &run, uint16_t place, uint32_t thing);
bool is_owned(const Run &run, uint16_t place, uint32_t thing, uint16_t by);
bool agree(const Run &run); // All places are open, members of one session, and have one world.
bool agree(const Run &run, std::span<const uint16_t> places); // These, and no others.
std::string seconds(uint64_t time_us);

// --- The scenarios, by file; scenarios_sessions.cpp has the rest ---
struct Playable {
    ScenarioTitle title;
    PlayedSessions (*play)(const Stage &stage);
    Topology topology = Topology::mesh; // star: its trace says so, or not.
    bool in_star = false;               // Played in a mesh, it must hold in a star, too.
};
std::span<const Playable> partitions(); // scenarios_partitions.cpp
std::span<const Playable> others();     // scenarios_others_sessions.cpp
std::span<const Playable> stars();      // scenarios_stars.cpp
std::span<const Playable> snapshots();  // scenarios_snapshots.cpp
std::span<const Playable> paths();      // scenarios_paths.cpp

}
