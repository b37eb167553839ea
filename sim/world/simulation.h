// Whole sessions over a bad network in one thread and virtual time: a run is its options and a list
// of choices, drawn by chance as it goes, or given.
//
// Each place ticks on its own: what is due arrives, receive(), the game, send(). step() is one tick
// of one place, or one choice of the world; both are world events. First comes the safety phase,
// in which anything may happen; begin_liveness() ends it: a random core is healed, all else dies
// for good, the games do nothing more of themselves, and in the end the core must agree.
#pragma once
#include "sim/network/wire.h"
#include "sim/oracles/oracles.h"

namespace tern {

struct ClaimAnswer { // At the host: to a claim that its game was asked about.
    uint64_t due_us;
    ObjectId object;
    PeerId claimer;
    bool grants;
};

struct Place {          // What the simulation knows of a node beside what its oracles see.
    uint64_t period_us; // Of its ticks.
    int64_t skew_ppm;
    int64_t clock_fraction;  // Of a us, in millionths.
    uint64_t clock_at_us;    // World time of clock_exact_us.
    uint64_t clock_exact_us; // Before it is rounded to the grain.
    bool hears_few;          // Of the calls in a tick: the others find no room.
    uint64_t grain_us;
    uint64_t paused_until_us, slow_until_us, slow_us;
    uint64_t flooded_until_us, flood_calls; // Of each other in each of its ticks.
    uint64_t full_until_us, full_datagrams;
    uint64_t rebound_until_us; // 0: not, or for good.
    AddressNumber home;        // The address before that.
    AddressNumber next_address;
    Dice crypto;
    Dice workload;
    uint32_t weights[fault_kind_count]; // Of what its game does, by chance.
    uint32_t generation;                // Peers that it has had.
    uint32_t ticks;
    uint32_t asks;               // Calls that are answered, or restricted.
    uint32_t guesses;            // Values set before a claim's answer.
    uint32_t alive_made;         // Living objects that its peer has created.
    size_t slot_end;             // No slot from here on was ever used.
    State state;                 // Of the session, after its last tick.
    std::string last_words;      // state_text() of the last peer that ended here.
    std::vector<SimChoice> acts; // Of a script or by order, by time.
    size_t next_act;
    std::vector<SimChoice> answers; // grant and refuse, of a script.
    std::vector<ClaimAnswer> pending;
    std::vector<uint32_t> reliable_calls, unreliable_calls; // By PeerId: how many it has made.
    Session *ending;                                        // It says its last words.
    uint32_t ending_ticks;
    Journal journal;
    std::vector<uint32_t> slots;                              // Of the datagrams in its inbox.
    std::vector<std::byte> newest_handshake, newest_datagram; // Sent to it, for spoof.
};

struct Planned { // By chance: something of this kind happens then.
    uint64_t when_us;
    FaultKind kind;
    uint32_t number; // Of its kind.
};

struct Counts {
    uint64_t world_events, ticks, events, changes;
    uint64_t acts[act_count]; // That had an effect; the network's are the wire's.
    uint64_t skipped;         // Choices that made no sense.
    uint64_t claims_granted, claims_refused, calls_heard, migrations;
    uint64_t ended[static_cast<size_t>(State::overflow) + 1]; // Peers, by their last state.
    uint64_t slow_ticks, pauses_waited;
    uint64_t host_changes, splits;
};

struct Simulation {
    SimOptions options;
    std::vector<Type> types;
    bool scripted;
    bool records;       // Every choice, into `recorded`. Changes nothing else.
    bool keeps_history; // The same.
    bool liveness;
    uint64_t now_us;
    uint64_t safety_end_us;    // step() goes no further until begin_liveness().
    std::vector<Node> nodes;   // By place.
    std::vector<Place> places; // By place.
    Wire wire;
    Invite invite;
    std::vector<ObjectId> things;                      // By number of the thing less 1.
    std::vector<std::vector<uint32_t>> things_of_peer; // By creator, by serial.
    std::vector<uint16_t> place_of_peer;               // By PeerId.
    std::vector<bool> was_in;                          // By PeerId.
    std::vector<SimChoice> world_choices;              // Of a script, by time.
    size_t next_world_choice;
    std::vector<Planned> plan; // By chance, by time.
    size_t next_planned;
    AddressNumber next_stranger;
    AddressNumber next_shared;       // Of two that have one IP address; the next of them too.
    std::vector<SimChoice> recorded; // But for the network's, which the wire keeps.
    std::vector<uint64_t> hashes;    // Of the trace.
    uint64_t digest;
    Counts counts;
    History history;           // In order of time.
    std::vector<Moment> later; // Known, but not yet so far.
    Oracles oracles;

    Simulation() = default;
    Simulation(const Simulation &) = delete;
    Simulation &operator=(const Simulation &) = delete;
    ~Simulation(); // Ends the sessions.
};

struct Keep { // What a run leaves beside its digest.
    bool choices = false;
    bool history = false;
};

namespace simulation {

std::unique_ptr<Simulation> make(const SimOptions &options, Keep keep = {});
std::unique_ptr<Simulation> make(const SimOptions &options, const std::vector<SimChoice> &script,
                                 Keep keep = {});
// One world event. False: none before the end of the safety phase, or there is a violation.
bool step(Simulation &sim);
bool run_until(Simulation &sim, uint64_t time_us); // All before. False: there is a violation.
void run_safety(Simulation &sim);                  // To its end, or the first violation.
void begin_liveness(Simulation &sim);
// In the liveness phase: a place's game shall do this, at its first tick from choice.when on.
void order(Simulation &sim, const SimChoice &choice);
Trace trace(const Simulation &sim); // All that was chosen by chance, if it was kept.
uint32_t thing(const Simulation &sim, ObjectId object); // Its number. 0: of no create that we know.
ObjectId object(const Simulation &sim, uint32_t thing);
uint16_t place(const Simulation &sim, PeerId peer); // no_place: unknown.
uint16_t host_place(const Simulation &sim); // Of two the one of the later term. no_place: nobody.

// --- The parts of a step, each in the file that is named after it ---

bool choose(Simulation &sim, const SimChoice &choice); // happen(), counted and recorded.
// simulation_world.cpp: true if it made sense.
bool happen(Simulation &sim, const SimChoice &choice);
void start_peer(Simulation &sim, uint16_t place);
void end_peer(Simulation &sim, uint16_t place);   // At once; of its session nothing is left.
void start_over(Simulation &sim, uint16_t place); // Its session has: its host went as it joined.
// Two that were left of a session may both go on as hosts. Their games let the older one end.
void settle_split(Simulation &sim, uint16_t place);
// simulation_chance.cpp
void make_plan(Simulation &sim);
void happen_by_chance(Simulation &sim, const Planned &planned);
// workload.cpp
void play(Simulation &sim, uint16_t place);
bool perform(Simulation &sim, uint16_t place, const SimChoice &choice);
// workload_asks.cpp
bool ask(Simulation &sim, uint16_t place, const SimChoice &choice);
void hear_asks(Node &node);   // Of this tick's events.
void answer_asks(Node &node); // With replies.
// simulation_history.cpp: what was known before its time joins the rest with the next moment.
void remember(Simulation &sim, MomentKind kind, uint16_t lane, uint16_t other,
              const std::string &label = {});
void remember_later(Simulation &sim, uint64_t time_us, MomentKind kind, uint16_t lane,
                    uint16_t other);
void remember_tick(Simulation &sim, uint16_t place); // Changes and notes.
void remember_violation(Simulation &sim);            // At the end of a run, if there is one.
// simulation_watch.cpp
void watch(Simulation &sim, uint16_t place); // Changes, digest, oracles, history; after a tick.

}
}
