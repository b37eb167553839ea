// How many objects each member owns: to spread orphans, and to balance types.
#pragma once
#include "migration/replica.h"

namespace tern {

// Objects per member slot. A requested transfer counts for the requested owner.
struct Loads {
    uint32_t counts[members_max];
};

namespace loads {

Loads count(const Replica &r, int type); // type: a TypeId, or -1 for all types.
// The member with the fewest objects among those that have caught up and so may own some; of
// several, the one with the lowest id.
MemberSlot least(const Replica &r, const Loads &loads);

}
}
