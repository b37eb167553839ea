// Counts what is allocated, so that tern-sim sees it if a session allocates in a tick; and
// what is resident.
#pragma once
#include <cstdint>

namespace sim::allocations {

// Rises with each. Null where it cannot be counted: without glibc, or under a sanitizer.
const uint64_t *count();
// From now on what is freed in large blocks goes back to the system, so that resident_kb() tells
// what is in use.
void give_back();
uint64_t resident_kb(); // Of this process. 0 where it cannot be told, or means nothing.

}
