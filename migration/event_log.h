// The events of one tick, merged where an object changes more than once.
#pragma once
#include "migration/replica_types.h"

namespace tern::happenings {

void peer(Replica &r, EventKind kind, PeerId peer);
void host(Replica &r, PeerId host); // It is in charge, if our game has not heard of that.
void created(Replica &r, Slot slot);
void changed(Replica &r, Slot slot, uint64_t fields);
void seen(Replica &r, Slot slot, Sight sight); // In a tick the last word counts.
// Of a new tenure, or of a new teller, an object is shown until there is word that it is not.
void show(Replica &r, Slot slot);
void destroyed(Replica &r, Slot slot);
void owner_changed(Replica &r, Slot slot, PeerId previous, uint64_t fields, uint32_t lost_ticks);
void orphaned(Replica &r, Slot slot); // Its game is asked what shall become of it.
void claim(Replica &r, EventKind kind, ObjectId object, PeerId peer, ClaimRefusal refusal);
void clear(Replica &r);

}
