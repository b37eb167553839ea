// Collects the history of one room for its status: the last ownership changes, a sample each
// second, and totals that include peers that have left. Only the tick loop uses it.
//
// A session reports no event for objects that its own program creates or destroys. The list of
// changes therefore lacks the objects that the host itself creates, until they change owner, and
// the end of those that it destroys. Destroys by Orphan::destroy are listed. Object counts are
// complete, because they are counted from the live objects.
#pragma once
#include "host/http/status_types.h"
#include "tern/diagnostics.hpp"
#include <span>

namespace dedicated {

// The statistics of a peer at the last status().
struct CountedPeer {
    tern::PeerId id;
    uint64_t joined_us;
    tern::Stats stats;
};

struct Watch {
    std::vector<OwnershipChange> changes; // Oldest first, at most changes_max.
    std::vector<Sample> samples;          // Oldest first, at most samples_max.
    uint64_t next_sample_us = 0;
    uint64_t joined = 0, left = 0;
    std::array<uint64_t, tern::breach_kinds> misbehaved = {}; // Indexed by Breach.
    uint64_t opened_us = 0;         // The first call of a function below; 0 before it.
    std::vector<CountedPeer> peers; // The members at the last status(), ascending by id.
    Traffic traffic = {};
    RttStatus rtt = {};
};

namespace watch {

// Call it after each receive(), with its events. now_us is on the clock of HostStatus::now_us.
void note_events(Watch &watch, const tern::Session *session, std::span<const tern::Event> events,
                 uint64_t now_us);
// Fills the members of RoomStatus that come from the session and the watch. The room fills the
// rest: name, topology, port, peers_max, invite, takes_newcomers, draining, refused, recording and
// script. Takes a sample when a second has passed. Walks all objects and peers, so call it a few
// times a second, not in each tick.
RoomStatus status(Watch &watch, const tern::Session *session, std::span<const tern::Type> types,
                  uint64_t now_us);

}
}
