// The list of what waits for each member; see QueueEntry. An entry only names what is to be sent:
// message_queue encodes it from the state at the moment at which it is pulled.
#pragma once
#include "migration/replica_types.h"

namespace tern::queue_entries {

// The number of an entry in a member's list.
inline uint32_t of(Control control)
{
    return static_cast<uint32_t>(control);
}
inline uint32_t of(ObjectSlot slot)
{
    return control_count + slot;
}
inline bool is_control(uint32_t entry)
{
    return entry < control_count;
}
inline ObjectSlot slot_of(uint32_t entry) // Not for a control.
{
    return entry - control_count;
}

uint32_t first(const Replica &r, MemberSlot member); // 0: nothing waits.
uint32_t next(const Replica &r, MemberSlot member, uint32_t entry);
uint8_t waiting(const Replica &r, MemberSlot member, uint32_t entry); // 0: it is not in the list.
// Adds these Waiting bits. The entry goes to the end of the list, unless it is in it already.
void append(Replica &r, MemberSlot member, uint32_t entry, uint8_t bits);
// Likewise, but the entry goes to the front, or directly behind `behind`, from wherever it is.
void prepend(Replica &r, MemberSlot member, uint32_t entry, uint8_t bits, uint32_t behind = 0);
// Removes these bits; without any left, the entry leaves the list. Nothing happens to others.
void remove(Replica &r, MemberSlot member, uint32_t entry, uint8_t bits);

}
