// Counts what is allocated, so that tern-sim sees it if a session allocates in a tick.
#pragma once
#include <cstdint>

namespace sim::allocations {

// Rises with each. Null where it cannot be counted: without glibc, or under a sanitizer.
const uint64_t *count();

}
