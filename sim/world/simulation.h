// Whole sessions over a bad network, in one thread and virtual time. A run consists of its options
// and a list of choices, which are drawn from the seed as it runs, or given as a script.
//
// Each place ticks on its own: datagrams arrive, then receive(), the game and send(). step() does
// one tick of one place, or one choice that concerns the world; either is a world event. A run
// starts with the safety phase, in which anything may happen. begin_liveness() ends that phase: a
// random core of peers is healed, all other peers end for good, and the games act on order() only.
// In the end the core must agree.
#pragma once
#include "sim/network/wire.h"
#include "sim/oracles/oracles.h"

namespace tern {

struct ClaimAnswer { // The answer of a host's game to a claim, given once it is due.
    uint64_t due_us;
    ObjectId object;
    PeerId claimer;
    bool grants;
};

struct Place {          // The state of a node that the oracles do not read.
    uint64_t period_us; // The time between two ticks.
    int64_t skew_ppm;
    int64_t clock_fraction;  // Millionths of a microsecond that clock_exact_us lacks.
    uint64_t clock_at_us;    // World time of clock_exact_us.
    uint64_t clock_exact_us; // The clock before it is rounded to grain_us.
    bool limits_call_events; // The session has room for few calls in a tick:
                             // inspect::limit_call_events().
    uint64_t grain_us;
    uint64_t paused_until_us, slow_until_us, slow_us;
    // Until then each other peer makes flood_calls calls to this one in each of its own ticks.
    uint64_t flooded_until_us, flood_calls;
    uint64_t full_until_us, full_datagrams;
    uint64_t rebound_until_us; // 0: the address is its own, or has changed for good.
    AddressNumber home;        // The address that returns then.
    AddressNumber next_address;
    Dice crypto;
    Dice workload;
    uint32_t weights[fault_kind_count]; // How often its game does what, if chance decides.
    uint32_t generation;                // How many peers have started here.
    uint32_t ticks;
    uint32_t asks;                  // Calls made that are answered or restricted.
    uint32_t guesses;               // Values set under claims that were not answered yet.
    size_t slot_end;                // No slot from here on was ever used.
    State state;                    // The session's state after its last tick.
    bool joins_again;               // It began to join again in that tick.
    bool id_is_taken;               // Another peer has been a member with its id.
    std::string last_words;         // state_text() of the last peer whose session ended here.
    std::vector<SimChoice> acts;    // Acts of its game, by time: scripted, ordered or planned.
    size_t next_act;                // The first of them that is still to come.
    std::vector<SimChoice> answers; // The script's grant and refuse choices.
    std::vector<ClaimAnswer> pending;
    std::vector<uint32_t> reliable_calls, unreliable_calls; // Calls made, indexed by PeerId.
    Session *ending; // A session that has ended, and still ticks to send its goodbye. Null: none.
    uint32_t ending_ticks;
    Journal journal;
    std::vector<uint32_t> slots; // The slots of the wire that hold the datagrams of its inbox.
    // The newest datagrams sent to this place, for Act::spoof.
    std::vector<std::byte> newest_handshake, newest_datagram;
};

struct Planned { // A fault that chance has planned.
    uint64_t when_us;
    FaultKind kind;
    uint32_t number; // Counts the faults of its kind.
};

struct Counts {
    uint64_t world_events, ticks, events, changes;
    uint64_t acts[act_count]; // Acts that had an effect, without the network's: see WireCounts.
    uint64_t skipped;         // Choices that could not be carried out.
    uint64_t claims_granted, claims_refused, calls_received, calls_unanswered, migrations;
    uint64_t ended[static_cast<size_t>(State::overflow) + 1]; // Peers, indexed by last state.
    uint64_t slow_ticks, pauses_waited;
    uint64_t host_changes, splits;
};

struct Simulation {
    SimOptions options;
    std::vector<Type> types;
    bool scripted;
    bool records;       // Choices are written to `recorded`. The run is the same either way.
    bool keeps_history; // `history` is written. The run is the same either way.
    bool liveness;
    // The run must end, because its oracles can judge no more: two peers have had the same PeerId,
    // or a liar has become the host. step() does nothing then.
    bool is_void;
    uint64_t now_us;
    uint64_t safety_end_us;    // step() stops here until begin_liveness().
    std::vector<Node> nodes;   // Indexed by place.
    std::vector<Place> places; // Indexed by place.
    Wire wire;
    Invite invite;
    std::vector<ObjectId> things;                      // [number of the thing - 1]
    std::vector<std::vector<uint32_t>> things_of_peer; // [creator][serial]
    std::vector<uint16_t> place_of_peer;               // Indexed by PeerId.
    std::vector<bool> was_in;                          // [PeerId]: it has been a member.
    std::vector<SimChoice> world_choices;              // The script's, by time.
    size_t next_world_choice;
    std::vector<Planned> plan; // The faults of a run without a script, by time.
    size_t next_planned;
    AddressNumber next_stranger;
    AddressNumber next_shared;       // The first of the next two addresses with one IP address.
    std::vector<SimChoice> recorded; // Without the network's choices: see Wire::recorded.
    std::vector<uint64_t> hashes;    // For Trace::hashes.
    uint64_t digest;
    Counts counts;
    History history;           // In order of time.
    std::vector<Moment> later; // Moments of the future, by time, such as the end of a cut.
    Oracles oracles;

    Simulation() = default;
    Simulation(const Simulation &) = delete;
    Simulation &operator=(const Simulation &) = delete;
    ~Simulation(); // Destroys the sessions.
};

struct Keep { // The records that a run keeps beside its digest.
    bool choices = false;
    bool history = false;
};

namespace simulation {

std::unique_ptr<Simulation> make(const SimOptions &options, Keep keep = {});
std::unique_ptr<Simulation> make(const SimOptions &options, const std::vector<SimChoice> &script,
                                 Keep keep = {});
// Does one world event. False: no event is left in the safety phase, or there is a violation.
bool step(Simulation &sim);
// Does all world events before time_us, but in the safety phase none after its end. False: there is
// a violation.
bool run_until(Simulation &sim, uint64_t time_us);
void run_safety(Simulation &sim); // Runs to the end of the phase, or to the first violation.
void begin_liveness(Simulation &sim);
// In the liveness phase: ends one peer of the core that is cut off and waits in vain, because too
// few of its session are in the core. False: there is none.
bool end_the_few(Simulation &sim);
// In the liveness phase: the game of choice.a does this act in its first tick at or after
// choice.when.
void order(Simulation &sim, const SimChoice &choice);
Trace trace(const Simulation &sim); // Has choices only if the run has kept them.
// The number that the object's create choice gave it. 0: no choice has created it.
uint32_t thing(const Simulation &sim, ObjectId object);
ObjectId object(const Simulation &sim, uint32_t thing);
uint16_t place(const Simulation &sim, PeerId peer); // no_place: unknown.
// The host's place. If two peers are hosts, that of the later term. no_place: nobody is host.
uint16_t host_place(const Simulation &sim);

// --- The parts of a step, each in the file that is named after it ---

// Carries out a choice by happen(), counts and records it. False: it could not be carried out.
bool choose(Simulation &sim, const SimChoice &choice);
// simulation_healing.cpp: begin_liveness().
// Returns the place's own address to it when the time of another one is over.
void settle_address(Simulation &sim, uint16_t place);
// simulation_world.cpp
// Carries out a choice that concerns the world. False: it cannot be carried out now.
bool happen(Simulation &sim, const SimChoice &choice);
void start_peer(Simulation &sim, uint16_t place);
void end_peer(Simulation &sim, uint16_t place); // Destroys the session without a goodbye.
// Takes the session out of the simulation. The caller goes on with it, and destroys it.
Session *take_session(Simulation &sim, uint16_t place);
// Call it when a session joins again as a new peer, because its host went while it joined.
void start_over(Simulation &sim, uint16_t place);
// Call it when a session that was cut off joins again as a new peer.
void come_back(Simulation &sim, uint16_t place);
// After a split, two members of a session may both be hosts, each without the other one. tern
// leaves that to the games; ours end the host of the older term. Call it after each tick of a
// place.
void settle_split(Simulation &sim, uint16_t place);
// Notes a fault of the place that lasts until then, for the oracles.
void trouble(Simulation &sim, uint16_t place, uint64_t until_us);
// simulation_chance.cpp
void make_plan(Simulation &sim);
void happen_by_chance(Simulation &sim, const Planned &planned);
// workload.cpp
void play(Simulation &sim, uint16_t place);
bool act(Simulation &sim, uint16_t place, SimChoice choice); // Performs, counts and records it.
bool perform(Simulation &sim, uint16_t place, const SimChoice &choice);
// workload_glide.cpp
bool glide(Simulation &sim, uint16_t place, const SimChoice &choice);
// workload_lies.cpp
inline bool is_liar(const Simulation &sim, uint16_t place)
{
    return place >= sim.options.places - sim.options.liars;
}
bool tell_lie(Simulation &sim, uint16_t place, const SimChoice &choice);
void lie_by_chance(Simulation &sim, uint16_t place); // Does nothing for an honest peer.
// workload_asks.cpp
bool ask(Simulation &sim, uint16_t place, const SimChoice &choice);
void hear_asks(Node &node);   // Notes the asks among this tick's events in Node::asks.
void answer_asks(Node &node); // Replies to the requests among them.
// simulation_history.cpp: adds moments to Simulation::history, and those of `later` that are due.
void remember(Simulation &sim, MomentKind kind, uint16_t lane, uint16_t other,
              const std::string &label = {});
void remember_later(Simulation &sim, uint64_t time_us, MomentKind kind, uint16_t lane,
                    uint16_t other);
void remember_tick(Simulation &sim, uint16_t place); // Changes of objects, and messages.
void remember_violation(Simulation &sim);            // Call it at the end of a run.
// simulation_watch.cpp
// After a tick: finds what has changed, updates the digest, the counts and the history, and runs
// the oracles.
void watch(Simulation &sim, uint16_t place);

}
}
