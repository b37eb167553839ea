// Extrapolates a field from two of its states. The owner uses it to decide when an error bound
// requires an update, receivers use it in sample(); both must get the same result. The snapshot
// coder does not use it; see motion.h for its predictions.
#pragma once
#include "tern/types.hpp"

namespace tern::extrapolation {

// A field is extrapolated for ticks_max of the owner's ticks, returns to the newest state at the
// same rate during as many ticks, and then stays there. After a lost update, all peers therefore
// show the newest value in the end.
inline constexpr double ticks_max = 16;

// Position of `tick` between two states: 0 at the older one or before it, 1 at the newest. Beyond
// the newest it rises above 1 for ticks_max ticks and falls back to 1 in the next ticks_max. 1 if
// the ticks do not rise.
double progress(uint32_t older_tick, uint32_t newest_tick, double tick);
// Writes float_count() floats to `to`. float32: on the line through both states; quaternion: on the
// great circle through both.
void blend(const Field &field, const float *older, const float *newest, double progress, float *to);
bool is_beyond_bound(const Field &field, const float *a, const float *b);
size_t float_count(const Field &field);

}
