// Types of the transport: keys, streams, packets and their outcomes. No functions.
#pragma once
#include "tern/types.hpp"

namespace tern {

struct KeyPair { // X25519.
    uint8_t public_key[32];
    uint8_t secret_key[32];
};

// AEADs for data packets; the handshake chooses one. AES only if both CPUs have instructions for
// it.
enum class Cipher : uint8_t { chacha20_poly1305, aes256_gcm };

// Result of a handshake: one key for each direction.
struct DataKeys {
    uint8_t send[32];
    uint8_t receive[32];
    Cipher cipher;
};

// Each connection has two reliable ordered streams of messages.
enum class StreamId : uint8_t { world, calls };
inline constexpr size_t stream_count = 2;

inline constexpr uint8_t wire_version = 1;
inline constexpr size_t data_header_bytes = 9;
inline constexpr size_t tag_bytes = 16;
// Largest datagram that is relayed inside a packet of another connection: such a packet of
// datagram_bytes_base also has room for an ack.
inline constexpr size_t bridged_datagram_bytes_max = 1096;
inline constexpr size_t stream_message_bytes_max = 64 * 1024; // One message on a stream.
inline constexpr size_t stream_length_bytes_max = 3;          // Varint before each message.
inline constexpr size_t stream_receive_bytes = 256 * 1024;    // Window and one whole message.
// Flow-control window: stream bytes that may be sent and not yet acked.
inline constexpr size_t stream_window_bytes =
    stream_receive_bytes - stream_message_bytes_max - stream_length_bytes_max;
inline constexpr uint64_t packet_number_max = 1ull
                                              << 60; // The connection closes when it gets here.

enum class UnreliableKind : uint8_t { snapshot, updates, call, notice, bridged, challenge, answer };

struct UnreliableMessage {
    UnreliableKind kind;
    std::span<const std::byte> bytes;
};
inline constexpr size_t unreliable_messages_max = 64; // In one packet.

// A sum of bytes, and the number of items that they belong to.
struct Tally {
    uint64_t bytes, count;
};

// Sent bytes by purpose, for traffic_rows(). The writers of unreliable messages charge the content
// of these themselves. The sums cover all connections that a place has ever had: opening a
// connection again does not reset them.
struct Tallies {
    Tally handshakes;          // Whole datagrams. Counted by the endpoint only.
    Tally packets;             // Whole packets; each has a header and a tag.
    Tally acks, pings, frames; // frames: heads of chunks and messages.
    Tally repeated;            // Stream bytes sent again.
    uint64_t queued_bytes;     // Bytes put into streams, with the length before each message.
    uint64_t fresh_bytes;      // Stream bytes that were sent at least once.
};

// The outcome of a packet that we sent, reported once for each packet.
struct PacketOutcome {
    uint64_t packet;
    bool acked; // Acked; otherwise lost. A lost packet stays lost even if a late ack arrives.
};

enum class CloseReason : uint8_t {
    none,
    left, // The peer has left the session for good, by its own choice.
    removed,
    refused,
    protocol_error,
    replaced,
    cut_off // The peer is cut off from most members, and goes on without them.
};

}
