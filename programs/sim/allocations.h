// Counts allocations, so that tern-sim notices when a session allocates in a tick, and measures
// resident memory.
#pragma once
#include <cstdint>

namespace sim::allocations {

// Points to the number of allocations so far. Null: they cannot be counted, because the program
// runs without glibc or under a sanitizer.
const uint64_t *count();
// From now on freed blocks of 256 KiB or more go back to the system, so that resident_kb() shows
// what is in use.
void give_back();
uint64_t resident_kb(); // KiB of this process. 0: not known, or without meaning.

}
