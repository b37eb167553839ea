// The two asserts: for a programmer's mistake, never for what the wire brings.
#pragma once

namespace tern {

[[noreturn]] void assert_failed(const char *file, int line, const char *condition,
                                const char *format, ...) __attribute__((format(printf, 4, 5)));

}

// Stays on in release. The message names the values: TERN_ASSERT(n < max, "n is %zu", n).
#define TERN_ASSERT(condition, ...)                                                                \
    ((condition) ? (void)0 : ::tern::assert_failed(__FILE__, __LINE__, #condition, __VA_ARGS__))

// Costly checks of whole structures: on in tests, simulation and fuzzing.
#ifdef TERN_SLOW_ASSERTS
#define TERN_SLOW_ASSERT(condition, ...) TERN_ASSERT(condition, __VA_ARGS__)
#else
#define TERN_SLOW_ASSERT(condition, ...) ((void)0)
#endif
