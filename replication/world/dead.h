// Tombstones: the ids of destroyed objects, which are never used again, as sorted ranges. Serials
// are dense and destruction is final, so there are about as many ranges as living objects between
// them.
#pragma once
#include "base/flat.h"
#include "tern/types.hpp"

namespace tern {

struct DeadRange {
    uint64_t first, last; // Object ids as integers, both included, with the same creator.
};

using Dead = Flat<DeadRange>; // Sorted and disjoint; ranges of one creator do not touch.

namespace dead {

bool contains(const Dead &dead, ObjectId object);
bool contains_all(const Dead &dead, DeadRange range);
bool contains_any_of(const Dead &dead, PeerId creator);
// The range of `dead` that contains this one.
DeadRange run(const Dead &dead, DeadRange range);
// False: a new range is needed and there is no room; nothing changed.
bool add(Dead &dead, DeadRange range);

// Makes room: a creator gives its serials one by one, so all ids between two of its tombstones are
// alive or dead in the end. For each living object, call has_living(); then widen() makes one range
// of ranges with nothing alive between them, for the creator that has left the most such gaps.
void has_living(Dead &dead, ObjectId object);
void widen(Dead &dead);

}
}
