// The round-trip estimate of RFC 9002, section 5, and the times that follow from it.
#pragma once
#include <cstdint>

namespace tern {

inline constexpr uint64_t ack_wait_us = 20'000;       // How long an ack may wait for company.
inline constexpr uint64_t delay_believed_us = 64'000; // That, and a tick of 1/25 s.

struct RoundTrip { // Closed. All zero: no sample yet.
    uint64_t _latest_us;
    uint64_t _smoothed_us;
    uint64_t _variance_us;
    uint64_t _least_us;
};

namespace round_trip {

// delay_us: for how long the peer says that it held the ack back. Believed only in part: at most
// 64 ms, and never to below the least round trip seen.
void sample(RoundTrip &round_trip, uint64_t measured_us, uint64_t delay_us);
bool known(const RoundTrip &round_trip);
uint64_t smoothed_us(const RoundTrip &round_trip); // 0 before the first sample.
uint64_t variance_us(const RoundTrip &round_trip);
// After this time a packet older than an acked one is lost (section 6.1.2).
uint64_t loss_us(const RoundTrip &round_trip);
// After this time without an ack one asks again (section 6.2.1), without backoff.
uint64_t probe_us(const RoundTrip &round_trip);

}
}
