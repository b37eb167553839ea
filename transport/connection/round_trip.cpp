#include "transport/connection/round_trip.h"
#include <algorithm>

namespace tern::round_trip {

namespace {

constexpr uint64_t first_guess_us = 333'000; // RFC 9002, 6.2.2.
constexpr uint64_t granularity_us = 1'000;   // RFC 9002, 6.1.2.
constexpr uint64_t period_us = 5'000'000;    // Reordering is remembered for one to two of these.

}

void sample(RoundTrip &r, uint64_t measured_us, uint64_t delay_us)
{
    measured_us = std::max<uint64_t>(measured_us, 1);
    r._latest_us = measured_us;
    if (!known(r)) {
        r._least_us = r._smoothed_us = measured_us;
        r._variance_us = measured_us / 2;
        return;
    }
    r._least_us = std::min(r._least_us, measured_us);
    delay_us = std::min(delay_us, delay_believed_us);
    const uint64_t adjusted_us =
        measured_us >= r._least_us + delay_us ? measured_us - delay_us : measured_us;
    const uint64_t off_us =
        std::max(r._smoothed_us, adjusted_us) - std::min(r._smoothed_us, adjusted_us);
    r._variance_us = (3 * r._variance_us + off_us) / 4;
    r._smoothed_us = (7 * r._smoothed_us + adjusted_us) / 8;
}

void reordered(RoundTrip &r, uint64_t measured_us, uint64_t now_us)
{
    const uint64_t periods = (now_us - r._period_us) / period_us;
    if (periods > 0) {
        r._reordered_us[1] = periods == 1 ? r._reordered_us[0] : 0;
        r._reordered_us[0] = 0;
        r._period_us = now_us;
    }
    r._reordered_us[0] = std::max(r._reordered_us[0], measured_us);
}

bool known(const RoundTrip &r)
{
    return r._least_us > 0;
}

uint64_t smoothed_us(const RoundTrip &r)
{
    return r._smoothed_us;
}

uint64_t variance_us(const RoundTrip &r)
{
    return r._variance_us;
}

static uint64_t slowest_us(const RoundTrip &r, uint64_t now_us)
{
    const uint64_t periods = (now_us - r._period_us) / period_us;
    if (periods > 1) return 0;
    return periods == 1 ? r._reordered_us[0] : std::max(r._reordered_us[0], r._reordered_us[1]);
}

LossThreshold loss_threshold(const RoundTrip &r, uint64_t now_us)
{
    const uint64_t usual_us = known(r) ? std::max(r._smoothed_us, r._latest_us) : first_guess_us;
    // A peer that has stood still acks late too, and says nothing of the path.
    const uint64_t reordered_us = std::min(slowest_us(r, now_us), 2 * usual_us);
    const uint64_t base_us = std::max(usual_us, reordered_us);
    return {std::max(base_us * 9 / 8, granularity_us), reordered_us == 0};
}

uint64_t probe_us(const RoundTrip &r)
{
    if (!known(r)) return first_guess_us + 2 * first_guess_us + ack_wait_us;
    return r._smoothed_us + std::max(4 * r._variance_us, granularity_us) + ack_wait_us;
}

}
