// The table of the public surface in docs/performance.md.
#pragma once
#include "bench/report/results.h"

namespace bench {

bool has_surface(const Results &all); // Whether the sections of the public surface were measured.
// A line for each contender of tern: its ratios to the first contender of its table, which is
// ENet where the bench was built with ENet.
std::string surface_text(const Results &all);

}
