// Where a bounded field is taken to be at some tick, told by two states of it: by the owner to
// decide what it must tell, and by receivers to show it. Not by the coder of snapshots: motion.h.
#pragma once
#include "tern/types.h"

namespace tern::extrapolation {

// For so many of the owner's ticks it goes on; then it comes back as it went, and rests where the
// newest state says. So whatever was lost, what nobody tells of any more shows what was told last.
inline constexpr double ticks_max = 16;

// How far along the way from the older state, 0, over the newest, 1, a tick lies.
double progress(uint32_t older_tick, uint32_t newest_tick, double tick);
// float32: on the line through both; quaternion: on their great circle.
void blend(const Field &field, const float *older, const float *newest, double progress, float *to);
bool is_beyond_bound(const Field &field, const float *a, const float *b);
size_t float_count(const Field &field);

}
