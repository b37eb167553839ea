// What may go wrong in a run, and what its games do: one entry per kind, each with a range.
// Text: "none", "swarm", or a list as "loss=20..50,crash=2,destroy=0" on top of none.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tern {

// Rates are drawn for each path, counts for the run, weights for each place; all between low and
// high. So a range alone makes paths and peers unlike each other.
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
    ring, // Behind the games, so that what is drawn for all others stays what it was.
    swizzle,
    nat,
    swap,
    acks,
    cutpair,
    natted,
    ask,
    prefer
};
inline constexpr size_t fault_kind_count = static_cast<size_t>(FaultKind::prefer) + 1;

struct FaultRange {
    bool on;
    uint32_t low, high;
};

struct Faults {
    FaultRange ranges[fault_kind_count]; // By FaultKind.
};

struct FaultText {
    const char *name;
    const char *unit;          // Of low and high.
    uint32_t low, high;        // Where only the name is given.
    uint32_t swarm_low, bound; // What swarm draws lies between these. bound: of any range.
    const char *meaning;
};

struct ParsedFaults {
    Faults faults;
    std::string error; // Empty if the text was a list of faults.
};

namespace faults {

bool is_game(FaultKind kind);  // What games do: no fault.
bool is_count(FaultKind kind); // A fault that happens so many times in a run, and no rate.
const FaultText &text(FaultKind kind);
const FaultRange &range(const Faults &faults, FaultKind kind);
FaultRange &range(Faults &faults, FaultKind kind);
Faults none();               // No fault; games as in everyday play.
Faults drawn(uint64_t seed); // Swarm: a coin removes each kind, the rest get ranges.
ParsedFaults parse(std::string_view text, uint64_t seed);
std::string print(const Faults &faults); // For parse().
std::string names();                     // Of all kinds, with commas between.
std::string help();                      // One line for each kind.

}
}
