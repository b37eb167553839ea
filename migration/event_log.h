// The event log of one tick. All changes of an object in one tick make one object_changed.
#pragma once
#include "migration/replica_types.h"
#include "tern/diagnostics.hpp"

namespace tern::event_log {

void peer(Replica &r, EventKind kind, PeerId peer); // The kind is one that sets Event::peer.
void joined(Replica &r, PeerId newcomer);           // The session adds the name and the former id.
void misbehaved(Replica &r, PeerId peer, Breach breach, PeerId reporter); // none: found here.
void host(Replica &r, PeerId host); // host_changed, unless our game knows this host already.
void created(Replica &r, ObjectSlot slot);
void changed(Replica &r, ObjectSlot slot, uint64_t fields);
// object_hidden or object_shown. Of several in one tick only the last one stays.
void visibility_changed(Replica &r, ObjectSlot slot, VisibilityChange visibility);
// Makes the object visible until an UPDATE hides it. Call it when a tenure begins, or another peer
// begins to send us the object.
void show(Replica &r, ObjectSlot slot);
void destroyed(Replica &r, ObjectSlot slot);
void owner_changed(Replica &r, ObjectSlot slot, PeerId previous, uint64_t fields,
                   uint32_t lost_ticks);
void orphaned(Replica &r, ObjectSlot slot); // Asks the host's game what to do with the object.
void claim(Replica &r, EventKind kind, ObjectId object, PeerId claimer, ClaimRefusal refusal);
void clear(Replica &r); // Call it before world::sweep().

}
