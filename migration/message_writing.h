// The messages to a member, encoded from the present state when they are pulled.
#pragma once
#include "migration/replica_types.h"

namespace tern::message_writing {

// Writes one message about the first entry that waits for the member, and notes in
// Outbox::unacked what is in flight. Writes nothing if the entry has become pointless. Removes
// entries as soon as nothing is left to send for them.
void write_first(BitWriter &w, Replica &r, MemberSlot to);

}
