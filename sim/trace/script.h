// A run as a list of choices: all that differs from a run in which nothing happens and every
// datagram arrives in order. The same list runs the same way to the last bit, and what is left of a
// list when some are taken out is a list, too.
#pragma once
#include "sim/world/faults.h"
#include "tern/types.h"
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tern {

enum class Act : uint8_t {
    // Of a place's game, at its first tick at or after `when`.
    create,  // thing, value: type and content.
    set,     // thing, value: content.
    sets,    // value: of so many of its objects, from an arbitrary one on.
    destroy, // thing.
    claim,   // thing.
    migrate, // At the host: thing to b.
    grant,   // At the host: b's claim for thing is granted, lasts_us after it was asked.
    refuse,  // At the host: the same claim is refused, lasts_us after it was asked.
    call,    // b, thing: reliably.
    whisper, // b, thing: unreliably; b equal to a: to everyone.
    release, // thing.
    lock,    // thing.
    unlock,  // thing.
    balance, // At the host: the type `value`.
    hope,    // thing: claims it with ClaimMode::optimistic.
    guess,   // thing, value: content. Sets what it has claimed so.
    ask,     // b, thing, value: a call that is answered, or not everybody's; see Ask.
    prefer,  // b, thing, value: its priority for b, of 256; 0 hides it.
    leave,   //
    remove,  // At the host: b.
    // Of the world, at `when`.
    start,   // A new peer in a place where nobody is. value 1: at a new address.
    crash,   // Of the peer nothing is left.
    pause,   // No tick for lasts_us.
    slow,    // For lasts_us a tick every `value` us.
    flood,   // No tick for lasts_us, while all others whisper to it `value` times a tick.
    skew,    // From now on its clock runs `value` ppm faster.
    jump,    // Its clock jumps ahead by `value` us.
    grain,   // From now on its clock moves in steps of `value` us.
    cut,     // For lasts_us nothing gets from a to b.
    clog,    // For lasts_us what a sends to b waits.
    mtu,     // For lasts_us what a sends to b and is above `value` bytes is lost.
    queue,   // For lasts_us a path from a to b takes `value` bytes per second, and queues 16 KiB.
    rebind,  // For lasts_us (0: for good) its address is another.
    full,    // For lasts_us its socket takes `value` datagrams of each tick.
    garbage, // A stranger sends bytes made of `value`.
    spoof,   // A stranger sends the newest handshake (value 0) or other datagram sent to a.
    nat,     // For lasts_us (0: for good) a and b have two ports of one other IP address.
    swap,    // For lasts_us (0: for good) a and b have each other's address.
    natted,  // For good it is behind a NAT: 0 restricted, 1 symmetric (sim/network/wire.h).
    sever,   // For good nothing gets from a to b, in the liveness phase too if others bridge them.
    // Of the network: what becomes of datagram number `when`, from 1, of those sent from a to b.
    lose,     //
    delay,    // By lasts_us.
    twice,    // It arrives again, lasts_us later. May be chosen several times.
    damage,   // Bit `value` modulo its size is flipped.
    truncate, // To `value` modulo its size bytes.
    replay    // One more from a to b: of those that c sent to d, number `value`, if still kept.
};
inline constexpr size_t act_count = static_cast<size_t>(Act::replay) + 1;
inline constexpr Act first_world_act = Act::start, first_network_act = Act::lose;

struct SimChoice {
    Act act;
    uint16_t a, b, c, d; // Places.
    uint32_t thing;      // An object, by the number that its create gives it. From 1; 0: none.
    uint64_t when;       // World time in us. Of the network's: the number of the datagram.
    uint64_t lasts_us;
    int64_t value;
    friend bool operator==(const SimChoice &, const SimChoice &) = default;
};

inline constexpr uint16_t places_max = 16;
inline constexpr uint32_t things_max = 1'000'000;

// What a run is made of beside its choices. Equal options and choices: equal runs.
struct SimOptions {
    uint64_t seed = 1;     // Of crypto, tick rates, latencies, the core; and of chance.
    uint16_t places = 4;   // 2 to places_max. At 0 is the host, from the beginning.
    uint32_t seconds = 20; // Of the safety phase.
    uint32_t objects = 40; // About so many are alive at once.
    uint32_t tick_us_low = 16'667, tick_us_high = 16'667;       // Drawn for each place.
    uint32_t latency_us_low = 20'000, latency_us_high = 20'000; // Drawn for each path.
    uint32_t timeout_ms = 2000, join_timeout_ms = 5000;
    uint32_t send_bytes_per_second_max = 256 * 1024;
    Topology topology = Topology::mesh;
    Faults faults = faults::none(); // For chance; a script has its choices.
    friend bool operator==(const SimOptions &a, const SimOptions &b);
};

struct Trace { // A run, as it is written down.
    SimOptions options;
    std::vector<SimChoice> choices;
    std::vector<uint64_t> hashes; // The running digest after every 1000 world events.
    uint64_t digest = 0;          // At the end. 0: not known.
};
inline constexpr uint64_t events_per_hash = 1000;

struct ParsedTrace {
    Trace trace;
    std::string error; // Empty, or line and what was expected there.
};

namespace script {

const char *name(Act act);
bool is_game(Act act);
bool is_world(Act act);
bool is_network(Act act);
SimChoice plain(const SimChoice &choice);   // Without what its act does not use.
std::string print(const SimChoice &choice); // One line, without its end.
std::string print(const Trace &trace);
ParsedTrace parse(std::string_view text);
// Any bytes are a run, of at most choices_max choices and 3 s. For fuzzing.
Trace from_bytes(std::span<const std::byte> bytes, size_t choices_max);
SimOptions swarm(uint64_t seed); // Options drawn from a seed, faults and all.

}
}
