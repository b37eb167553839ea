// Remembers what happens in one room, for its status: the last ownership changes, a sample each
// second, and totals that outlast the peers. Used by the tick loop alone.
//
// What a program creates and destroys itself makes no event, so a watch cannot see it: the changes
// lack objects that the host's own program creates, until they move, and the end of those that it
// destroys. (What a type's Orphan::destroy ends is there.) Counts are of what is alive, and lack
// nothing.
#pragma once
#include "host/http/status_types.h"
#include <span>

namespace dedicated {

// What was last counted of a peer.
struct CountedPeer {
    tern::PeerId id;
    uint64_t joined_us;
    tern::Stats stats;
};

struct Watch {
    std::vector<OwnershipChange> changes; // Oldest first, at most changes_max.
    std::vector<Sample> samples;          // The same, samples_max.
    uint64_t next_sample_us = 0;
    uint64_t joined = 0, left = 0;
    uint64_t opened_us = 0;         // 0: nothing was watched yet.
    std::vector<CountedPeer> peers; // Ascending; those of the last status().
    Traffic traffic = {};
    RttStatus rtt = {};
};

namespace watch {

// After each receive(), with its events. now_us: as HostStatus::now_us.
void note_events(Watch &watch, const tern::Session *session, std::span<const tern::Event> events,
                 uint64_t now_us);
// Fills what a session and the watch can tell: state to samples, joined and left. The rest (name,
// port, invite, ...) is the room's to fill. Takes a sample when a second has passed. Walks all
// objects and peers: for once a second, not for each tick.
RoomStatus status(Watch &watch, const tern::Session *session, std::span<const tern::Type> types,
                  uint64_t now_us);

}
}
