// TERN_PRINTF: lets the compiler check the arguments of a function that takes a format.
#pragma once

#if defined(__MINGW32__) // There the compiler takes "printf" for that of an old C library.
#define TERN_PRINTF(at, values_at) __attribute__((format(gnu_printf, at, values_at)))
#elif defined(__GNUC__)
#define TERN_PRINTF(at, values_at) __attribute__((format(printf, at, values_at)))
#else
#define TERN_PRINTF(at, values_at)
#endif
