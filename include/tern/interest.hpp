// These functions say which peer gets which objects, and how often. docs/use/interest.md.
#pragma once
#include "tern/interest.h"
#include "tern/types.hpp"

namespace tern {

// The position from which a peer sees the world, for set_interest().
struct Viewpoint {
    PeerId peer;
    float position[3]; // In the unit of the position field; only as many numbers as it has.
};

TERN_TWINS(Viewpoint, tern_viewpoint);

// Sets how often `peer` is updated about `object`. Call it on the peer that sends the updates: the
// owner, or the host in a star. An object is due 1 / priority ticks after its last update; if
// bandwidth is short, the objects with the largest product of waiting time and priority go first.
// The priority starts at 1 and is reset to 1 when the owner (in a star, also the host) changes. It
// must be at least 0; values above 255 count as 255. 0 hides the object: the peer gets
// object_hidden and keeps the last value, but still learns owner changes and destruction. Any other
// priority shows it again. False, and nothing happens, if the object does not exist, or if `peer`
// is not a member to which this peer sends the object. docs/use/interest.md.
inline bool set_priority(Session *session, ObjectId object, PeerId peer, float priority)
{
    return tern_set_priority(session, to_c(object), to_c(peer), priority) == TERN_OK;
}

// Whether its sender hides it from us.
inline bool is_hidden(const Session *session, ObjectId object)
{
    return tern_is_hidden(session, to_c(object));
}

// Area of interest: sets the priorities of all objects of a type that this peer sends, by distance
// from each viewpoint (at most one for each peer). Objects within near_distance are updated
// in every tick in which they change, farther ones every second tick, those beyond twice
// near_distance every third, and so on (priority 1/2, 1/3, ...). Beyond far_distance they are
// hidden, and shown again at 0.9 of it. `position` is the index of a float32 field of 1 to 3
// numbers; 0 < near_distance <= far_distance, in its unit. Viewpoints of peers that are not members
// are ignored. Costs: docs/use/interest.md.
inline bool set_interest(Session *session, TypeId type, uint16_t position,
                         std::span<const Viewpoint> viewpoints, float near_distance,
                         float far_distance)
{
    return tern_set_interest(session, type, position, to_c(viewpoints.data()), viewpoints.size(),
                             near_distance, far_distance) == TERN_OK;
}

}
