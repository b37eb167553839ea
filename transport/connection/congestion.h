// How much one connection may have in flight, so that it and others share a link and its queue
// stays short. Looks at delay: random loss is no sign of anything. docs/decisions.md says why.
#pragma once
#include <cstdint>

namespace tern {

// The window is the bytes in flight. Time goes in rounds of one round trip. At the end of a round
// that used its window, the window moves by how far the queueing delay is from a target, which is
// the lower the higher the rate is: so all that share a queue, and see the same delay, come to the
// same rate. What the round trip is without a queue is measured when the queue is empty: every few
// seconds each sender drains, and who sees the queue fall drains with it.
enum class WindowPhase : uint8_t { starting, steady, draining, refilling };

struct Congestion { // Closed.
    uint64_t _window_bytes;
    uint64_t _kept_bytes;    // Draining: the window that comes back.
    uint64_t _period_us;     // When the present period of base measurement began.
    uint64_t _drained_us;    // When a drain ended, or the queue was seen empty.
    uint64_t _first;         // Packets below went another way.
    uint64_t _round_us;      // When the round began.
    uint64_t _round_end;     // It ends with the ack of this packet or a later one.
    uint64_t _sum_us;        // Of the round's samples.
    uint64_t _most_bytes;    // In flight, at most in this round.
    uint32_t _base_us[2];    // The least mean round trip of this period, and of the one before.
    uint32_t _round_trip_us; // The mean of the last round. 0: none yet.
    uint32_t _queue_us;      // That less the base; smoothed.
    uint32_t _sample_count;  // Packets, in this round.
    uint32_t _ack_count;     // In this round.
    uint32_t _ack_gap_us;    // The mean between acks, in the last round.
    uint16_t _settled_count, _lost_count; // Packets.
    uint32_t _kept_us;                    // Draining: the round trip of before.
    bool _lossy;                          // More is lost than chance explains.
    uint8_t _phase_rounds;                // Draining, refilling: rounds that have ended.
    WindowPhase _phase;
};

struct RoundTripSample {
    uint64_t measured_us;  // Without the time that the peer held the ack.
    uint32_t packet_count; // That were acked with it: it counts for all of them.
    uint64_t acked;        // The packet.
    uint64_t next;         // The number that the next packet will have.
};

namespace congestion {

// next: the number that the next packet will have. Round trips of older ones do not count.
Congestion make(uint64_t next, uint64_t now_us);
uint64_t window_bytes(const Congestion &congestion);
// At which the window is to be sent: somewhat faster than it can be acked.
uint64_t pace_bytes_per_second(const Congestion &congestion);
void sent(Congestion &congestion, uint64_t in_flight_bytes); // With what was just sent.
void settled(Congestion &congestion, bool arrived);          // A packet; lost if it did not.
void arrived_late(Congestion &congestion);                   // One that was told lost.
void sample(Congestion &congestion, const RoundTripSample &sample, uint64_t now_us);

}
}
