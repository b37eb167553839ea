// Members that were removed. A key tells whether such a member has come back, under which id it was
// a member last, and which objects are held for it.
#pragma once
#include "session/session_types.h"

namespace tern::session {

bool is_former(const Session &s, const uint8_t *key);
// The id that the holder of this key had last. none: we know of no such member.
PeerId former_id(const Session &s, const uint8_t *key);
// The member is being removed. If it comes back, it is refused within refuse_former_us.
void note_former(Session &s, MemberSlot slot);
// Takes an owner_changed event: an object of a type with Orphan::hold is held for its last owner as
// long as no member but the hosts has owned it since.
void note_owner(Session &s, const Event &event, ObjectSlot slot);
// At the host: gives the objects that are held for this member, under a former id, back to it.
void give_back(Session &s, MemberSlot slot);

}
