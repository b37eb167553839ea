// Who belongs to the session, as a VIEW and a WELCOME tell it. docs/wire_format.md.
#pragma once
#include "migration/replica.h"

namespace tern {

struct Roster {
    PeerId host; // The lowest.
    uint32_t view;
    uint16_t term_number, last_peer;
    BitReader members; // At the first; roster::read_next().
    uint32_t count;
};

struct Listed {
    PeerId id;
    bool votes, vote_is_new;
    bool is_told; // Who it is.
    Identity identity;
};

namespace roster {

// Of whom no view before this one has told: who it is. `known`: the view that is known already.
void write(BitWriter &w, const Replica &r, uint32_t known);
// `self`: who we are in it. Fails the reader if anything is wrong; else read_next() does not fail.
Roster read(BitReader &reader, const Replica &r, PeerId self);
void read_next(BitReader &members, Listed &listed); // Zero before the first.

}
}
