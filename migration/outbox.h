// What is still to be said to each member, in order: queued as items, encoded when pulled, kept
// until acked.
#pragma once
#include "migration/replica_types.h"

namespace tern::outbox {

// Does nothing for nobody, oneself, a fenced member, or one that is given up. A grant named by the
// item is counted.
void push(Replica &r, MemberSlot to, const Item &item);
void push_to_all(Replica &r, const Item &item); // All members that are not fenced, but oneself.
void clear(Replica &r, MemberSlot to);          // It is no member any more.

}
