// Memory by way of the Allocator of a Config.
#pragma once
#include "tern/types.hpp"
#include <cstdlib>

namespace tern::memory {

// All zero. Null: there is none.
inline void *allocate(const Allocator &allocator, size_t size_bytes)
{
    return allocator.allocate ? allocator.allocate(allocator.user, size_bytes)
                              : std::calloc(size_bytes, 1);
}

inline void release(const Allocator &allocator, void *memory) // Null: nothing happens.
{
    if (!memory) return;
    if (allocator.release)
        allocator.release(allocator.user, memory);
    else
        std::free(memory);
}

}
