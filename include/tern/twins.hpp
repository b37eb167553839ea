// Twins: structs of types.hpp that lie in memory as their namesakes of tern.h do. C++ passes them
// to the functions of tern.h as they are.
#pragma once
#include "tern/tern.h"
#include <type_traits>

#define TERN_TWINS(Cpp, C)                                                                         \
    static_assert(sizeof(Cpp) == sizeof(C) && alignof(Cpp) == alignof(C));                         \
    inline const C *to_c(const Cpp *twin)                                                          \
    {                                                                                              \
        return reinterpret_cast<const C *>(twin);                                                  \
    }                                                                                              \
    inline C *to_c(Cpp *twin)                                                                      \
    {                                                                                              \
        return reinterpret_cast<C *>(twin);                                                        \
    }                                                                                              \
    inline const Cpp *to_cpp(const C *twin)                                                        \
    {                                                                                              \
        return reinterpret_cast<const Cpp *>(twin);                                                \
    }                                                                                              \
    inline Cpp *to_cpp(C *twin)                                                                    \
    {                                                                                              \
        return reinterpret_cast<Cpp *>(twin);                                                      \
    }                                                                                              \
    static_assert(std::is_trivially_copyable_v<Cpp>)
