// The packets that we sent: which are in flight, which arrived, which count as lost. Loss by
// packet and time threshold as in RFC 9002, section 6.1.
#pragma once
#include "base/flat.h"
#include "transport/connection/frames.h"
#include "transport/connection/round_trip.h"

namespace tern {

// How far the newest may be ahead of the oldest whose fate has not been taken.
inline constexpr size_t sent_packets_max = 1024;
// An idle connection touches no other places; who has more in flight than half of them takes
// sent_places_busy, so that a packet told lost is still known when it arrives late.
inline constexpr size_t sent_places_min = 8, sent_places_busy = 64;
inline constexpr size_t chunks_max = 4; // Of streams, in one packet that we send.

struct SentChunk {
    uint32_t offset_low;
    uint16_t size_bytes;
    StreamId stream;
    uint8_t last_bytes; // Of stream_send::take_new().
};

enum class SentState : uint8_t { none, in_flight, arrived, lost, late }; // Late: lost, then acked.
// How far a fate has been told: not yet to the connection itself, not yet to its caller, to both.
enum class Telling : uint8_t { none, unsettled, untaken, taken };

struct SentPacket {
    uint64_t sent_us;
    SentChunk chunks[chunks_max];
    uint16_t size_bytes; // Of the datagram.
    uint8_t chunk_count;
    bool ack_eliciting;
    bool has_ack;
    SentState state;
    Telling telling; // Of that.
};

struct Fates {       // That one of them has still to be told.
    uint64_t _first; // No such packet lies below.
    uint64_t _count;
};

struct SentPackets {           // Closed.
    Flat<SentPacket> _ring;    // By number % _places.
    uint64_t _places;          // So many are in use: a power of two, doubled when half are full.
    uint64_t _kept;            // Packets below are in no place; nor those _places before _next.
    uint64_t _next;            // The number of the next packet.
    uint64_t _oldest;          // Everything below has met its fate.
    uint64_t _acked_end;       // One past the largest that was acked; 0: none.
    uint64_t _read_end;        // Of those that had an ack.
    uint32_t _eliciting_count; // Ack-eliciting ones in flight.
    uint64_t _eliciting_us;    // When the last of those was sent.
    uint64_t _in_flight_bytes; // Of those.
    uint64_t _late_from;       // No packet below is lost and may yet arrive.
    Fates _for_connection, _for_caller;
};

struct AckEffect {
    bool eliciting; // An ack-eliciting packet has newly arrived: the peer answers.
    bool sampled;   // measured_us is a round trip, of packet `newest`.
    uint64_t measured_us;
    uint64_t newest;
    uint32_t arrived_count; // Ack-eliciting ones, newly acked.
    uint32_t late_count;    // Packets that were told lost, and have arrived.
};

namespace sent_packets {

void place(flat::Builder &builder, SentPackets &sent);
// As if `next` packets had been sent and acked.
void skip_to(SentPackets &sent, uint64_t next);

uint64_t next(const SentPackets &sent);
uint64_t acked_end(const SentPackets &sent);
uint64_t read_end(const SentPackets &sent); // One past the highest whose ack the peer has read.
uint64_t oldest(const SentPackets &sent);   // Everything below has met its fate.
size_t room(const SentPackets &sent);       // For how many more packets; see sent_packets_max.
uint32_t eliciting_count(const SentPackets &sent);
uint64_t eliciting_us(const SentPackets &sent);    // When the last ack-eliciting one was sent.
uint64_t in_flight_bytes(const SentPackets &sent); // Of ack-eliciting packets.
uint64_t add(SentPackets &sent, const SentPacket &packet); // Its number.
// Of one in flight, or whose fate has not been taken, or was since the last add().
const SentPacket &at(const SentPackets &sent, uint64_t number);
SentPacket &at(SentPackets &sent, uint64_t number);

// False: it acks what was never sent.
bool is_possible(const SentPackets &sent, const Frame &ack);

// loss_us: see round_trip.
AckEffect take_ack(SentPackets &sent, const Frame &ack, uint64_t loss_us, uint64_t now_us);
// Loss by time: what was sent loss_us ago and is older than an acked one.
void tell_lost(SentPackets &sent, uint64_t loss_us, uint64_t now_us);
// Everything in flight that was sent at or before sent_us, whatever the thresholds say.
void tell_all_lost(SentPackets &sent, uint64_t sent_us);

// The fates that these three have found, by number: to the connection, who is to take all of them
// each time, and then to its caller. False: there is none.
bool settle_fate(SentPackets &sent, Fate &fate);
bool take_fate(SentPackets &sent, Fate &fate);

}
}
