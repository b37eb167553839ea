// The event log of one tick. All changes of an object in one tick make one object_changed.
#pragma once
#include "migration/replica_types.h"

namespace tern::happenings {

void peer(Replica &r, EventKind kind, PeerId peer);
void host(Replica &r, PeerId host); // host_changed, unless our game knows this host already.
void created(Replica &r, Slot slot);
void changed(Replica &r, Slot slot, uint64_t fields);
// object_hidden or object_shown. Of several in one tick only the last one stays.
void seen(Replica &r, Slot slot, Sight sight);
// Makes the object visible until an UPDATE hides it. Call it when a tenure begins, or another peer
// begins to send us the object.
void show(Replica &r, Slot slot);
void destroyed(Replica &r, Slot slot);
void owner_changed(Replica &r, Slot slot, PeerId previous, uint64_t fields, uint32_t lost_ticks);
void orphaned(Replica &r, Slot slot); // Asks the host's game what to do with the object.
void claim(Replica &r, EventKind kind, ObjectId object, PeerId peer, ClaimRefusal refusal);
void clear(Replica &r); // Call it before world::sweep().

}
