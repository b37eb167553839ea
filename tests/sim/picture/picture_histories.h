// Histories written by hand, to be drawn.
#pragma once
#include "sim/picture/history.h"

namespace tern::histories {

// Two peers and no moments, drawn in steps.
History two_peers();
// The race of Bitsquid's article, as tern solves it.
History race();
// What the fix published there leaves: nine moves, found by exhaustive search.
History ghost();
// Five peers in real time: loss, doubled messages, a pause, a cut, a crash, a join.
History session();
// Longer than any picture, without a violation or with one.
History long_session(bool violated);
// Labels and names with all that XML does not like.
History hostile();

}
