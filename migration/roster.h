// The roster: the list of members in a VIEW or WELCOME. Format: docs/wire_format.md, "The world
// stream".
#pragma once
#include "migration/replica.h"
#include <span>

namespace tern {

struct Roster {
    PeerId host; // The first member, which has the lowest id.
    uint32_t view;
    uint16_t term_number, last_peer;
    std::span<const Listed> members; // In Arrived::members.
};

namespace roster {

// Writes the present view. Identities are included only if they are newer than the view `known`,
// which the receiver has; 0: all are included.
void write(BitWriter &w, const Replica &r, uint32_t known);
// Fails the reader if anything is wrong, or `self` is not listed.
Roster read(BitReader &reader, Replica &r, PeerId self);

}
}
