// emscripten 3.1.6 has libc++ 13, which lacks std::bit_cast. emscripten.cmake includes this file
// before all others.
#pragma once
#ifdef __cplusplus
#include <bit>
#include <version>

#ifndef __cpp_lib_bit_cast
namespace std {

template <class To, class From> constexpr To bit_cast(const From &from) noexcept
{
    return __builtin_bit_cast(To, from);
}

}
#endif
#endif
