// Many bots on a few threads. They join one after the other, play, rest until their worlds are
// equal, and leave. A census reports their progress.
#pragma once
#include "player.h"
#include "round_trips.h"
#include <map>
#include <memory>

namespace bot {

enum class Phase : uint8_t {
    playing, // Bots join, and play once they have joined.
    resting, // Bots change nothing, so that their worlds become equal.
    leaving, // Bots leave, one after the other.
    over     // The threads end.
};

struct Census {
    // Counts of bots. These four, failed and lost add up to all bots.
    uint32_t waiting, joining, open, left;
    uint32_t failed;                      // Bots that never joined.
    uint32_t lost;                        // Bots that joined and whose session then failed.
    uint32_t unreachable;                 // The part of `failed` that got no answer.
    bool types_refused;                   // One of the failed bots was refused for its types.
    std::map<std::string, uint32_t> ends; // How many failed and lost bots ended for each reason.
    Tally tally;
    tern::SocketStats sockets; // Sum over all bots.
    uint64_t lost_datagrams;   // Sent datagrams that the connections declared lost.
    uint64_t late_ticks;       // Ticks that began over a tick late: this machine is too slow.
    uint64_t worst_late_us;
    uint64_t longest_tick_us;                 // What receiving, acting and sending of one bot took.
    Charges charges;                          // Sum over all bots.
    std::map<tern::PeerId, uint64_t> left_us; // When the last bot knew that this peer had left.
    RoundTrips rtts;                          // Since the start.
    RoundTrips rtts_now;                      // The latest sample; one is taken each second.
    tern::PeerId host;                        // According to one of the open bots.
    uint64_t owned;                           // Objects that the bots own, all together.
    uint64_t awaiting;                        // Claims without an answer.
    // Only while resting.
    std::map<uint64_t, uint32_t> digests; // How many bots have each tern::digest().
    uint64_t objects;                     // Objects in the first of these worlds.
};

struct Crowd; // Opaque. The threads end with the last copy of its pointer.

namespace crowd {

std::shared_ptr<Crowd> make(const Options &options); // Bots begin to join. Keeps `options`.
void enter(Crowd &crowd, Phase phase);
Census census(Crowd &crowd); // Up to 200 ms old; older if the threads are too slow.

}
}
