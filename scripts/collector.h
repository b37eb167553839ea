// Lua's garbage, collected a little in each tick: as much as keeps it below a tenth of what Lua
// holds, and no longer than a bounded time.
#pragma once
#include "scripts/state.h"

namespace tern::scripts {

inline constexpr uint32_t collector_us_max = 2000; // Of the processor, in one tick; one step more.

struct Collector {
    uint32_t us_max = collector_us_max;
    // What a whole cycle takes, and what the script makes in a tick: as they were, smoothed.
    double cycle_us = 0, made_bytes_per_tick = 0;
    double this_cycle_us = 0;
    size_t memory_bytes = 0;   // When the last tick's collection ended.
    bool is_automatic = false; // In this tick Lua collects by itself, too.
    // For the curious.
    uint64_t cycles = 0;
    uint64_t us = 0;          // Spent, in all.
    uint32_t last_us = 0;     // In the last tick.
    uint64_t short_ticks = 0; // Those for which us_max was too little.
};

namespace collector {

// Collects all, and learns from it what a cycle takes. From here on Lua collects in tick() alone.
void begin(Collector &collector, LuaState &state);
// Once in each tick, behind the script.
void tick(Collector &collector, LuaState &state);

}
}
