// The bytes of a data datagram: an AEAD seals it, with the header as associated data and the packet
// number as the nonce, and its content is a row of frames. Each content has exactly one valid
// encoding, and a reader rejects any other as malformed. Formats: docs/wire_format.md, "Data
// datagrams" and "Frames".
#pragma once
#include "transport/transport_types.h"

namespace tern {

// --- The seal ---

// The key changes once every packets_per_key packet numbers, so that no key comes near the limits
// of AES-256-GCM (RFC 9001, B.1).
inline constexpr unsigned packets_per_key_bits = 26;
inline constexpr uint64_t packets_per_key = 1ull << packets_per_key_bits;

struct AeadKey { // Closed. The key of one direction.
    Cipher _cipher;
    uint8_t _first[32];                     // The key from the handshake.
    uint8_t _present[32];                   // The key of the present epoch.
    uint64_t _epoch;                        // Packet number / packets_per_key.
    alignas(16) std::byte _round_keys[512]; // aes256_gcm: libsodium's precomputed state.
};

namespace aead {

// The hardware has AES instructions. libsodium must be initialized; before, this is false.
bool has_aes256_gcm();
AeadKey key(const uint8_t (&bytes)[32], Cipher cipher = Cipher::chacha20_poly1305);
// Prepares the key for the epoch of this packet number. Packets of other epochs can still be sealed
// and opened, but each derives its key anew.
void reach(AeadKey &key, uint64_t packet_number);

// Encrypts in place what lies between the header and the last tag_bytes, and writes the tag there.
// Never seal two datagrams with the same key and number: that breaks the AEAD.
void seal(const AeadKey &key, uint64_t packet_number, std::span<std::byte> datagram);
// Decrypts the content into scratch, which must have room for it. False if the datagram was not
// sealed with this key and number; the bytes in scratch are then undefined.
bool open(const AeadKey &key, uint64_t packet_number, std::span<const std::byte> datagram,
          std::span<std::byte> scratch);
inline constexpr size_t content_bytes(size_t datagram_bytes)
{
    return datagram_bytes - data_header_bytes - tag_bytes;
}

}

// --- Frames ---

// The first byte of a frame holds its kind. For an unreliable message it also holds the length, if
// that is below 31 or the message extends to the end of the packet. Frames are ordered by rank:
// ack, chunks, ping, close, unreliable messages, padding. Ack, ping, close and padding occur at
// most once in a packet.
enum class FrameKind : uint8_t {
    none,
    ack,
    world_chunk,
    calls_chunk,
    ping,
    close,
    padding,
    snapshot, // From here on the unreliable messages, in the order of UnreliableKind.
    updates,
    call,
    notice,
    bridged,
    challenge,
    answer
};

inline constexpr size_t ack_bitmap_bytes_max = 64;
inline constexpr size_t ack_header_bytes = 8;
inline constexpr size_t chunk_header_bytes = 7;
inline constexpr size_t ping_bytes = 1;
inline constexpr size_t close_bytes = 2;
inline constexpr size_t short_unreliable_bytes_max = 30; // Longer messages may need a length field.
inline constexpr size_t unreliable_header_bytes = 1;     // Enough for a short or last message.
inline constexpr size_t unreliable_length_bytes = 2;     // Follows the header of any other message.
inline constexpr uint64_t ack_delay_unit_us = 16;

struct Ack {
    uint32_t largest_low; // Low 32 bits of the largest packet number that has arrived.
    uint16_t delay_units; // How long the ack of the largest waited; 65535: that or longer.
    uint8_t bitmap_count; // Bytes of the bitmap in use.
    // Which of the 8 * bitmap_count packets before the largest have arrived. The lowest bit of the
    // first byte stands for the oldest of them. The first byte is not zero.
    std::byte bitmap[ack_bitmap_bytes_max];
};

// A frame that was read. `bytes` points into the content that the reader was made with.
struct Frame {
    FrameKind kind;
    CloseReason reason;   // close
    uint16_t delay_units; // ack
    uint32_t low;         // ack: largest. Chunk: low 32 bits of its offset.
    // ack: the bitmap. Chunk, unreliable: the content. padding: the zeros.
    std::span<const std::byte> bytes;
};

struct FrameReader { // Closed.
    std::span<const std::byte> _rest;
    FrameKind _last;
    bool _failed;
};

namespace frames {

// Each function writes one frame, or the part of it before its content, and returns the number of
// bytes written.
size_t write_ack(std::span<std::byte> to, const Ack &ack);
size_t write_chunk_header(std::span<std::byte> to, StreamId stream, uint64_t offset,
                          size_t size_bytes);
size_t write_ping(std::span<std::byte> to);
size_t write_close(std::span<std::byte> to, CloseReason reason);
size_t write_padding(std::span<std::byte> to); // Fills the whole span.
// Writes the header of an unreliable message that is the last frame of its packet.
size_t write_unreliable_header(std::span<std::byte> to, UnreliableKind kind, size_t size_bytes);
// Call before another unreliable message follows. Inserts the length field if the message needs one
// and moves the content behind it. `unreliable` begins at the header and has room for the field;
// frame_bytes of it are in use. Returns by how many bytes the frame has grown: 0 or 2.
size_t put_length(std::span<std::byte> unreliable, size_t frame_bytes);

FrameReader reader(std::span<const std::byte> content);
Frame next(FrameReader &reader); // Kind none at the end and from the first malformed frame on.
bool failed(const FrameReader &reader); // A frame was malformed, or the content empty.

bool is_chunk(FrameKind kind);
bool is_unreliable(FrameKind kind);
StreamId stream(FrameKind chunk);
UnreliableKind unreliable_kind(FrameKind unreliable);

}
}
