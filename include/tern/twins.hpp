// Twins: structs of C++ that lie in memory as their namesakes of tern.h do. C++ passes them
// to the functions of tern.h as they are.
#pragma once
#if __cplusplus < 202002L && (!defined(_MSVC_LANG) || _MSVC_LANG < 202002L)
#error "tern's C++ headers need C++20: compile with -std=c++20 or a later one (C: tern/tern.h)"
#endif
#include "tern/tern.h"
#include <span>
#include <type_traits>

#define TERN_TWINS(Cpp, C)                                                                         \
    static_assert(sizeof(Cpp) == sizeof(C) && alignof(Cpp) == alignof(C));                         \
    inline const C *to_c(const Cpp *twin) { return reinterpret_cast<const C *>(twin); }            \
    inline C *to_c(Cpp *twin) { return reinterpret_cast<C *>(twin); }                              \
    inline const Cpp *to_cpp(const C *twin) { return reinterpret_cast<const Cpp *>(twin); }        \
    inline Cpp *to_cpp(C *twin) { return reinterpret_cast<Cpp *>(twin); }                          \
    static_assert(std::is_trivially_copyable_v<Cpp>)

namespace tern {

// Makes a span of what a function of C gives as a count and a pointer to twins of Cpp.
template <class Cpp, class C, class From>
std::span<const Cpp> span_of(size_t (*give)(From *, const C **), std::type_identity_t<From> *from)
{
    const C *first = nullptr;
    const size_t count = give(from, &first);
    return {reinterpret_cast<const Cpp *>(first), count};
}

template <class Cpp, class C, class From, class Argument>
std::span<const Cpp> span_of(size_t (*give)(From *, Argument, const C **),
                             std::type_identity_t<From> *from,
                             std::type_identity_t<Argument> argument)
{
    const C *first = nullptr;
    const size_t count = give(from, argument, &first);
    return {reinterpret_cast<const Cpp *>(first), count};
}

}
