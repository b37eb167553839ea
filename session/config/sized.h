// Structs that begin with struct_size: their caller may know fewer members, or more.
#pragma once
#include "tern/types.hpp"
#include <algorithm>
#include <cstring>

namespace tern::sized {

// Whether this can be the size of T in any version: pointers in the struct need its alignment.
template <class T> bool is_sized(size_t struct_size)
{
    return struct_size >= 8 && struct_size % alignof(T) == 0;
}

// Members that the caller does not know are zero.
template <class T> T known_part(const T *given, size_t struct_size)
{
    T copy;
    std::memset(static_cast<void *>(&copy), 0, sizeof copy);
    std::memcpy(static_cast<void *>(&copy), given, std::min(struct_size, sizeof copy));
    if constexpr (requires { copy.struct_size; }) copy.struct_size = sizeof copy;
    return copy;
}

// Element i of an array, all of whose structs have this size.
template <class T> T element(const T *first, size_t struct_size, size_t i)
{
    const auto *bytes = reinterpret_cast<const std::byte *>(first);
    return known_part(reinterpret_cast<const T *>(bytes + i * struct_size), struct_size);
}

// Fills as much of the caller's struct as the caller knows.
template <class T, class C> tern_result give(T from, C *to)
{
    static_assert(sizeof(T) == sizeof(C));
    from.struct_size = to->struct_size;
    std::memcpy(to, &from, std::min<size_t>(to->struct_size, sizeof from));
    return TERN_OK;
}

}
