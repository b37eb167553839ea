// Builds ack frames from the packets that arrived, until the peer is known to have read their acks.
#pragma once
#include "transport/connection/packet_codec.h"
#include "transport/connection/replay_window.h"
#include "transport/connection/round_trip.h"

namespace tern {

// A packet this far behind the newest is not acked any more: its sender declared it lost long ago.
inline constexpr uint64_t ack_window_packets = 512;
// This many packets that elicit no ack are acked together, so that a peer that sends nothing but
// acks gets few acks in return.
inline constexpr uint64_t ack_quiet_packets = 16;
static_assert(ack_window_packets <= 8 * ack_bitmap_bytes_max);
static_assert(ack_window_packets + 64 <= replay_window_packets);

// An ack frame lists every arrived packet whose ack the peer may not have read yet. So when a
// packet of ours with an ack frame is acked, the peer has read the acks of everything that arrived
// before we began that packet. To find these, each arrival stores a mark: the number that our next
// packet had then. A mark keeps only the low 16 bits, so a packet is no longer listed once we have
// sent this many packets since it arrived, read or not.
inline constexpr uint64_t ack_repeats_max = (1 << 14) - 1;
struct AckTracker {             // Closed.
    uint64_t _floor;            // Packets below need no ack any more.
    uint64_t _eliciting_end;    // One past the highest ack-eliciting packet that arrived.
    uint64_t _largest_us;       // When the packet with the highest number arrived.
    uint64_t _waiting_since_us; // When the first of the waiting packets arrived.
    uint32_t _waiting_count;    // Ack-eliciting packets that arrived since the last ack was built.
    uint16_t _marks[ack_window_packets]; // Low 16 bits, by number % ack_window_packets.
};

struct BuiltAck {
    bool any; // False: nothing needs an ack.
    Ack ack;
};

namespace ack_tracker {

struct ArrivedPacket {
    uint64_t number;
    bool ack_eliciting;
    uint64_t now_us;
};
// Call before replay_window::set() of the same number. next_sent: the number of our next packet.
void arrive(AckTracker &tracker, const ReplayWindow &arrived, const ArrivedPacket &packet,
            uint64_t next_sent);
// Makes an ack due at once if any packet waits for one. Packets arrive late or twice, and the
// sender should learn early what to retransmit.
void hurry(AckTracker &tracker);
// An ack is due, even if there is no other reason to send a packet.
bool due(const AckTracker &tracker, uint64_t now_us);
uint64_t due_us(const AckTracker &tracker); // From when on it is. UINT64_MAX: nothing waits.

// next_sent: as in arrive(). read_end: one past the highest of our packets that had an ack frame
// and was acked.
BuiltAck build(AckTracker &tracker, const ReplayWindow &arrived, uint64_t next_sent,
               uint64_t read_end, uint64_t now_us);

}
}
