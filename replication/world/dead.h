// The memory of the dead: ids that will never live again, as sorted ranges. Serials are dense and
// death is final, so there are about as many ranges as living objects between them.
#pragma once
#include "base/flat.h"
#include "tern/types.h"

namespace tern {

struct DeadRange {
    uint64_t first, last; // ObjectIds as integers, both included; of one creator.
};

using Dead = Flat<DeadRange>; // Sorted, disjoint, not touching within a creator.

namespace dead {

bool contains(const Dead &dead, ObjectId object);
// False, and nothing changes, if a new range is needed and there is no room.
bool add(Dead &dead, DeadRange range);

}
}
