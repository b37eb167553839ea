// The sending half of a reliable ordered stream: messages become bytes with offsets, and each byte
// is retransmitted until a packet with it is acked.
#pragma once
#include "transport/connection/bit_ring.h"
#include "transport/transport_types.h"

namespace tern {

// The most packets that carry a copy of new bytes before any of them counts as lost.
inline constexpr uint32_t stream_copies_max = 3;

// Offsets: acked <= sent <= queued. Bytes below acked are acked and removed. Each byte from acked
// to sent (at most stream_window_bytes) is acked, lost or in flight. Bytes from sent on wait. The
// state is kept for each byte, so that no pattern of losses can overflow it.
struct StreamSend {        // Closed.
    Flat<std::byte> _ring; // Bytes by offset; a power of two that holds _queue_bytes_max.
    BitRing _acked_bits;   // Acked bytes beyond _acked.
    BitRing _lost_bits;    // Bytes to retransmit.
    uint64_t _acked;
    uint64_t _sent;
    uint64_t _queued;
    uint64_t _lost_from; // No lost byte has a lower offset.
    size_t _acked_count; // Bits set in _acked_bits.
    size_t _lost_count;  // Bits set in _lost_bits.
    size_t _queue_bytes_max;
    uint64_t _new_us; // The last tick in which take_new() was called.
    // _sent before that tick, and before the earlier such tick.
    uint64_t _starts[stream_copies_max - 1];
};

// If packets get lost, small messages are sent in several packets, one per tick, so that a lost
// packet costs a tick and not a round trip. If more than this many bytes of a stream would have to
// be repeated in a packet, none are: bulk data is sent once.
inline constexpr size_t again_bytes_max = 255;

// Bytes to put into a packet, in one or two parts.
struct StreamBytes {
    uint64_t offset;
    std::span<const std::byte> first;
    std::span<const std::byte> second;
    size_t last_bytes;  // How many bytes at the start are in the last of their several copies.
    size_t again_bytes; // How many bytes at the start were sent before.
};

namespace stream_send {

void place(flat::Builder &builder, StreamSend &stream, size_t queue_bytes_max);
// Call before the memory is placed again: place() expects the bits to be zero.
void clear_bits(StreamSend &stream);
// Queues one whole message. False if it is larger than room_bytes(); then nothing is queued.
bool queue(StreamSend &stream, std::span<const std::byte> message);
size_t room_bytes(const StreamSend &stream); // The size of the largest message that fits now.
uint64_t queued(const StreamSend &stream);
uint64_t sent(const StreamSend &stream);
uint64_t acked(const StreamSend &stream);

bool any_lost(const StreamSend &stream);
// There are bytes within the window that were never sent, or that are due for another copy. New
// bytes are sent in `copies` packets of different ticks.
bool any_new(const StreamSend &stream, uint32_t copies, uint64_t now_us);
// Take at most bytes_max bytes, the oldest first. The bytes count as in flight from now on. The
// spans are valid until the next call that changes the stream.
StreamBytes take_lost(StreamSend &stream, size_t bytes_max);
StreamBytes take_new(StreamSend &stream, size_t bytes_max, uint32_t copies, uint64_t now_us);

// The outcome of bytes that were taken. offset_low: the low 32 bits of the first byte's offset.
void arrived(StreamSend &stream, uint32_t offset_low, size_t size_bytes);
void lost(StreamSend &stream, uint32_t offset_low, size_t size_bytes);
// For a probe: marks the oldest unacked bytes, at most bytes_max, as lost. False: all are acked.
bool repeat_oldest(StreamSend &stream, size_t bytes_max);

}
}
