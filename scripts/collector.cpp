#include "scripts/collector.h"
#include <algorithm>

namespace tern::scripts::collector {

// A cycle does not free what is allocated while it runs, so up to two cycles' allocations are
// garbage. A cycle is to last memory / (30 * made_bytes_per_tick) ticks, so that this is a
// fifteenth of the memory. The difference to a tenth is for cycles that take longer than the one
// before.
static constexpr double cycles_in_memory = 30;
// If a tick allocates more than a fourth of the memory, the pace is too slow, and Lua must collect
// on its own.
static constexpr size_t automatic_part = 4;

void begin(Collector &collector, LuaState &state)
{
#if LUA_VERSION_NUM >= 504
    lua_gc(state.lua, LUA_GCINC, 0, 0, 10); // Steps of 1 KiB.
#endif
    lua_gc(state.lua, LUA_GCCOLLECT, 0);
    // A cycle is measured as tick() makes it: where the clock is slow, reading it after each step
    // takes as long as the step.
    const uint64_t begun_us = processor_us();
    double spent_us = 0;
    for (bool ended = false; !ended; spent_us = static_cast<double>(processor_us() - begun_us))
        ended = lua_gc(state.lua, LUA_GCSTEP, 0) != 0;
    collector.cycle_us = std::max(1.0, spent_us);
    collector.memory_bytes = state.memory_bytes;
    lua_gc(state.lua, LUA_GCSTOP, 0);
}

// How long to collect in this tick, to keep pace with what the script allocates.
static double due_us(const Collector &collector, const LuaState &state)
{
    const double memory = static_cast<double>(state.memory_bytes) + 1;
    return collector.cycle_us * cycles_in_memory * collector.made_bytes_per_tick / memory;
}

void tick(Collector &collector, LuaState &state)
{
    const size_t before = collector.memory_bytes, now = state.memory_bytes;
    const double made = now > before ? static_cast<double>(now - before) : 0;
    // The rate rises at once and falls slowly.
    collector.made_bytes_per_tick =
        std::max(made, collector.made_bytes_per_tick * 0.95 + made * 0.05);
    if (collector.made_bytes_per_tick < 1) collector.made_bytes_per_tick = 0;
    const double due = due_us(collector, state);
    const double limit = std::min(due, static_cast<double>(collector.us_max));
    collector.short_ticks += due > collector.us_max;
    const uint64_t begun_us = processor_us();
    double spent_us = 0;
    while (spent_us < limit) {
        const bool ended = lua_gc(state.lua, LUA_GCSTEP, 0) != 0;
        const double until_now = static_cast<double>(processor_us() - begun_us);
        collector.this_cycle_us += until_now - spent_us;
        spent_us = until_now;
        if (!ended) continue;
        collector.cycle_us = std::max(1.0, collector.this_cycle_us);
        collector.this_cycle_us = 0;
        collector.cycles += 1;
        break; // The next one begins with the next tick.
    }
    collector.last_us = static_cast<uint32_t>(spent_us);
    collector.us += static_cast<uint64_t>(spent_us);
    collector.memory_bytes = state.memory_bytes;
    // A step restarts LuaJIT's automatic collector, so it must be stopped again.
    collector.is_automatic = made * automatic_part > static_cast<double>(now);
    lua_gc(state.lua, collector.is_automatic ? LUA_GCRESTART : LUA_GCSTOP, 0);
}

}
