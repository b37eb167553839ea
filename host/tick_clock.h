// When the ticks of the host begin, and how long they take. Time is a parameter, so that tests need
// no clock.
#pragma once
#include "host/http/status_types.h"

namespace dedicated {

// Ticks are due at base_us + count * 1 s / ticks.hz. The grid is fixed, so a long tick does not
// delay the later ones.
struct TickClock {
    uint64_t base_us;
    uint64_t count;
    uint64_t begun_us; // When the last tick began; 0 before the first.
    bool has_overrun;  // The last tick took longer than its time.
    TickStatus ticks;
};

namespace tick_clock {

// A longer delay of a tick is a stall: the process was stopped, or the machine was overloaded.
inline constexpr uint64_t stall_us = 500'000;

// Starts a grid whose first tick is due at once. Keeps the statistics. hz: 1 or more.
void set_rate(TickClock &clock, uint32_t hz, uint64_t now_us);
// A tick begins. Returns how long ago the last one began if that is a stall, else 0.
uint64_t begin(TickClock &clock, uint64_t now_us);
// The tick ends. Counts an overrun if it took longer than its time.
void end(TickClock &clock, uint64_t now_us);
// Returns how long to sleep until the next tick. Ticks that are overdue are skipped.
uint64_t pause_us(TickClock &clock, uint64_t now_us);

}
}
