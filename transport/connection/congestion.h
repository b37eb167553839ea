// Congestion control: how much one connection may have in flight, so that connections share a link
// and its queue stays short. It reacts to delay, and to loss only if the loss is heavy, because
// random loss is no sign of congestion. docs/decisions.md gives the reasons.
#pragma once
#include <cstdint>

namespace tern {

// The window limits the bytes in flight. Time is divided into rounds of one round trip. At the end
// of a round that used its window, the window changes in proportion to the difference between the
// queueing delay and a target. The target falls as the rate rises, so connections that share a
// queue, and see the same delay, converge to the same rate. The round trip without a queue (the
// base) can be measured only while the queue is empty. So each sender drains the queue every few
// seconds, and a sender that sees the queue shrink drains at the same time.
enum class WindowPhase : uint8_t { starting, steady, draining, refilling };

struct Congestion { // Closed.
    uint64_t _window_bytes;
    uint64_t _kept_bytes;    // Draining: the window before the drain, restored afterwards.
    uint64_t _period_us;     // When the present period of base measurement began.
    uint64_t _drained_us;    // When the last drain began or ended, or slow start ended.
    uint64_t _first;         // Lower packet numbers were sent on another path.
    uint64_t _round_us;      // When the round began.
    uint64_t _round_end;     // The round ends with the ack of this packet or a later one.
    uint64_t _sum_us;        // The sum of the round's samples.
    uint64_t _steps_us;      // The sum of the differences between one ack's sample and the next.
    uint64_t _most_bytes;    // The most bytes in flight in this round.
    uint32_t _base_us[2];    // The least mean round trip of this period, and of the one before.
    uint32_t _round_trip_us; // The mean of the last round; 0: none yet.
    uint32_t _queue_us;      // The queueing delay: the mean round trip minus the base, smoothed.
    uint32_t _last_us;       // The last sample.
    uint32_t _sample_count;  // Packets sampled in this round.
    uint32_t _ack_count;     // Acks in this round.
    uint32_t _ack_gap_us;    // The mean time between acks in the last round.
    uint16_t _settled_count, _lost_count; // Packets since loss was last evaluated.
    uint32_t _kept_us;                    // Draining: the round trip before the drain.
    bool _lossy;                          // Over an eighth of the last 64 packets were lost.
    bool _was_filled;      // A window was used whole since the last drain: the queue may be ours.
    uint8_t _phase_rounds; // Draining, refilling: rounds that have ended.
    WindowPhase _phase;
};

struct RoundTripSample {
    uint64_t measured_us;  // Without the time for which the peer delayed the ack.
    uint32_t packet_count; // The packets that this ack newly acks; the sample has their weight.
    uint64_t acked;        // The number of the packet that was measured.
    uint64_t next;         // The number of the next packet to be sent.
};

namespace congestion {

// Starts on a new path. next: the number of the next packet; round trips of older packets belong to
// another path and are ignored.
Congestion make(uint64_t next, uint64_t now_us);
uint64_t window_bytes(const Congestion &congestion);
// The rate at which to send: the window per round trip, times 1.25, or 2 in slow start.
uint64_t pace_bytes_per_second(const Congestion &congestion);
// Call after each packet; in_flight_bytes includes it.
void sent(Congestion &congestion, uint64_t in_flight_bytes);
void settled(Congestion &congestion, bool acked); // One packet was acked or lost.
void arrived_late(Congestion &congestion);        // A packet declared lost was acked after all.
void sample(Congestion &congestion, const RoundTripSample &sample, uint64_t now_us);

}
}
