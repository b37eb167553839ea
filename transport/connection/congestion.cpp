#include "transport/connection/congestion.h"
#include "tern/limits.hpp"
#include "tern/types.hpp"
#include <algorithm>
#include <bit>
#include <cmath>

namespace tern::congestion {

namespace {

constexpr uint64_t first_window_bytes = 24 * datagram_bytes_base;
constexpr uint64_t window_bytes_min = 2 * datagram_bytes_base;
constexpr uint64_t window_bytes_max = 16 << 20;
constexpr uint64_t first_round_trip_us = 100'000; // Assumed for the pace until there is a sample.
constexpr uint64_t drain_interval_us = 5'000'000;
constexpr uint64_t drain_round_trips = 16;       // The least number between two drains.
constexpr uint64_t join_interval_us = 1'000'000; // Least time until a drain along with others.
constexpr uint64_t base_targets_max = 2;         // A base up to 2 target delays counts as short.
constexpr int refill_rounds = 3;                 // The queue is then as long as before the drain.
constexpr uint64_t drain_us = 200'000;           // A drain lasts at least this long.
constexpr uint64_t dip_us = 10'000;              // The fall of a shorter queue is lost in noise.
constexpr uint32_t loss_packets = 64;            // Loss is evaluated once for so many packets.

// The target for the queueing delay of a sender. It falls with each doubling of the rate, from
// slow_target_us at 32 KiB/s to a minimum at 2 MiB/s. The minimum is no less than the delay that
// ticks alone add to a round trip.
constexpr uint64_t slow_target_us = 70'000, fast_target_us_min = 15'000;
constexpr uint64_t slow_bytes_per_second = 32 * 1024;
constexpr uint64_t doublings = 6; // From 32 KiB/s to 2 MiB/s.

uint64_t target_us(const Congestion &c, uint64_t bytes_per_second)
{
    const uint64_t fast_us = std::max<uint64_t>(c._ack_gap_us * 5 / 4, fast_target_us_min);
    const uint64_t rate = std::max(bytes_per_second, slow_bytes_per_second);
    const auto octave = static_cast<int>(std::bit_width(rate / slow_bytes_per_second)) - 1;
    const uint64_t octave_rate = slow_bytes_per_second << octave;
    // The position in 1024ths of a doubling, interpolated linearly within one.
    const uint64_t up =
        static_cast<uint64_t>(octave) * 1024 + (rate - octave_rate) * 1024 / octave_rate;
    if (up >= doublings * 1024 || fast_us >= slow_target_us) return fast_us;
    return slow_target_us - (slow_target_us - fast_us) * up / (doublings * 1024);
}

uint64_t base_us(const Congestion &c)
{
    return std::min(c._base_us[0], c._base_us[1]);
}

void set_window(Congestion &c, uint64_t bytes)
{
    c._window_bytes = std::clamp(bytes, window_bytes_min, window_bytes_max);
}

// The window was used (nearly) whole, so the window is what limits the rate.
bool is_filled(const Congestion &c)
{
    return c._most_bytes + datagram_bytes_max > c._window_bytes;
}

// The time between drains. A period of base measurement is as long, so that two periods always
// include a drain.
uint64_t interval_us(const Congestion &c)
{
    return std::max(drain_interval_us, drain_round_trips * c._round_trip_us);
}

void note_base(Congestion &c, uint32_t mean_us, uint64_t now_us)
{
    if (now_us - c._period_us >= interval_us(c)) {
        c._period_us = now_us;
        c._base_us[1] = c._base_us[0];
        c._base_us[0] = mean_us;
    }
    c._base_us[0] = std::min(c._base_us[0], mean_us);
}

// Reduces the window, if it is too large, so that the same rate meets the target delay.
void fit_window(Congestion &c, uint64_t round_trip_us)
{
    const uint64_t rate = c._window_bytes * 1'000'000 / round_trip_us;
    const uint64_t wanted_us = base_us(c) + target_us(c, rate);
    if (wanted_us < round_trip_us) set_window(c, c._window_bytes * wanted_us / round_trip_us);
}

void begin_drain(Congestion &c, uint64_t now_us)
{
    c._phase = WindowPhase::draining;
    c._was_filled = false;
    c._kept_bytes = c._window_bytes;
    c._kept_us = c._round_trip_us;
    c._phase_rounds = 0;
    c._drained_us = now_us;
    c._window_bytes /= 4;
}

void drain(Congestion &c, uint64_t now_us)
{
    // The first round still measures packets sent before the drain; in the second the queue falls.
    if (c._phase_rounds < 2 || now_us - c._drained_us < drain_us) return;
    c._phase = WindowPhase::refilling;
    c._phase_rounds = 0;
    c._drained_us = now_us;
    set_window(c, c._kept_bytes);
    fit_window(c, c._kept_us);
}

// How far chance moves the mean round trip of a round on a path with jitter. The steps between
// samples show the deviation of one sample, but for the time that a datagram takes on a slow link;
// the deviation of their mean is less by the root of their count. The base is the least of many
// means, so it lies about two deviations below a usual one.
uint64_t noise_us(const Congestion &c)
{
    if (c._ack_count < 2) return 0;
    const uint64_t step_us = c._steps_us / (c._ack_count - 1);
    const uint64_t datagram_us = datagram_bytes_base * c._round_trip_us / c._window_bytes;
    const uint64_t jitter_us = step_us - std::min(step_us, datagram_us);
    return static_cast<uint64_t>(2 * static_cast<double>(jitter_us) / std::sqrt(c._ack_count));
}

bool drain_due(const Congestion &c, uint64_t queue_us, uint64_t noise_us, uint64_t now_us)
{
    const uint64_t since_us = now_us - c._drained_us;
    // The queue shrinks, so another sender drains. If we drain too, the queue becomes empty and
    // both can measure the base.
    const bool dips =
        c._queue_us > dip_us && queue_us < c._queue_us * 2 / 3 && c._queue_us - queue_us > noise_us;
    if (dips && since_us >= join_interval_us) return true;
    return c._was_filled && since_us >= interval_us(c);
}

void move_window(Congestion &c, uint64_t queue_us)
{
    const uint64_t rate = c._window_bytes * 1'000'000 / c._round_trip_us;
    const auto target = static_cast<int64_t>(target_us(c, rate));
    const int64_t off = target - static_cast<int64_t>(queue_us);
    if (off > 0 && (c._lossy || !is_filled(c))) return;
    const auto window = static_cast<int64_t>(c._window_bytes);
    const auto round_trip_us = static_cast<int64_t>(c._round_trip_us);
    // Corrects half of the difference to the target.
    int64_t more = window * off / round_trip_us / 2;
    if (off > 0) more = std::max(more, window * off / target / 8);
    set_window(c, static_cast<uint64_t>(window + more));
}

// Slow start: doubles the window until a queue shows. The base measured so far includes the part of
// the queue that other senders keep full. If the base is short, that part is short too; otherwise a
// drain measures the true base at once.
void start(Congestion &c, uint64_t queue_us, uint64_t now_us)
{
    const uint64_t rate = c._window_bytes * 1'000'000 / c._round_trip_us;
    const uint64_t target = target_us(c, rate);
    if (queue_us * 2 > target && base_us(c) > base_targets_max * target) {
        begin_drain(c, now_us);
    } else if (queue_us * 2 > target) {
        c._phase = WindowPhase::steady;
        c._drained_us = now_us;
        fit_window(c, c._round_trip_us);
    } else if (is_filled(c) && !c._lossy) {
        set_window(c, c._window_bytes * 2);
    }
}

void end_round(Congestion &c, uint64_t now_us)
{
    const auto mean_us = static_cast<uint32_t>(c._sum_us / c._sample_count);
    // Many packets per ack: the gap between acks is the tick of one of the sides. Otherwise packets
    // may just be rare, and the gap must not raise the target as far.
    const uint64_t gap_us_max = c._sample_count >= 4 * c._ack_count ? 150'000 : 100'000;
    c._ack_gap_us =
        static_cast<uint32_t>(std::min((now_us - c._round_us) / c._ack_count, gap_us_max));
    note_base(c, mean_us, now_us);
    c._was_filled = c._was_filled || is_filled(c);
    c._round_trip_us = mean_us;
    const uint64_t chance_us = noise_us(c);
    const uint64_t above_us = mean_us - base_us(c);
    const uint64_t queue_us = above_us - std::min(above_us, chance_us);
    c._phase_rounds += 1;
    if (c._phase == WindowPhase::draining)
        drain(c, now_us);
    else if (c._phase == WindowPhase::refilling && c._phase_rounds < refill_rounds)
        ; // The queue is still shorter than before the drain.
    else if (c._most_bytes * 2 < c._window_bytes)
        ; // The delay of a window that is not used does not show whether the window is too large.
    else if (c._phase == WindowPhase::starting)
        start(c, queue_us, now_us);
    else if (drain_due(c, queue_us, chance_us, now_us))
        begin_drain(c, now_us);
    else {
        c._phase = WindowPhase::steady;
        move_window(c, queue_us);
    }
    c._queue_us = static_cast<uint32_t>((3 * uint64_t{c._queue_us} + queue_us) / 4);
}

}

Congestion make(uint64_t next, uint64_t now_us)
{
    Congestion c = {};
    c._first = c._round_end = next;
    c._window_bytes = first_window_bytes;
    c._period_us = c._drained_us = c._round_us = now_us;
    c._base_us[0] = c._base_us[1] = UINT32_MAX;
    return c;
}

uint64_t window_bytes(const Congestion &c)
{
    return c._window_bytes;
}

uint64_t pace_bytes_per_second(const Congestion &c)
{
    const uint64_t round_trip_us = c._round_trip_us > 0 ? c._round_trip_us : first_round_trip_us;
    const uint64_t quarters = c._phase == WindowPhase::starting ? 8 : 5;
    return c._window_bytes * quarters * 250'000 / round_trip_us;
}

void sent(Congestion &c, uint64_t in_flight_bytes)
{
    c._most_bytes = std::max(c._most_bytes, in_flight_bytes);
}

void settled(Congestion &c, bool acked)
{
    c._settled_count += 1;
    c._lost_count += !acked;
    if (c._settled_count < loss_packets) return;
    // A queue too short to show up as delay shows only by what it drops, so heavy loss counts.
    c._lossy = c._lost_count > c._settled_count / 8;
    if (c._lossy && c._phase != WindowPhase::draining) {
        if (c._phase == WindowPhase::starting) c._phase = WindowPhase::steady;
        set_window(c, c._window_bytes - c._window_bytes * c._lost_count / c._settled_count / 2);
    }
    c._settled_count = c._lost_count = 0;
}

void arrived_late(Congestion &c)
{
    if (c._lost_count > 0) c._lost_count -= 1;
}

void sample(Congestion &c, const RoundTripSample &sample, uint64_t now_us)
{
    if (sample.acked < c._first) return;
    const uint32_t count = std::max(sample.packet_count, 1u);
    const auto sample_us =
        static_cast<uint32_t>(std::clamp<uint64_t>(sample.measured_us, 1, UINT32_MAX));
    c._sum_us += uint64_t{sample_us} * count;
    if (c._ack_count > 0)
        c._steps_us += std::max(sample_us, c._last_us) - std::min(sample_us, c._last_us);
    c._last_us = sample_us;
    c._sample_count += count;
    c._ack_count += 1;
    if (sample.acked < c._round_end) return;
    end_round(c, now_us);
    c._round_end = sample.next;
    c._round_us = now_us;
    c._sum_us = c._steps_us = c._sample_count = c._ack_count = 0;
    c._most_bytes = 0;
}

}
