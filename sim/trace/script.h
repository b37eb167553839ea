// A run as a list of choices: each is a difference from a run in which no game acts and every
// datagram arrives in order. A list runs the same way every time, to the last bit. A list from
// which choices are removed is a valid list too.
#pragma once
#include "sim/world/faults.h"
#include "tern/types.hpp"
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tern {

// Each comment names the members of SimChoice that the act uses besides act, a and when.
enum class Act : uint8_t {
    // Acts of the game at place a, in its first tick at or after `when`.
    create,  // Creates thing; value: type and content.
    set,     // Sets thing; value: content.
    sets,    // Sets as many objects of its own as the low 16 bits of value; the rest: the first.
    destroy, // Destroys thing.
    claim,   // Claims thing.
    migrate, // On the host: gives thing to b.
    grant,   // On the host: grants b's claim of thing, lasts_us after its game was asked.
    refuse,  // On the host: refuses b's claim of thing, lasts_us after its game was asked.
    call,    // Calls b reliably, about thing.
    whisper, // Calls b unreliably, about thing; b equal to a: calls everyone.
    release, // Releases thing.
    lock,    // Locks thing.
    unlock,  // Unlocks thing.
    balance, // On the host: balances the type `value`.
    hope,    // Claims thing with ClaimMode::optimistic.
    guess,   // Sets thing, which it has claimed so; value: content.
    ask,     // Makes a call that is answered or restricted, to b, about thing; value: an Ask.
    prefer,  // Sets the priority of thing for b to value / 256; 0 hides it.
    glide,   // Moves up to `value` objects of its own, of a type with an error bound, by a step.
    lie,     // A liar sends b a message of its own making, drawn from value.
    leave,   // Leaves the session.
    remove,  // On the host: removes b.
    // Acts of the world, at `when`.
    start, // A new peer starts at a, which must be free. value 1: with a new address.
    crash, // The peer ends without a goodbye.
    pause, // The peer has no tick for lasts_us.
    slow,  // For lasts_us the peer ticks every `value` us.
    flood, // No tick for lasts_us, while each other peer calls it `value` times in each tick.
    skew,  // From now on the peer's clock runs `value` ppm faster.
    jump,  // The peer's clock jumps ahead by `value` us.
    grain, // From now on the peer's clock moves in steps of `value` us.
    cut,   // For lasts_us no datagram gets from a to b.
    clog,  // For lasts_us the datagrams from a to b wait.
    mtu,   // For lasts_us the datagrams from a to b above `value` bytes are lost.
    queue, // For lasts_us the path from a to b carries `value` bytes per second, and queues 16 KiB.
    rebind,  // For lasts_us (0: for good) the peer has another address.
    full,    // For lasts_us the peer's socket takes `value` datagrams of each tick.
    garbage, // A stranger sends random bytes, drawn from `value`, to a.
    spoof,   // A stranger repeats the newest initiation (value 0) or other datagram sent to a.
    nat,     // For lasts_us (0: for good) a and b have two ports of one other IP address.
    swap,    // For lasts_us (0: for good) a and b have each other's address.
    natted,  // The peer is behind a NAT for good; value: 0 restricted, 1 symmetric (wire.h).
    sever,   // Cuts a from b for good, in the liveness phase too if a member can bridge the two.
    // Acts of the network, on datagram number `when` (from 1) of those sent from a to b.
    lose,     // The datagram is lost.
    delay,    // The datagram arrives lasts_us later.
    twice,    // Another copy arrives, lasts_us later. May be chosen several times for one datagram.
    damage,   // Bit `value`, modulo the size, is flipped on the way.
    truncate, // The datagram is cut to `value` bytes, modulo its size.
    replay    // Datagram number `value` from c to d, if it is still kept, arrives at b too.
};
inline constexpr size_t act_count = static_cast<size_t>(Act::replay) + 1;
inline constexpr Act first_world_act = Act::start, first_network_act = Act::lose;

struct SimChoice {
    Act act;
    uint16_t a, b, c, d; // Places.
    uint32_t thing;      // The number that its create choice gives an object, from 1. 0: none.
    uint64_t when;       // World time in us. For acts of the network: the number of the datagram.
    uint64_t lasts_us;
    int64_t value;
    friend bool operator==(const SimChoice &, const SimChoice &) = default;
};

inline constexpr uint16_t places_max = 16;
inline constexpr uint32_t things_max = 1'000'000;

// The options of a run. Equal options and choices make equal runs.
struct SimOptions {
    uint64_t seed = 1;     // For keys, tick rates, latencies, the core, and all draws of a run.
    uint16_t places = 4;   // 2 to places_max. The first host starts at place 0.
    uint32_t seconds = 20; // The length of the safety phase.
    uint32_t objects = 40; // About how many objects live at once.
    uint32_t tick_us_low = 16'667, tick_us_high = 16'667;       // Drawn for each place.
    uint32_t latency_us_low = 20'000, latency_us_high = 20'000; // Drawn for each path.
    uint32_t timeout_ms = 2000, join_timeout_ms = 5000;
    uint32_t send_bytes_per_second_max = 256 * 1024;
    Topology topology = Topology::mesh;
    Quorum quorum = Quorum::majority;
    uint16_t liars = 0;             // The last so many places have liars; the first half has none.
    Faults faults = faults::none(); // Not used by a run with a script.
    friend bool operator==(const SimOptions &a, const SimOptions &b);
};

struct Trace { // A run, ready to be written as text.
    SimOptions options;
    std::vector<SimChoice> choices;
    std::vector<uint64_t> hashes; // The running digest after every 1000 world events.
    uint64_t digest = 0;          // The digest at the end. 0: not known.
};
inline constexpr uint64_t events_per_hash = 1000;

struct ParsedTrace {
    Trace trace;
    std::string error; // The line, and what was expected there. Empty: the text was valid.
};

namespace script {

const char *name(Act act);
bool is_game(Act act);
bool is_world(Act act);
bool is_network(Act act);
SimChoice plain(const SimChoice &choice);   // The choice with all members 0 that it does not use.
std::string print(const SimChoice &choice); // One line, without the line break.
std::string print(const Trace &trace);
ParsedTrace parse(std::string_view text);
// Turns any bytes into a run of at most choices_max choices and 3 s, for fuzzing.
Trace from_bytes(std::span<const std::byte> bytes, size_t choices_max);
SimOptions swarm(uint64_t seed); // All options, with faults, drawn from a seed.

}
}
