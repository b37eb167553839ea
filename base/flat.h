// Arrays of fixed capacity that lie in one block of memory with the struct that holds them. Each
// stores the distance to its elements instead of a pointer, so the block can be copied and hashed
// as bytes.
#pragma once
#include "base/assert.h"
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

namespace tern {

// All elements from `count` on are zero bytes, so that blocks with equal contents have equal
// hashes.
template <class T> struct Flat {
    static_assert(std::is_trivially_copyable_v<T>);
    ptrdiff_t _offset_bytes; // From this struct to the first element.
    uint32_t count;
    uint32_t capacity;

    T *begin()
    {
        return reinterpret_cast<T *>(reinterpret_cast<std::byte *>(this) + _offset_bytes);
    }
    const T *begin() const
    {
        return reinterpret_cast<const T *>(reinterpret_cast<const std::byte *>(this) +
                                           _offset_bytes);
    }
    T *end() { return begin() + count; }
    const T *end() const { return begin() + count; }
    T &operator[](size_t i)
    {
        TERN_SLOW_ASSERT(i < count, "index %zu of %u", i, count);
        return begin()[i];
    }
    const T &operator[](size_t i) const
    {
        TERN_SLOW_ASSERT(i < count, "index %zu of %u", i, count);
        return begin()[i];
    }
    std::span<T> all() { return {begin(), count}; }
    std::span<const T> all() const { return {begin(), count}; }
};

namespace flat {

// Assigns parts of a block to arrays, one after the other. With a null block it only measures.
struct Builder {
    std::byte *block;
    size_t used_bytes;
};

// With 32-bit pointers the arrays of a config may need more than there is. place() then gives this
// size, which memory::allocate() refuses.
inline constexpr size_t block_bytes_max = SIZE_MAX / 2;

// Assigns memory for `capacity` elements to `array`, which must itself lie in the block. The memory
// must be zero; the first `count` elements are in use. A null block sets the capacity only.
template <class T> void place(Builder &builder, Flat<T> &array, size_t capacity, size_t count = 0)
{
    TERN_ASSERT(capacity <= UINT32_MAX && count <= capacity, "capacity %zu", capacity);
    builder.used_bytes = (builder.used_bytes + alignof(T) - 1) / alignof(T) * alignof(T);
    array.capacity = static_cast<uint32_t>(capacity);
    if (builder.block) {
        array._offset_bytes =
            builder.block + builder.used_bytes - reinterpret_cast<std::byte *>(&array);
        array.count = static_cast<uint32_t>(count);
    }
    const bool fits = builder.used_bytes < block_bytes_max &&
                      capacity <= (block_bytes_max - builder.used_bytes) / sizeof(T);
    builder.used_bytes = fits ? builder.used_bytes + capacity * sizeof(T) : block_bytes_max;
}

template <class T> bool full(const Flat<T> &array)
{
    return array.count == array.capacity;
}

template <class T> T &push(Flat<T> &array, const T &value)
{
    TERN_ASSERT(array.count < array.capacity, "capacity %u", array.capacity);
    array.count += 1;
    return array[array.count - 1] = value;
}

template <class T> void pop(Flat<T> &array)
{
    TERN_ASSERT(array.count > 0, "empty");
    std::memset(static_cast<void *>(&array[array.count - 1]), 0, sizeof(T));
    array.count -= 1;
}

// Zeroes elements that are in use; they stay in use.
template <class T> void zero(Flat<T> &array, size_t first, size_t count)
{
    TERN_ASSERT(first + count <= array.count, "%zu and %zu of %u", first, count, array.count);
    if (count > 0) std::memset(static_cast<void *>(array.begin() + first), 0, count * sizeof(T));
}

// Replaces element i by the last one.
template <class T> void swap_and_pop(Flat<T> &array, size_t i)
{
    array[i] = array[array.count - 1];
    pop(array);
}

// Keeps the order of the rest.
template <class T> void insert(Flat<T> &array, size_t i, const T &value)
{
    TERN_ASSERT(array.count < array.capacity && i <= array.count, "at %zu of %u", i, array.count);
    std::memmove(static_cast<void *>(array.begin() + i + 1), array.begin() + i,
                 (array.count - i) * sizeof(T));
    array.count += 1;
    array[i] = value;
}

template <class T> void erase(Flat<T> &array, size_t i)
{
    TERN_ASSERT(i < array.count, "at %zu of %u", i, array.count);
    std::memmove(static_cast<void *>(array.begin() + i), array.begin() + i + 1,
                 (array.count - i - 1) * sizeof(T));
    pop(array);
}

template <class T> void clear(Flat<T> &array)
{
    if (array.count == 0) return; // Even memset() of 0 bytes can be slow on untouched memory.
    std::memset(static_cast<void *>(array.begin()), 0, array.count * sizeof(T));
    array.count = 0;
}

}
}
