#include "host/tick_clock.h"
#include <algorithm>

namespace dedicated::tick_clock {

static constexpr uint64_t second_us = 1'000'000;

void set_rate(TickClock &clock, uint32_t hz, uint64_t now_us)
{
    clock.base_us = now_us;
    clock.count = 0;
    clock.ticks.hz = hz;
}

uint64_t begin(TickClock &clock, uint64_t now_us)
{
    const uint64_t silent_us = now_us - clock.begun_us;
    const bool has_stalled =
        clock.begun_us > 0 && silent_us > stall_us + second_us / clock.ticks.hz;
    clock.begun_us = now_us;
    if (!has_stalled) return 0;
    // A tick that took so long by itself is counted already.
    clock.ticks.overruns += !clock.has_overrun;
    return silent_us;
}

void end(TickClock &clock, uint64_t now_us)
{
    TickStatus &ticks = clock.ticks;
    const uint64_t took_us = now_us - clock.begun_us;
    const auto bound = std::lower_bound(tick_bounds_us.begin(), tick_bounds_us.end(), took_us);
    ticks.histogram[static_cast<size_t>(bound - tick_bounds_us.begin())] += 1;
    ticks.count += 1;
    ticks.sum_us += took_us;
    clock.has_overrun = took_us > second_us / ticks.hz;
    ticks.overruns += clock.has_overrun;
}

uint64_t pause_us(TickClock &clock, uint64_t now_us)
{
    const uint64_t hz = clock.ticks.hz;
    const uint64_t passed = (now_us - clock.base_us) * hz / second_us;
    clock.count = std::max(clock.count, passed) + 1;
    const uint64_t due_us = clock.base_us + clock.count * second_us / hz;
    return due_us > now_us ? due_us - now_us : 0;
}

}
