#include "sim/oracles/oracle_checks.h"

namespace tern::oracle_allocations {

Violation check(uint64_t before, uint64_t after, uint16_t index)
{
    if (before == after) return {};
    return oracles::violation("I11", ObjectId::none, index, "%llu allocations in one tick",
                              static_cast<unsigned long long>(after - before));
}

}
