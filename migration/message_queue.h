// What is still to be said to each member, in order: queued as items, encoded when pulled, kept
// until acked.
#pragma once
#include "migration/replica_types.h"

namespace tern::outbox {

// Does nothing for nobody, oneself, a fenced member, or one that is given up. A grant named by the
// item is counted.
void push(Replica &r, MemberSlot to, const Item &item);
void push_to_all(Replica &r, const Item &item); // All members that are not fenced, but oneself.
// The same, but a view that is last in a queue and not yet pulled gives its place to this one.
void push_view(Replica &r, const Item &item);
void clear(Replica &r, MemberSlot to); // It is no member any more.

// As replica::next_message(), is_unacked(), messages_acked(), rewind(), which also rewinds UPDATEs.
size_t pull(Replica &r, MemberSlot to, std::span<std::byte> buffer);
bool is_unacked(const Replica &r, MemberSlot to, MessageKind kind);
void acked(Replica &r, MemberSlot to, uint32_t count);
void rewind(Replica &r, MemberSlot to);

}
