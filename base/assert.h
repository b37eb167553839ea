// Asserts for mistakes of a programmer. Never assert what the network can cause: check it and
// reject the datagram.
#pragma once
#include "base/printf_format.h"

namespace tern {

[[noreturn]] void assert_failed(const char *file, int line, const char *condition,
                                const char *format, ...) TERN_PRINTF(4, 5);

}

// Active in all builds, also in release. Prints the message and aborts. Give the values:
// TERN_ASSERT(n < max, "n is %zu", n).
#define TERN_ASSERT(condition, ...)                                                                \
    ((condition) ? (void)0 : ::tern::assert_failed(__FILE__, __LINE__, #condition, __VA_ARGS__))

// For costly checks of whole structures. Active in tests, simulation and fuzzing only.
#ifdef TERN_SLOW_ASSERTS
#define TERN_SLOW_ASSERT(condition, ...) TERN_ASSERT(condition, __VA_ARGS__)
#else
#define TERN_SLOW_ASSERT(condition, ...) ((void)0)
#endif
