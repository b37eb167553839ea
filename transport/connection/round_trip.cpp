#include "transport/connection/round_trip.h"
#include <algorithm>

namespace tern::round_trip {

namespace {

constexpr uint64_t first_guess_us = 333'000; // RFC 9002, 6.2.2.
constexpr uint64_t granularity_us = 1'000;   // RFC 9002, 6.1.2.

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

uint64_t loss_us(const RoundTrip &r)
{
    const uint64_t base_us = known(r) ? std::max(r._smoothed_us, r._latest_us) : first_guess_us;
    return std::max(base_us * 9 / 8, granularity_us);
}

uint64_t probe_us(const RoundTrip &r)
{
    if (!known(r)) return first_guess_us + 2 * first_guess_us + ack_wait_us;
    return r._smoothed_us + std::max(4 * r._variance_us, granularity_us) + ack_wait_us;
}

}
