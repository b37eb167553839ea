// Remembers what happens in one room, for its status: the last ownership changes, a sample each
// second. Used by the tick loop alone.
#pragma once
#include "host/status_types.h"
#include <span>

namespace dedicated {

struct Watch {
    std::vector<OwnershipChange> changes; // Oldest first, at most changes_max.
    std::vector<Sample> samples;          // The same, samples_max.
    uint64_t joined = 0, left = 0;
};

namespace watch {

// After each receive(), with its events. now_us: as HostStatus::now_us.
void note_events(Watch &watch, const tern::Session *session, std::span<const tern::Event> events,
                 uint64_t now_us);
// Fills what a session and the watch can tell: state to samples, joined and left. The rest (name,
// port, invite, ...) is the room's to fill. Takes a sample when a second has passed.
RoomStatus status(Watch &watch, const tern::Session *session, std::span<const tern::Type> types,
                  uint64_t now_us);

}
}
