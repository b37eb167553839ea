// The packets that we sent and their outcomes: in flight, acked or lost. Loss is detected by packet
// and time threshold as in RFC 9002, 6.1, and by time alone on a path that reorders packets.
#pragma once
#include "base/flat.h"
#include "transport/connection/packet_codec.h"
#include "transport/connection/round_trip.h"

namespace tern {

// The most packets from the oldest whose outcome has not been taken to the newest. When so many are
// kept, no packet can be sent.
inline constexpr size_t sent_packets_max = 1024;
// An idle connection uses sent_places_min places only, to touch little memory. Once more than half
// of them hold packets, it uses at least sent_places_busy: a packet declared lost is then kept long
// enough to notice a late ack.
inline constexpr size_t sent_places_min = 8, sent_places_busy = 64;
inline constexpr size_t chunks_max = 4; // Stream chunks in one packet that we send.

struct SentChunk {
    uint32_t offset_low;
    uint16_t size_bytes;
    StreamId stream;
    uint8_t last_bytes; // StreamBytes::last_bytes.
};

enum class SentState : uint8_t {
    none,
    in_flight,
    acked,
    lost,
    late // Declared lost, then acked.
};
// How far the outcome of a packet has been processed.
enum class ReportState : uint8_t {
    none,      // The outcome is unknown.
    unsettled, // The connection has not processed it.
    untaken,   // The connection has, its caller has not taken it.
    taken      // Both have.
};

struct SentPacket {
    uint64_t sent_us;
    SentChunk chunks[chunks_max];
    uint16_t size_bytes; // The size of the datagram.
    uint8_t chunk_count;
    bool ack_eliciting;
    bool has_ack;
    SentState state;
    ReportState report_state; // How far the outcome in `state` has been processed.
};

struct PendingOutcomes { // The packets whose outcome one party has still to process.
    uint64_t _first;     // No such packet has a lower number.
    uint64_t _count;
};

struct SentPackets {        // Closed.
    Flat<SentPacket> _ring; // Places by number % _places.
    uint64_t _places;       // The places in use: a power of two, doubled when half are occupied.
    // Packets below _kept and those more than _places before _next are no longer in the ring.
    uint64_t _kept;
    uint64_t _next;            // The number of the next packet.
    uint64_t _oldest;          // The outcome of all packets below is known.
    uint64_t _acked_end;       // One past the largest packet that was acked; 0: none.
    uint64_t _read_end;        // One past the largest acked packet that had an ack frame.
    uint32_t _eliciting_count; // Ack-eliciting packets in flight.
    uint64_t _eliciting_us;    // When the last ack-eliciting packet was sent.
    uint64_t _in_flight_bytes; // The bytes of ack-eliciting packets in flight.
    uint64_t _late_from;       // No lost packet below can be found to be acked late.
    PendingOutcomes _for_connection, _for_caller;
};

struct AckEffect {
    bool eliciting; // An ack-eliciting packet was newly acked, so the peer answers us.
    bool sampled;   // measured_us is the round trip of packet `newest`.
    uint64_t measured_us;
    uint64_t newest;
    uint32_t arrived_count; // Ack-eliciting packets that were newly acked.
    uint32_t late_count;    // Packets that were declared lost and are acked now.
    // An ack of a later packet had left out some of the packets acked now. This is the time since
    // the oldest of these was sent. 0: it had left out none.
    uint64_t reordered_us;
};

namespace sent_packets {

void place(flat::Builder &builder, SentPackets &sent);
// Starts at number `next`, as if all packets below had been sent and acked.
void skip_to(SentPackets &sent, uint64_t next);

uint64_t next(const SentPackets &sent);      // The number of the next packet.
uint64_t acked_end(const SentPackets &sent); // One past the largest acked packet; 0: none.
uint64_t read_end(const SentPackets &sent);  // One past the largest whose ack the peer has read.
uint64_t oldest(const SentPackets &sent);    // The outcome of all packets below is known.
size_t room(const SentPackets &sent);        // How many more packets can be added.
uint32_t eliciting_count(const SentPackets &sent);
uint64_t eliciting_us(const SentPackets &sent);    // When the last ack-eliciting one was sent.
uint64_t in_flight_bytes(const SentPackets &sent); // The bytes of ack-eliciting packets.
// Adds the packet as in flight and returns its number. Requires room().
uint64_t add(SentPackets &sent, const SentPacket &packet);
// A packet that is in flight, or whose outcome has not been taken, or was taken since the last
// add(). Other packets may have left the ring.
const SentPacket &at(const SentPackets &sent, uint64_t number);
SentPacket &at(SentPackets &sent, uint64_t number);

// False: the frame acks a packet that was never sent.
bool is_possible(const SentPackets &sent, const Frame &ack);

// Requires is_possible().
AckEffect take_ack(SentPackets &sent, const Frame &ack, LossThreshold lost, uint64_t now_us);
// Declares packets lost that are older than an acked one and beyond the threshold.
void detect_lost(SentPackets &sent, LossThreshold lost, uint64_t now_us);
// Declares lost everything in flight that was sent at or before sent_us, without thresholds.
void declare_all_lost(SentPackets &sent, uint64_t sent_us);

// Return the outcomes that these three functions found, each once, lowest number first; false if
// there is none. The connection takes all of them with settle_packet_outcome() after each of the
// three; then its caller gets them from take_packet_outcome().
bool settle_packet_outcome(SentPackets &sent, PacketOutcome &outcome);
bool take_packet_outcome(SentPackets &sent, PacketOutcome &outcome);
// Whether one of the two would return an outcome.
bool any_outcome(const SentPackets &sent);

}
}
