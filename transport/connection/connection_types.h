// The members of a connection. Only transport/ may include this file.
#pragma once
#include "tern/diagnostics.hpp"
#include "transport/connection/ack_tracker.h"
#include "transport/connection/congestion.h"
#include "transport/connection/connection.h"
#include "transport/connection/pace.h"
#include "transport/connection/packet_codec.h"
#include "transport/connection/path_size.h"
#include "transport/connection/replay_window.h"
#include "transport/connection/round_trip.h"
#include "transport/connection/sent_packets.h"
#include "transport/connection/stream_receive.h"
#include "transport/connection/stream_send.h"

namespace tern {

inline constexpr std::byte data_datagram_type{4};
inline constexpr uint32_t close_packets = 3; // Packets that carry the close frame, for losses.
// Closing ends after this many ticks, even if the caller has not sent all close packets.
inline constexpr uint32_t closing_ticks_max = 8;
inline constexpr uint32_t probe_packets = 2;     // Per probe timeout: RFC 9002, 6.2.4.
inline constexpr uint32_t probe_backoff_max = 6; // Doublings of the probe timeout.
// From these loss rates on, in 65536ths of all packets, new stream bytes are sent in two packets
// and in three packets.
inline constexpr uint32_t two_copies_loss = 65'536 / 150, three_copies_loss = 65'536 * 15 / 100;
// An ack after so long a time without one ends a standstill.
inline constexpr uint64_t standstill_us = 500'000;
// After this many probe timeouts without a new ack, in_doubt() is true.
inline constexpr uint32_t doubtful_probes = 3;

// A connection and its rings lie in one block of memory and refer to each other by offsets, never
// by pointers.
struct Connection { // Closed.
    ConnectionLimits _limits;
    size_t _size_bytes;

    // The remote peer.
    AeadKey _send_key, _receive_key;
    bool _has_keys;
    uint64_t _send_key_name, _receive_key_name;
    uint32_t _remote_id; // The connection id that the peer reads in our datagrams.
    Address _address;
    PathSize _path_size; // The datagram size that the path to _address carries.

    // The end.
    ConnectionState _state;
    CloseReason _close_reason; // Ours while closing; the peer's in closed_by_peer.
    bool _close_due;           // A packet with a close frame is due in this tick.
    uint32_t _close_count;     // Packets with a close frame sent so far.
    uint32_t _closing_ticks;
    uint64_t
        _last_received_us; // When the last authentic packet was accepted, or the connection opened.

    // Packets.
    ReplayWindow _arrived;
    AckTracker _acks;
    RoundTrip _round_trip;
    uint32_t _loss; // Moving average of the share of packets lost, in 65536ths.
    SentPackets _sent;
    SentPacket _making; // The record of the packet between begin_packet() and finish_packet().
    bool _packet_begun;

    // Probes.
    bool _ping_due;
    uint32_t _probes_due;  // Probe packets still to be sent.
    uint32_t _probe_count; // Probe timeouts since the last ack of an ack-eliciting packet.
    uint64_t _answered_us; // When that ack came, the doubt ended or the connection opened.
    // Lower packet numbers were sent before or during a standstill of the peer, of the path or of
    // this process. Their round trips and losses say nothing about the path. standstill_us().
    uint64_t _standstill_end;
    bool _standstill_last; // No round trip was measured since that standstill.

    StreamSend _send[stream_count];
    StreamReceive _receive[stream_count];
    Congestion _congestion;
    Pace _pace;
    Stats _stats;
    Tallies _tallies;
};
// An idle connection then touches one page of memory.
static_assert(sizeof(Connection) + sent_places_min * sizeof(SentPacket) <=
              connection::block_alignment);

namespace connection {

// The connection is open or closing, and has keys.
bool is_alive(const Connection &c);
// Applies new packet outcomes to streams, congestion control, path size and statistics.
void settle_streams(Connection &c);
// Declares lost every packet in flight that was sent at or before sent_us.
void lose_packets(Connection &c, uint64_t sent_us);
void end(Connection &c, ConnectionState state); // `link` must be a final state.
void begin_closing(Connection &c, CloseReason reason);
// In how many packets new stream bytes are sent at the measured loss: 1 to stream_copies_max.
uint32_t copies(const Connection &c);
// There is a place for one more sent packet, and then still for the packets that close.
bool has_place(const Connection &c);
// How long a packet in flight has waited for any ack; 0: none is in flight.
uint64_t unanswered_us(const Connection &c, uint64_t now_us);
uint64_t probe_interval_us(const Connection &c); // The probe timeout, with backoff.
// Sets the pace to the configured cap or the rate of the congestion window, whichever is lower.
void set_pace(Connection &c, uint64_t now_us);
// No ack-eliciting packet was sent for a quarter of the timeout.
bool keep_alive_due(const Connection &c, uint64_t now_us);

}
}
