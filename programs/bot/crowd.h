// Many bots on some threads: all join one after the other, play, rest until their worlds are equal,
// and leave. What they do is told by a census.
#pragma once
#include "player.h"
#include "round_trips.h"
#include <map>
#include <memory>

namespace bot {

enum class Phase : uint8_t {
    playing, // Each from when it is in.
    resting, // Nobody changes anything.
    leaving,
    over
};

struct Census {
    uint32_t waiting, joining, open, left; // Of all bots; with the next two.
    uint32_t failed;                       // Never came in.
    uint32_t lost;                         // Were in, and their session ended against their will.
    uint32_t unreachable;                  // Of the failed: nobody answered.
    bool types_refused;                    // Of one of the failed.
    std::map<std::string, uint32_t> ends;  // Why the failed and lost ended: how many each.
    Tally tally;
    tern::SocketStats sockets; // Of all bots together.
    uint64_t lost_datagrams;   // Of those sent, as far as told.
    uint64_t late_ticks;       // Began more than a tick too late: this machine is too slow.
    uint64_t worst_late_us;
    RoundTrips rtts; // Of all seconds so far.
    RoundTrips rtts_now;
    tern::PeerId host; // As one of the open sees it.
    uint64_t owned;    // Objects, by all bots together.
    // While resting.
    uint64_t awaiting;                    // Claims without an answer.
    std::map<uint64_t, uint32_t> digests; // Of their worlds: how many bots see each.
    uint64_t objects;                     // In the first of them.
};

struct Crowd; // Opaque: threads.

namespace crowd {

std::shared_ptr<Crowd> make(const Options &options); // They begin to join. `options` outlive it.
void enter(Crowd &crowd, Phase phase);
Census census(Crowd &crowd); // At most 200 ms old, if the threads keep up.

}
}
