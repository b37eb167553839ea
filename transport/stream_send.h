// The sending half of a reliable ordered stream: messages become bytes with offsets, and each byte
// is sent until a packet that held it is acked.
#pragma once
#include "transport/bit_ring.h"
#include "transport/transport_types.h"

namespace tern {

// Offsets: acked <= sent <= queued. Below acked all is acked and forgotten; what lies between
// acked and sent (at most stream_window_bytes) is acked, lost or in flight, byte by byte; the rest
// waits. So no pattern of loss is too fine to be remembered.
struct StreamSend {        // Closed.
    Flat<std::byte> _ring; // By offset; a power of two that holds _queue_bytes_max.
    BitRing _acked_bits;   // Beyond _acked.
    BitRing _lost_bits;    // To be sent again.
    uint64_t _acked;
    uint64_t _sent;
    uint64_t _queued;
    uint64_t _lost_from; // No lost byte lies below.
    size_t _acked_count; // Bits set.
    size_t _lost_count;  // Bits set.
    size_t _queue_bytes_max;
};

// Bytes to put in a packet; they may lie in two parts.
struct StreamBytes {
    uint64_t offset;
    std::span<const std::byte> first;
    std::span<const std::byte> second;
};

namespace stream_send {

void place(flat::Builder &builder, StreamSend &stream, size_t queue_bytes_max);
void clear_bits(StreamSend &stream); // Before its memory is placed again: bits must be zero there.
// One more message, whole. False if there is no room: more than room_bytes().
bool queue(StreamSend &stream, std::span<const std::byte> message);
size_t room_bytes(const StreamSend &stream); // Of the largest message that fits now.
uint64_t queued(const StreamSend &stream);
uint64_t acked(const StreamSend &stream);

bool any_lost(const StreamSend &stream);
bool any_new(const StreamSend &stream); // Never sent, and within the window.
// At most bytes_max, the oldest first; they count as in flight from here on.
StreamBytes take_lost(StreamSend &stream, size_t bytes_max);
StreamBytes take_new(StreamSend &stream, size_t bytes_max);

// What became of bytes that were taken. offset_low: the low 32 bits.
void arrived(StreamSend &stream, uint32_t offset_low, size_t size_bytes);
void lost(StreamSend &stream, uint32_t offset_low, size_t size_bytes);
// A probe: the oldest unacked bytes, at most bytes_max, are to be sent again. False: there are
// none.
bool repeat_oldest(StreamSend &stream, size_t bytes_max);

}
}
