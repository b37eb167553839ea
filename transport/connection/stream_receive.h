// The receiving half of a reliable ordered stream: bytes with offsets become messages, in order.
#pragma once
#include "transport/connection/bit_ring.h"
#include "transport/transport_types.h"

namespace tern {

// Offsets: consumed <= arrived. All bytes below arrived are here; of the bytes beyond, those whose
// bit is set. A byte that peek() has returned is not written again until it is consumed.
struct StreamReceive { // Closed.
    // Bytes by offset. Behind the ring is room to copy together a message that wraps around.
    Flat<std::byte> _ring;
    BitRing _bits; // Bytes beyond _arrived that are here.
    uint64_t _consumed;
    uint64_t _arrived;
    size_t _beyond_count; // Bits set in _bits.
};

struct Peek {
    bool broken; // The length is 0, too large or not in its shortest form. The stream cannot go on.
    std::span<const std::byte> message; // The oldest message, if complete. Valid until consumed.
    size_t length_bytes;                // The bytes of the length before the message.
};

namespace stream_receive {

void place(flat::Builder &builder, StreamReceive &stream);
// Call before the memory is placed again: place() expects the bits to be zero.
void clear_bits(StreamReceive &stream);
// Whether these bytes end within the window: stream_receive_bytes beyond what was consumed.
// offset_low: the low 32 bits of the offset of the first byte.
bool fits(const StreamReceive &stream, uint32_t offset_low, size_t size_bytes);
// Requires fits(). False: some of the bytes were here already.
bool store(StreamReceive &stream, uint32_t offset_low, std::span<const std::byte> bytes);

bool has_message(const StreamReceive &stream); // Whether peek() would return a message, or broken.
Peek peek(StreamReceive &stream);
void consume(StreamReceive &stream); // Removes the message that peek() returns; there must be one.

}
}
