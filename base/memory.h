// Memory by way of the Allocator of a Config.
#pragma once
#include "tern/types.hpp"

namespace tern::memory {

void *allocate(const Allocator &allocator, size_t size_bytes); // All zero. Null: there is none.
void release(const Allocator &allocator, void *memory);        // Null: nothing happens.

}
