#include "sim/oracles/oracle_checks.h"
#include "tern/traffic.hpp"

namespace tern::oracle_charges {

Violation check(uint64_t handed_out_bits, std::span<const TrafficRow> rows, uint16_t index)
{
    int64_t sum = 0;
    for (const TrafficRow &row : rows) {
        sum += row.bits;
        if (row.bits < 0 && row.kind != TrafficKind::unsent)
            return oracles::violation("I17", ObjectId::none, index, "%lld bits of %s, type %u",
                                      static_cast<long long>(row.bits), to_text(row.kind),
                                      static_cast<unsigned>(row.type));
    }
    if (sum == static_cast<int64_t>(handed_out_bits)) return {};
    return oracles::violation(
        "I17", ObjectId::none, index, "%lld bits are charged, and %llu were handed out",
        static_cast<long long>(sum), static_cast<unsigned long long>(handed_out_bits));
}

}
