// How many objects each member owns: to spread orphans, and to balance types.
#pragma once
#include "migration/replica.h"

namespace tern {

// By member slot: how many objects each owns, or is to be granted. Of one type, or of all.
struct Loads {
    uint32_t counts[members_max];
};

namespace loads {

Loads count(const Replica &r, int type); // A TypeId, or -1 for all types.
// Who may own and has least, the lowest of those.
MemberSlot least(const Replica &r, const Loads &loads);

}
}
