// What has arrived and must be told: builds ack frames, and stops repeating what the peer is known
// to have read.
#pragma once
#include "transport/connection/frames.h"
#include "transport/connection/replay_window.h"
#include "transport/connection/round_trip.h"

namespace tern {

// A packet so far behind the newest is not acked any more. Its sender has long told it lost.
inline constexpr uint64_t ack_window_packets = 512;
// So many that want no ack are told together, so that who sends acks alone gets few for them.
inline constexpr uint64_t ack_quiet_packets = 16;
static_assert(ack_window_packets <= 8 * ack_bitmap_bytes_max);
static_assert(ack_window_packets + 64 <= replay_window_packets);

// An ack frame names all that has arrived and is not known to be known. So when a packet of ours
// is acked, the peer knows of everything that had arrived before that packet was begun; hence a
// mark for each arrival: the number that our next packet had. 16 bits of it, so what was told in so
// many packets is told no more, known or not.
inline constexpr uint64_t telling_packets_max = (1 << 14) - 1;
struct AckTracker {                      // Closed.
    uint64_t _floor;                     // What arrived below needs no more telling.
    uint64_t _eliciting_end;             // One past the highest that wants an ack.
    uint64_t _largest_us;                // When the largest arrived.
    uint64_t _waiting_since_us;          // The first of those that wait.
    uint32_t _waiting_count;             // Ack-eliciting ones, since the last ack was built.
    uint16_t _marks[ack_window_packets]; // Low 16 bits, by number % ack_window_packets.
};

struct BuiltAck {
    bool any; // Else there is nothing to tell.
    Ack ack;
};

namespace ack_tracker {

// Before replay_window::set() of the same number. next_sent: what our next packet will be.
void arrive(AckTracker &tracker, const ReplayWindow &arrived, uint64_t number, uint64_t next_sent,
            bool ack_eliciting, uint64_t now_us);
// What waits is not to wait longer: packets are being lost, and who sends wants to know.
void hurry(AckTracker &tracker);
bool due(const AckTracker &tracker, uint64_t now_us); // Without any other reason for a packet.

// next_sent: as in arrive(). read_end: one past the highest of our packets with an ack that was
// acked.
BuiltAck build(AckTracker &tracker, const ReplayWindow &arrived, uint64_t next_sent,
               uint64_t read_end, uint64_t now_us);

}
}
