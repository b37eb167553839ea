// The round-trip estimate of RFC 9002, section 5, and the times that follow from it.
#pragma once
#include <cstdint>

namespace tern {

// How long a receiver may delay an ack to send it together with others.
inline constexpr uint64_t ack_wait_us = 20'000;
// The largest ack delay that is subtracted from a round trip: ack_wait_us, a tick of 1/25 s and
// 4 ms of slack.
inline constexpr uint64_t delay_believed_us = 64'000;

struct RoundTrip { // Closed. All zero: no sample yet.
    uint64_t _latest_us;
    uint64_t _smoothed_us;
    uint64_t _variance_us;
    uint64_t _least_us;
};

namespace round_trip {

// delay_us: how long the peer reports that it delayed the ack. At most delay_believed_us of it is
// subtracted, and nothing if the result would be below the least round trip measured.
void sample(RoundTrip &round_trip, uint64_t measured_us, uint64_t delay_us);
bool known(const RoundTrip &round_trip);
uint64_t smoothed_us(const RoundTrip &round_trip); // 0 before the first sample.
uint64_t variance_us(const RoundTrip &round_trip);
// A packet sent before an acked one is lost if it is older than this (RFC 9002, 6.1.2).
uint64_t loss_us(const RoundTrip &round_trip);
// The probe timeout without backoff (RFC 9002, 6.2.1).
uint64_t probe_us(const RoundTrip &round_trip);

}
}
