// Everything about one remote peer after the handshake: keys, packet numbers, acks, round trip,
// loss, two reliable streams, a byte budget. Knows nothing of sockets, objects or other peers.
//
// A packet is opened (decrypted and checked whole, nothing changes), then accepted, or not: then
// it has never been. Loss detection and probes follow RFC 9002, with ticks as the only timer.
// Formats: docs/wire_format.md, "Data datagrams".
#pragma once
#include "transport/transport_types.h"

namespace tern {

struct Connection; // Closed; large. connection_types.h has its members, for this folder.

struct ConnectionLimits {
    uint32_t send_bytes_per_second_max;
    uint32_t timeout_us;                    // Silence after which the connection is lost.
    uint32_t queue_bytes_max[stream_count]; // Queued and unacked bytes of a stream.
    uint32_t bridged_bytes_per_second_max = UINT32_MAX; // While the address is a bridged one.
};

// What a connection has come to. All but open are final.
enum class Link : uint8_t { open, closing, closed_by_peer, closed_by_us, silent, exhausted };

enum class Opening : uint8_t { ok, malformed, forged, replayed };

// A packet that has been opened and not yet accepted. Its spans point into the caller's scratch.
struct OpenedPacket {
    Opening opening;
    uint64_t number;
    std::span<const std::byte> frames; // The whole content, checked.
    UnreliableMessage unreliable[unreliable_messages_max];
    size_t unreliable_count;
};

// A packet in the making.
struct Packet {
    uint64_t number;
    std::span<std::byte> datagram; // The caller's buffer, datagram_bytes_max.
    size_t size_bytes;             // Header and frames written so far.
    size_t unreliable_count;
    size_t unreliable_header_bytes; // Of all those.
    size_t unreliable_at;           // Where the last one's header is; 0: there is none.
    bool ack_eliciting;
};

// A datagram that has been sealed for itself.
struct Lone {
    std::span<const std::byte> bytes;
    uint64_t number; // Of its packet.
};

namespace connection {

// Memory for one, with all its queues, aligned as for any type, or better to block_alignment; then
// placed in it, closed until open(). The memory may be reused for another.
inline constexpr size_t block_alignment = 4096; // A page, so that an idle one touches one.
size_t size_bytes(const ConnectionLimits &limits);
Connection *place(void *memory, const ConnectionLimits &limits);
// The same in memory that is zero, which it hardly touches: most of it is never used.
Connection *place_in_zeroed(void *memory, const ConnectionLimits &limits);

// After the handshake. remote_id: the connection id that the peer wants to read in our datagrams.
void open(Connection &c, const DataKeys &keys, uint32_t remote_id, const Address &address,
          uint64_t now_us);
void wipe(Connection &c); // Forgets the keys.

// --- Receiving ---
// Decrypts into scratch (datagram_bytes_max) and checks every frame. Changes nothing. malformed:
// also for stream bytes outside the receive window, and for an ack of what was never sent.
OpenedPacket open_packet(const Connection &c, std::span<const std::byte> datagram,
                         std::span<std::byte> scratch);
// Takes acks, stores stream bytes, remembers to ack it. The unreliable messages are the caller's
// business, after; with Acking::no, where he cannot take them, to its sender the packet is lost.
// False, and nothing is done: the same number was accepted since it was opened, or the link has
// ended.
enum class Acking : uint8_t { no, yes };
bool accept(Connection &c, const OpenedPacket &packet, uint64_t now_us,
            Acking acking = Acking::yes);
// The oldest complete message of a stream; empty if there is none. It stays until consumed. All
// of them are to be consumed in each tick: the receive window moves with what is consumed. A
// message of a length that cannot be closes the link, with protocol_error.
std::span<const std::byte> peek_message(Connection &c, StreamId stream);
void consume_message(Connection &c, StreamId stream);

// --- Time. Once per tick, after the tick's datagrams: loss, probes, silence. ---
void update(Connection &c, uint64_t now_us);
Link link(const Connection &c);
uint64_t heard_us(const Connection &c); // When something authentic came last, or it was opened.
CloseReason close_reason(const Connection &c); // closed_by_peer: what it said.
// What became of packets, each once, by their numbers; false: no more is known. All are to be taken
// once per tick. When the link ends or closes, all that is in flight is told as lost.
bool take_fate(Connection &c, Fate &fate);

// --- Sending ---
// Queues a message of 1 to stream_message_bytes_max. False if the queue has no room; then nothing
// was queued.
bool queue_message(Connection &c, StreamId stream, std::span<const std::byte> message);
size_t queue_room_bytes(const Connection &c, StreamId stream); // For one more message's bytes.
uint64_t queued_offset(const Connection &c, StreamId stream);  // End of all that was queued.
uint64_t acked_offset(const Connection &c, StreamId stream);   // All below has been acked.
// For one more packet now: bytes, and a place among the packets whose fate is open or not taken.
bool has_budget(const Connection &c, uint64_t now_us);
bool wants_packet(const Connection &c, uint64_t now_us); // Without any unreliable message.
// Starts a packet with what is due: acks, stream bytes (at most stream_bytes_max of them). Only
// with has_budget(). Between begin and finish no packet may be accepted, nor another begun. Rarely
// it is one that tries a larger size, with padding and no room; then another is to be begun.
Packet begin_packet(Connection &c, std::span<std::byte> datagram, size_t stream_bytes_max,
                    uint64_t now_us);
// Where one unreliable message may be written, before the next add_unreliable(); empty: no room.
std::span<std::byte> unreliable_room(Packet &packet);
void add_unreliable(Packet &packet, UnreliableKind kind, size_t size_bytes); // Written there.
// Seals it. The datagram's bytes to send; they count against the budget. Empty, and the number is
// free again, if there is nothing in it.
std::span<const std::byte> finish_packet(Connection &c, Packet &packet, uint64_t now_us);
void ping(Connection &c); // Asks for an ack with the next packet.
// Says goodbye in the next packets (three of them, one per tick, even without budget), then
// closed_by_us. Nothing else is sent from here on. Without effect if the link is not open.
void close(Connection &c, CloseReason reason, uint64_t now_us);

// --- Where to. The caller finds out what leads to the peer; see session/bridge.cpp. ---
Address address(const Connection &c);
// From now on it sends there. A bridged address has smaller datagrams and a rate of its own.
void redirect(Connection &c, const Address &address, uint64_t now_us);
// A sealed datagram with one unreliable message, for an address of the caller's choice: no part of
// loss detection and budget. Empty if there is no place for a packet.
Lone lone_message(Connection &c, std::span<std::byte> datagram, UnreliableKind kind,
                  std::span<const std::byte> content, uint64_t now_us);
// Three probe timeouts without an ack that told something new, or three eighths of the timeout:
// what is sent may not arrive.
bool in_doubt(const Connection &c, uint64_t now_us);
void end_doubt(Connection &c, uint64_t now_us); // The caller knows that it arrives.

// Equal at both ends, different for every key and direction, and telling nothing about the key.
uint64_t send_key_name(const Connection &c);
uint64_t receive_key_name(const Connection &c);
Stats stats(const Connection &c); // bad_messages is the caller's to fill in.
const Tallies &tallies(const Connection &c);

// As if so many packets had gone each way and been acked: for tests of the far ends of numbers.
// Right after open(), at both ends.
void skip_numbers(Connection &c, uint64_t sent, uint64_t received);

}
}
