// Reports a caller's mistake in a function that has no session, and so no Config::misuse.
#pragma once
#include "base/printf_format.h"

namespace tern::mistake {

// Prints to stderr: "tern: advance(): The time went back. Pass a time that never goes back."
[[gnu::cold]] void print(const char *function, const char *wrong, const char *remedy);
// Prints it with what is wrong as a printf format. Gives false.
[[gnu::cold]] TERN_PRINTF(3, 4) bool report(const char *function, const char *remedy,
                                            const char *format, ...);

}
