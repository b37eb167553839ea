// The connection to one remote peer after the handshake: keys, packet numbers, acks, round trip,
// loss, two reliable streams, a byte budget. Knows nothing of sockets, objects or other peers.
//
// open_packet() decrypts and checks a packet without any effect; accept() then applies it. A packet
// that is not accepted has no effect at all. Loss detection and probes follow RFC 9002, with ticks
// as the only timer.
// Formats: docs/wire_format.md, "Data datagrams".
#pragma once
#include "tern/diagnostics.hpp"
#include "tern/limits.hpp"
#include "transport/connection/packet_codec.h"
#include "transport/transport_types.h"

namespace tern {

struct Connection; // Closed, large. connection_types.h has its members, for transport/ only.

struct ConnectionLimits {
    uint32_t send_bytes_per_second_max;
    uint32_t timeout_us;                    // Silence of the peer after which the link is `silent`.
    uint32_t queue_bytes_max[stream_count]; // Queued and unacked bytes of each stream.
    // An additional limit while the address is a bridged one: the relay forwards no more.
    uint32_t bridged_bytes_per_second_max = UINT32_MAX;
};

// The state of a connection. It never becomes open again; `closing` ends in closed_by_us, the other
// states are final.
enum class ConnectionState : uint8_t {
    open,
    closing,        // Sends close frames.
    closed_by_peer, // The peer sent a close frame.
    closed_by_us,   // The close frames have been sent.
    silent,         // No authentic packet arrived for timeout_us.
    exhausted       // packet_number_max has been reached.
};

// The result of open_packet().
enum class Opening : uint8_t {
    ok,
    malformed, // Sealed with the key of this connection, but not in the format.
    forged,    // Not sealed with that key.
    replayed,  // Accepted before, or too old for the replay window.
    no_room    // Its stream bytes lie beyond what has room here; the peer sends them again.
};

// A packet has at most so many frames beside its unreliable messages: chunks of one byte, and one
// of each other kind.
inline constexpr size_t packet_frames_max =
    (datagram_bytes_max - data_header_bytes - tag_bytes) / (chunk_header_bytes + 1) + 4;

// An opened packet lies here.
struct PacketRoom {
    std::byte content[datagram_bytes_max];
    Frame frames[packet_frames_max];
};

// A packet that has been opened and not yet accepted. Its spans point into the caller's room.
struct OpenedPacket {
    Opening opening;
    uint64_t number;
    std::span<const std::byte> content; // All bytes of the frames.
    std::span<const Frame> frames;      // Checked. The unreliable messages are not among them.
    UnreliableMessage unreliable[unreliable_messages_max];
    size_t unreliable_count;
};

// A packet between begin_packet() and finish_packet().
struct Packet {
    uint64_t number;
    std::span<std::byte> datagram; // The caller's buffer, cut to the size of this datagram.
    size_t size_bytes;             // Header and frames written so far.
    size_t unreliable_count;
    size_t unreliable_header_bytes; // The headers of all unreliable messages so far.
    size_t unreliable_at;           // Where the header of the last one is; 0: there is none.
    bool ack_eliciting;
};

// A packet that is sent to an address of the caller's choice, outside begin_packet() and
// finish_packet(), to test a path.
struct OutOfBandPacket {
    std::span<const std::byte> bytes;
    uint64_t number; // The number of its packet.
};

namespace connection {

// size_bytes(): the memory of one connection with all its queues. place() makes a connection in it,
// which is unusable until open(). The memory must be aligned to memory_alignment; with
// block_alignment an idle connection touches a single page. Another connection may reuse it.
inline constexpr size_t memory_alignment = 16;  // That of the keys. Some machines align less.
inline constexpr size_t block_alignment = 4096; // One page.
size_t size_bytes(const ConnectionLimits &limits);
Connection *place(void *memory, const ConnectionLimits &limits);
// Like place(), in memory that is all zero. Writes to few pages only, as most of the memory of a
// connection is never used.
Connection *place_in_zeroed(void *memory, const ConnectionLimits &limits);

// Starts after the handshake. remote_id: the connection id that the peer chose, which our datagrams
// carry. A connection that was open before loses everything but its limits and tallies.
void open(Connection &c, const DataKeys &keys, uint32_t remote_id, const Address &address,
          uint64_t now_us);
void wipe(Connection &c); // Erases the keys; nothing can be received or sent any more.

// --- Receiving ---
// Decrypts into `room` and checks every frame. Changes nothing of the connection. `malformed`
// includes stream bytes outside the receive window and an ack of a packet that was never sent.
OpenedPacket open_packet(const Connection &c, std::span<const std::byte> datagram,
                         PacketRoom &room);
// Applies acks, stores stream bytes and schedules an ack. The caller then handles the unreliable
// messages. If it cannot, it passes Acking::no: the packet is not acked, so its sender counts it
// as lost. Returns false without any effect if a packet with this number was accepted since this
// one was opened, or if the connection has ended.
enum class Acking : uint8_t { no, yes };
bool accept(Connection &c, const OpenedPacket &packet, uint64_t now_us,
            Acking acking = Acking::yes);
// Schedules the ack of a packet that was accepted with Acking::no, unless it has one or the
// connection has ended.
void acknowledge(Connection &c, const OpenedPacket &packet, uint64_t now_us);
// The oldest complete message of a stream; empty if there is none. The span is valid until
// consume_message(). Consume all messages in each tick: the receive window moves only with what is
// consumed. An invalid message length closes an open connection with protocol_error.
std::span<const std::byte> peek_message(Connection &c, StreamId stream);
void consume_message(Connection &c, StreamId stream);

// --- Time ---
// Call once per tick, after the tick's datagrams: detects loss, schedules probes, ends a connection
// whose peer is silent.
void update(Connection &c, uint64_t now_us);
// Before this time update(), peek_message(), wants_packet() and in_doubt() find nothing new, unless
// a packet is accepted, a message is queued, or another function of this header acts on the
// connection. 0: they may find something at any time.
uint64_t quiet_until_us(const Connection &c);
ConnectionState state(const Connection &c);
// When the last authentic packet was accepted, or the connection was opened.
uint64_t last_received_us(const Connection &c);
// The number of the next packet of ours, and whether the peer has acked one from `number` on: then
// it was there after that packet was sent.
uint64_t next_number(const Connection &c);
bool has_acked_since(const Connection &c, uint64_t number);
CloseReason close_reason(const Connection &c); // closed_by_peer: the reason that the peer gave.
// Returns the outcome of each packet once, lowest number first among those known; false if there
// are no more for now. Take all of them once per tick, as packets whose outcome has not been taken
// occupy places. When the connection closes or ends, all packets in flight are reported as lost.
bool take_packet_outcome(Connection &c, PacketOutcome &outcome);

// --- Sending ---
// Queues a message of 1 to stream_message_bytes_max bytes. False if the queue has no room; then
// nothing was queued.
bool queue_message(Connection &c, StreamId stream, std::span<const std::byte> message);
// The size of the largest message that fits into the queue now.
size_t queue_room_bytes(const Connection &c, StreamId stream);
uint64_t queued_offset(const Connection &c, StreamId stream); // End of all that was queued.
uint64_t sent_offset(const Connection &c, StreamId stream);   // End of all that was ever sent.
uint64_t acked_offset(const Connection &c, StreamId stream);  // All bytes before it are acked.
// Whether one more packet may be sent now: window and pace allow it, or an ack or a probe is due;
// and it finds a place among the packets whose outcome is unknown or not taken.
bool has_budget(const Connection &c, uint64_t now_us);
// Whether a packet is due even if the caller has no unreliable message: acks, pings, stream bytes,
// close.
bool wants_packet(const Connection &c, uint64_t now_us);
// Begins a packet and writes into it what is due: acks and at most stream_bytes_max stream bytes.
// Requires has_budget(). Until finish_packet() no packet may be accepted and no other begun. Some
// packets have no room for unreliable messages (those that probe a larger datagram size, and acks
// beyond the budget); their messages wait for another packet.
Packet begin_packet(Connection &c, std::span<std::byte> datagram, size_t stream_bytes_max,
                    uint64_t now_us);
// Where the caller writes the content of one unreliable message, before it calls add_unreliable();
// empty if the packet has no room.
std::span<std::byte> unreliable_room(Packet &packet);
// Adds the message of size_bytes that was written to unreliable_room().
void add_unreliable(Packet &packet, UnreliableKind kind, size_t size_bytes);
// Seals the packet. Returns the datagram to send, which is charged to the budget. Returns an empty
// span if the packet has no frames; its number is then used by the next packet.
std::span<const std::byte> finish_packet(Connection &c, Packet &packet, uint64_t now_us);
void ping(Connection &c); // The next packet will elicit an ack.
// Sends a close frame in the next three packets, one per tick, even without budget; then the state
// is closed_by_us. From now on no messages are sent. No effect if the connection is not open.
void close(Connection &c, CloseReason reason, uint64_t now_us);

// --- Paths. The caller finds out which path leads to the peer: session/bridge.cpp. ---
Address address(const Connection &c);
// Sends to this address from now on and starts anew with path size and congestion control. A
// bridged address has smaller datagrams and a rate limit of its own.
void redirect(Connection &c, const Address &address, uint64_t now_us);
// Seals an out-of-band packet with one unreliable message, which the caller sends to an address of
// its choice. It needs no budget, is not in flight and triggers no probe; its bytes are charged to
// the pace, and take_packet_outcome() reports its outcome. Empty if there is no place for a packet.
OutOfBandPacket out_of_band_packet(Connection &c, std::span<std::byte> datagram,
                                   UnreliableKind kind, std::span<const std::byte> content,
                                   uint64_t now_us);
// The present path may be broken: three probe timeouts, or three eighths of the timeout, have
// passed without an ack of a packet that was in flight.
bool in_doubt(const Connection &c, uint64_t now_us);
void end_doubt(Connection &c, uint64_t now_us); // The caller knows that the path works.

// A hash of the key: equal at both ends, different for each key and direction. It does not reveal
// the key.
uint64_t send_key_name(const Connection &c);
uint64_t receive_key_name(const Connection &c);
Stats stats(const Connection &c); // All but breaches, which the caller fills in.
const Tallies &tallies(const Connection &c);

// Pretends that this many packets were sent each way and acked, to test very high packet numbers.
// Call it at both ends right after open().
void skip_numbers(Connection &c, uint64_t sent, uint64_t received);

}
}
