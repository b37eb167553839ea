// Calls of a client to its host over the simulated network.
#pragma once
#include "bench/surface/sim_world.h"

namespace bench::surface {

enum class CallKind : uint8_t { unreliable, reliable, request };

struct CallTotals {
    double p50_ms, p99_ms, max_ms;
    uint64_t sent, delivered;
    bool wrong; // A reliable call or a request was lost, or calls that must be in order are not.
};

namespace sim_calls {

const char *name(CallKind kind);
CallTotals run(CallKind kind, const Weather &weather, uint32_t ticks);

}
}
