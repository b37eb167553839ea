// The sending half of a reliable ordered stream: messages become bytes with offsets, and each byte
// is sent until a packet that held it is acked.
#pragma once
#include "transport/connection/bit_ring.h"
#include "transport/transport_types.h"

namespace tern {

// Offsets: acked <= sent <= queued. Below acked all is acked and forgotten; what lies between
// acked and sent (at most stream_window_bytes) is acked, lost or in flight, byte by byte; the rest
// waits. So no pattern of loss is too fine to be remembered.
inline constexpr uint32_t stream_copies_max = 3; // How often new bytes are sent, unless lost.

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
    uint64_t _new_us; // When new bytes were last taken.
    uint64_t
        _starts[stream_copies_max - 1]; // What _sent was before that, and before the time before.
};

// Small messages ride several times, each time in the packet of a later tick, where the link loses
// packets; then a lost packet costs a tick and not a round trip. At most so many bytes of a stream
// ride again in one packet, so that a bulk of them goes once.
inline constexpr size_t again_bytes_max = 255;

// Bytes to put in a packet; they may lie in two parts.
struct StreamBytes {
    uint64_t offset;
    std::span<const std::byte> first;
    std::span<const std::byte> second;
    size_t last_bytes;  // The first ones ride for the last time of several.
    size_t again_bytes; // The first ones were sent before.
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
// Never sent, and within the window; or to ride again: new bytes are to be sent in `copies` packets
// of different ticks.
bool any_new(const StreamSend &stream, uint32_t copies, uint64_t now_us);
// At most bytes_max, the oldest first; they count as in flight from here on.
StreamBytes take_lost(StreamSend &stream, size_t bytes_max);
StreamBytes take_new(StreamSend &stream, size_t bytes_max, uint32_t copies, uint64_t now_us);

// What became of bytes that were taken. offset_low: the low 32 bits.
void arrived(StreamSend &stream, uint32_t offset_low, size_t size_bytes);
void lost(StreamSend &stream, uint32_t offset_low, size_t size_bytes);
// A probe: the oldest unacked bytes, at most bytes_max, are to be sent again. False: there are
// none.
bool repeat_oldest(StreamSend &stream, size_t bytes_max);

}
}
