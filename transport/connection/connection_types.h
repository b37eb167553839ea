// The members of a connection. For transport/ alone.
#pragma once
#include "transport/connection/ack_tracker.h"
#include "transport/connection/aead.h"
#include "transport/connection/congestion.h"
#include "transport/connection/connection.h"
#include "transport/connection/pace.h"
#include "transport/connection/path_size.h"
#include "transport/connection/replay_window.h"
#include "transport/connection/round_trip.h"
#include "transport/connection/sent_packets.h"
#include "transport/connection/stream_receive.h"
#include "transport/connection/stream_send.h"

namespace tern {

inline constexpr std::byte data_datagram_type{4};
inline constexpr uint32_t close_packets = 3;     // How often goodbye is said.
inline constexpr uint32_t closing_ticks_max = 8; // Then it is over, even if nobody sent them.
inline constexpr uint32_t probe_packets = 2;     // Per probe timeout, RFC 9002, 6.2.4.
inline constexpr uint32_t probe_backoff_max = 6; // Doublings.
// Where so many of 65536 packets are lost, new stream bytes ride twice, or three times.
inline constexpr uint32_t two_copies_loss = 65'536 / 150, three_copies_loss = 65'536 * 15 / 100;
inline constexpr uint32_t doubtful_probes = 3; // Probe timeouts without an answer.

// All of it, with rings and bits, lies in one block; nothing in it points anywhere.
struct Connection { // Closed.
    ConnectionLimits _limits;
    size_t _size_bytes;

    // Who.
    AeadKey _send_key, _receive_key;
    bool _has_keys;
    uint64_t _send_key_name, _receive_key_name;
    uint32_t _remote_id;
    Address _address;
    PathSize _path_size; // To that address.

    // How it ends.
    Link _link;
    CloseReason _close_reason; // Ours while closing; theirs in closed_by_peer.
    bool _close_due;           // A goodbye in this tick.
    uint32_t _close_count;     // Goodbyes said.
    uint32_t _closing_ticks;
    uint64_t _heard_us; // When something authentic came last.

    // Packets.
    ReplayWindow _arrived;
    AckTracker _acks;
    RoundTrip _round_trip;
    uint32_t _loss; // Of packets, lately, in 65536ths.
    SentPackets _sent;
    SentPacket _making; // What goes into the packet that has been begun.
    bool _packet_begun;

    // Probes.
    bool _ping_due;
    uint32_t _probes_due;  // Packets.
    uint32_t _probe_count; // Timeouts since the last ack that told something new.
    uint64_t _answered_us; // When that came, or the connection was opened.

    StreamSend _send[stream_count];
    StreamReceive _receive[stream_count];
    Congestion _congestion;
    Pace _pace;
    Stats _stats;
    Tallies _tallies;
};
// An idle connection touches one page.
static_assert(sizeof(Connection) + sent_places_min * sizeof(SentPacket) <=
              connection::block_alignment);

namespace connection {

// Open or closing, with keys.
bool is_alive(const Connection &c);
// Passes on to the streams what was found out about packets.
void settle_streams(Connection &c);
// Everything in flight that was sent by then counts as lost.
void lose_packets(Connection &c, uint64_t sent_us);
void end(Connection &c, Link link); // A final one.
void begin_closing(Connection &c, CloseReason reason);
// How often new stream bytes are sent, for the loss that was measured.
uint32_t copies(const Connection &c);
// A place for one more packet, and for the goodbyes.
bool has_place(const Connection &c);
uint64_t probe_interval_us(const Connection &c);
void set_pace(Connection &c, uint64_t now_us); // To the lesser of cap and congestion window.
bool keep_alive_due(const Connection &c, uint64_t now_us);

}
}
