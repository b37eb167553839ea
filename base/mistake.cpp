#include "base/mistake.h"
#include <cstdarg>
#include <cstdio>

namespace tern::mistake {

void print(const char *function, const char *wrong, const char *remedy)
{
    std::fprintf(stderr, "tern: %s(): %s %s\n", function, wrong, remedy);
}

bool report(const char *function, const char *remedy, const char *format, ...)
{
    char wrong[256];
    va_list values;
    va_start(values, format);
    std::vsnprintf(wrong, sizeof wrong, format, values);
    va_end(values);
    print(function, wrong, remedy);
    return false;
}

}
