// What libFuzzer calls. TERN_FUZZ_TARGET is the function of the one target of this program.
#include "fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tern::fuzz::TERN_FUZZ_TARGET({data, size});
    return 0;
}
