// Memory by way of the Allocator of a Config.
#pragma once
#include "tern/types.hpp"

namespace tern::memory {

// All zero. Null: there is none, also for a size that flat::place() could not measure.
void *allocate(const Allocator &allocator, size_t size_bytes);
void release(const Allocator &allocator, void *memory); // Null: nothing happens.

}
