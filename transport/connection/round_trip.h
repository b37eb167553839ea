// The round-trip estimate of RFC 9002, section 5, and the times that follow from it.
#pragma once
#include <cstdint>

namespace tern {

// How long a receiver may delay an ack to send it together with others.
inline constexpr uint64_t ack_wait_us = 20'000;
// The largest ack delay that is subtracted from a round trip: ack_wait_us, a tick of 1/25 s and
// 4 ms of slack.
inline constexpr uint64_t delay_believed_us = 64'000;

// When a packet that was sent before an acked one is lost (RFC 9002, 6.1).
struct LossThreshold {
    uint64_t age_us; // It was sent longer ago than this,
    bool by_count;   // or three numbers before the acked one, unless the path reorders packets.
};

struct RoundTrip { // Closed. All zero: no sample yet.
    uint64_t _latest_us;
    uint64_t _smoothed_us;
    uint64_t _variance_us;
    uint64_t _least_us;
    // The longest time from sending to the ack, of packets that were acked after a later one: in
    // this period and in the one before. 0: no packet was.
    uint64_t _reordered_us[2];
    uint64_t _period_us; // When the period began.
};

namespace round_trip {

// A packet was acked after a later one, so long after it was sent.
void reordered(RoundTrip &round_trip, uint64_t measured_us, uint64_t now_us);
// delay_us: how long the peer reports that it delayed the ack. At most delay_believed_us of it is
// subtracted, and nothing if the result would be below the least round trip measured.
void sample(RoundTrip &round_trip, uint64_t measured_us, uint64_t delay_us);
bool known(const RoundTrip &round_trip);
uint64_t smoothed_us(const RoundTrip &round_trip); // 0 before the first sample.
uint64_t variance_us(const RoundTrip &round_trip);
// A path that reorders packets gives each the time that the slowest of them took lately, and does
// not count later ones (in the manner of RFC 8985, 6.2).
LossThreshold loss_threshold(const RoundTrip &round_trip, uint64_t now_us);
// The probe timeout without backoff (RFC 9002, 6.2.1).
uint64_t probe_us(const RoundTrip &round_trip);

}
}
