// Collects Lua's garbage, a part in each tick: enough to keep it below a tenth of Lua's memory, but
// only for a bounded time.
#pragma once
#include "scripts/state.h"

namespace tern::scripts {

// Processor time of a tick's collection. Its last step may exceed it.
inline constexpr uint32_t collector_us_max = 2000;

struct Collector {
    uint32_t us_max = collector_us_max;
    // How long the last whole cycle took, and how much the script allocates (smoothed).
    double cycle_us = 0, made_bytes_per_tick = 0;
    double this_cycle_us = 0;  // How long the present cycle has taken so far.
    size_t memory_bytes = 0;   // Lua's memory after the last tick's collection.
    bool is_automatic = false; // Until the next tick Lua collects on its own, too.
    // Statistics.
    uint64_t cycles = 0;
    uint64_t us = 0;          // The time of all ticks.
    uint32_t last_us = 0;     // The time of the last tick.
    uint64_t short_ticks = 0; // Ticks in which us_max was too short.
};

namespace collector {

// Collects all garbage and measures how long a cycle takes. From now on Lua collects in tick()
// only.
void begin(Collector &collector, LuaState &state);
// Call it once in each tick, after the script's functions.
void tick(Collector &collector, LuaState &state);

}
}
