// The words of the transport: keys, streams, packets and what became of them. No functions.
#pragma once
#include "tern/types.h"

namespace tern {

struct KeyPair { // X25519.
    uint8_t public_key[32];
    uint8_t secret_key[32];
};

// Data ciphers that the handshake can choose. The second only where both sides have it in hardware.
enum class Cipher : uint8_t { chacha20_poly1305, aes256_gcm };

// What a finished handshake leaves: one key per direction.
struct DataKeys {
    uint8_t send[32];
    uint8_t receive[32];
    Cipher cipher;
};

// Two reliable ordered streams of messages per connection.
enum class StreamId : uint8_t { world, calls };
inline constexpr size_t stream_count = 2;

inline constexpr uint8_t wire_version = 1;
inline constexpr size_t data_header_bytes = 9;
inline constexpr size_t tag_bytes = 16;
// Of one that travels inside a packet of another connection, which has room for it beside an ack.
inline constexpr size_t bridged_datagram_bytes_max = 1096;
inline constexpr size_t stream_message_bytes_max = 64 * 1024; // Of one message on a stream.
inline constexpr size_t stream_length_bytes_max = 3;          // Before each message, a varint.
inline constexpr size_t stream_receive_bytes = 256 * 1024;    // Window and one message.
inline constexpr size_t stream_window_bytes =                 // Sent, not yet acked.
    stream_receive_bytes - stream_message_bytes_max - stream_length_bytes_max;
inline constexpr uint64_t packet_number_max = 1ull << 60; // Then the connection is closed.

enum class UnreliableKind : uint8_t { snapshot, updates, call, clock, bridged, challenge, answer };

struct UnreliableMessage {
    UnreliableKind kind;
    std::span<const std::byte> bytes;
};
inline constexpr size_t unreliable_messages_max = 64; // In one packet.

// Bytes of one sort, and how many things they were.
struct Tally {
    uint64_t bytes, count;
};

// What was sent by what it was, apart from the content of unreliable messages, which is known to
// who writes it. All that was ever sent: a connection that is opened again goes on counting.
struct Tallies {
    Tally handshakes;          // Whole datagrams. An endpoint's alone.
    Tally packets;             // Whole: each has a header and a tag.
    Tally acks, pings, frames; // frames: what precedes chunks, unreliable and stream messages.
    Tally repeated;            // Stream bytes beyond the first time.
    uint64_t queued_bytes;     // Put into streams, with what precedes each message,
    uint64_t fresh_bytes;      // ... and of those sent at least once.
};

// What became of a packet that we sent; told once for each packet.
struct Fate {
    uint64_t packet;
    bool arrived; // Else it counts as lost, whatever is heard of it later.
};

enum class CloseReason : uint8_t {
    none,
    left, // For good, and as it wished.
    removed,
    refused,
    protocol_error,
    replaced,
    minority // Cut off from most others: it may go on without us.
};

}
