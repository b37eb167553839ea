// The message queue of each member: items are encoded when they are pulled, in order, and kept
// until they are acked. See Item and ItemRing.
#pragma once
#include "migration/replica_types.h"

namespace tern::message_queue {

// Does nothing for no_member, this peer itself, a fenced member, one that is to be given up, or one
// that is not exchanges_objects_with(). When the queue is full, the member is given up. The item
// becomes a reference to its grant.
void push(Replica &r, MemberSlot to, const Item &item);
void push_to_all(Replica &r, const Item &item);
// Pushes a VIEW to all members. A VIEW that is the last item of a queue, not yet pulled, is
// replaced.
void push_view(Replica &r, const Item &item);
void clear(Replica &r, MemberSlot to); // The member is fenced or dropped.

// The work of replica::next_message(), is_unacked(), messages_acked() and, but for UPDATEs,
// rewind().
size_t pull(Replica &r, MemberSlot to, std::span<std::byte> buffer);
bool is_unacked(const Replica &r, MemberSlot to, MessageKind kind);
void acked(Replica &r, MemberSlot to, uint32_t count);
void rewind(Replica &r, MemberSlot to);

}
