// The roster: the list of members in a VIEW or WELCOME. Format: docs/wire_format.md, "The world
// stream".
#pragma once
#include "migration/replica.h"

namespace tern {

struct Roster {
    PeerId host; // The first member, which has the lowest id.
    uint32_t view;
    uint16_t term_number, last_peer;
    BitReader members; // Stands before the first member; for roster::read_next().
    uint32_t count;
};

struct Listed {
    PeerId id;
    bool votes, vote_is_new;
    bool has_identity; // The identity is present.
    Identity identity;
};

namespace roster {

// Writes the present view. Identities are included only if they are newer than the view `known`,
// which the receiver has; 0: all are included.
void write(BitWriter &w, const Replica &r, uint32_t known);
// Fails the reader if anything is wrong, or `self` is not listed. Else read_next() does not fail.
Roster read(BitReader &reader, const Replica &r, PeerId self);
// Reads a member into `listed`, which must hold the one before; all zero before the first.
void read_next(BitReader &members, Listed &listed);

}
}
