// The faults of a run and the acts of its games: one entry for each kind, each with a range.
// Their text is "none", "swarm", or a list that changes one of these: the list
// "loss=20..50,crash=2,destroy=0" changes none, "swarm,loss=20" changes swarm.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tern {

// Between low and high of its range, a rate is drawn for each path, a count once for the run, and a
// weight of the games for each place. So paths and peers differ from each other.
enum class FaultKind : uint8_t {
    loss,
    burst,
    delay,
    late,
    twice,
    damage,
    truncate,
    replay,
    start,
    crash,
    pause,
    slow,
    flood,
    skew,
    jump,
    grain,
    cut,
    partition,
    clog,
    mtu,
    queue,
    rebind,
    full,
    garbage,
    spoof,
    leave,
    remove,
    refuse,
    create,
    brief,
    set,
    sets,
    destroy,
    claim,
    crowd,
    migrate,
    pingpong,
    hot,
    call,
    whisper,
    release,
    lock,
    balance,
    hope,
    ring, // New kinds come last: the draws of a kind depend on its number.
    swizzle,
    nat,
    swap,
    acks,
    cutpair,
    natted,
    ask,
    prefer,
    glide
};
inline constexpr size_t fault_kind_count = static_cast<size_t>(FaultKind::glide) + 1;

struct FaultRange {
    bool on;
    uint32_t low, high;
};

struct Faults {
    FaultRange ranges[fault_kind_count]; // Indexed by FaultKind.
};

struct FaultText {
    const char *name;
    const char *unit;   // The unit of all limits.
    uint32_t low, high; // The range if a list gives the name only.
    // swarm_low: the least that swarm draws. bound: the most that any range may contain.
    uint32_t swarm_low, bound;
    const char *meaning;
};

struct ParsedFaults {
    Faults faults;
    std::string error; // Empty: the text was valid.
};

namespace faults {

bool is_game(FaultKind kind);  // An act of games, not a fault.
bool is_count(FaultKind kind); // The range is a number of times in a run, not a rate.
const FaultText &text(FaultKind kind);
const FaultRange &range(const Faults &faults, FaultKind kind);
FaultRange &range(Faults &faults, FaultKind kind);
Faults none();               // No faults; the games do what they usually do.
Faults drawn(uint64_t seed); // swarm: half of the kinds, with random ranges.
ParsedFaults parse(std::string_view text, uint64_t seed);
std::string print(const Faults &faults); // For parse().
std::string names();                     // The names of all kinds, separated by commas.
std::string help();                      // One line for each kind.

}
}
