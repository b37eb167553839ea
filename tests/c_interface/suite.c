// The tests of the C headers, in C99. Compiled by compile.sh with each compiler, and as C++.
#include "tests/c_interface/suite.h"

int failures = 0;

void check(bool holds, const char *text, const char *file, int line)
{
    if (holds) return;
    failures += 1;
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, text);
}

int main(void)
{
    test_configs();
    test_sized_structs();
    test_memory();
    test_objects();
    test_many_objects();
    test_claims();
    test_calls();
    test_misuse();
    test_admission();
    test_sockets();
    test_values();
    test_discovery();
    printf("%d failures\n", failures);
    return failures == 0 ? 0 : 1;
}
