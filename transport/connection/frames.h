// What the content of a data datagram is made of. One encoding for each content: whatever else
// comes is malformed. Formats: docs/wire_format.md, "Frames".
#pragma once
#include "transport/transport_types.h"

namespace tern {

// The first byte of a frame says its kind; of an unreliable message also its length, if that is
// below 31 or it goes to the end of the packet. In a packet they come in the order of their rank:
// ack, chunks, ping, close, unreliable messages, padding; ack, ping, close and padding at most
// once.
enum class FrameKind : uint8_t {
    none,
    ack,
    world_chunk,
    calls_chunk,
    ping,
    close,
    padding,
    snapshot, // The unreliable ones, in the order of UnreliableKind.
    updates,
    call,
    clock,
    bridged,
    challenge,
    answer
};

inline constexpr size_t ack_bitmap_bytes_max = 64;
inline constexpr size_t ack_header_bytes = 8;
inline constexpr size_t chunk_header_bytes = 7;
inline constexpr size_t ping_bytes = 1;
inline constexpr size_t close_bytes = 2;
inline constexpr size_t short_unreliable_bytes_max = 30; // A header of one byte is enough.
inline constexpr size_t unreliable_header_bytes = 1;     // Of a short one, and of the last.
inline constexpr size_t unreliable_length_bytes = 2;     // Behind it, of any other.
inline constexpr uint64_t ack_delay_unit_us = 16;

struct Ack {
    uint32_t largest_low; // Low 32 bits of the largest packet number that has arrived.
    uint16_t delay_units; // How long that one has waited for this ack; 65535: that or longer.
    uint8_t bitmap_count; // Bytes in use.
    // Of the 8 * bitmap_count packets before the largest, oldest in the lowest bit of the first
    // byte: which have arrived. The first byte is not zero.
    std::byte bitmap[ack_bitmap_bytes_max];
};

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

// Each writes one frame, or the part before its content, and returns the bytes written.
size_t write_ack(std::span<std::byte> to, const Ack &ack);
size_t write_chunk_header(std::span<std::byte> to, StreamId stream, uint64_t offset,
                          size_t size_bytes);
size_t write_ping(std::span<std::byte> to);
size_t write_close(std::span<std::byte> to, CloseReason reason);
size_t write_padding(std::span<std::byte> to); // All of it.
// As of the last in its packet. If another follows, its length is to be put in; how many bytes that
// takes, by which its content is moved: frame_bytes are in use of the span.
size_t write_unreliable_header(std::span<std::byte> to, UnreliableKind kind, size_t size_bytes);
size_t put_length(std::span<std::byte> unreliable, size_t frame_bytes);

FrameReader reader(std::span<const std::byte> content);
Frame next(FrameReader &reader); // Of kind none at the end, and from the first malformed one on.
bool failed(const FrameReader &reader);

bool is_chunk(FrameKind kind);
bool is_unreliable(FrameKind kind);
StreamId stream(FrameKind chunk);
UnreliableKind unreliable_kind(FrameKind unreliable);

}
}
