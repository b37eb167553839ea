#include "base/assert.h"
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace tern {

void assert_failed(const char *file, int line, const char *condition, const char *format, ...)
{
    std::fprintf(stderr, "%s:%d: tern assert failed: %s: ", file, line, condition);
    va_list values;
    va_start(values, format);
    std::vfprintf(stderr, format, values);
    va_end(values);
    std::fputc('\n', stderr);
    std::abort();
}

}
