// A shortage: an object finds no room here, although the leases of all members leave room for all
// that may be created. Then a member of this mesh has shown this peer more objects than its lease
// allows, and has hidden them from the host, which alone knows the leases. This peer asks the host
// for them, charges whoever exceeds its lease, and destroys what is too much.
//
// The messages of the host may wait for the same room. So question and answer are unreliable
// messages (docs/wire_format.md, "Notices"); questions are repeated until all is answered.
#pragma once
#include "migration/replica.h"

namespace tern::shortage {

// An object of this type has found no room.
void begin(Replica &r, TypeId type);
// An object that the member in this slot had created has died.
void died(Replica &r, MemberSlot creator, TypeId type);
void forget(Replica &r, MemberSlot member); // The member has gone.
// Whether this peer knows that the member has room for no further object of the type. Only a
// member that has exceeded its lease is known so well.
bool is_full(const Replica &r, MemberSlot member, TypeId type);

}
