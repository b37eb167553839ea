// The receiving half of a reliable ordered stream: bytes with offsets become messages, in order.
#pragma once
#include "transport/connection/bit_ring.h"
#include "transport/transport_types.h"

namespace tern {

// Offsets: consumed <= arrived. Below arrived everything is here; beyond it byte by byte what the
// bits say. A byte that is visible in a message is never written again.
struct StreamReceive {     // Closed.
    Flat<std::byte> _ring; // By offset; then room to complete a message that wraps around its end.
    BitRing _bits;         // Beyond _arrived.
    uint64_t _consumed;
    uint64_t _arrived;
    size_t _beyond_count; // Bits set.
};

struct Peek {
    bool broken; // The length is 0, too large or not in its shortest form: nothing more will come.
    std::span<const std::byte> message; // The oldest, if it is complete. Stays until consumed.
    size_t length_bytes;
};

namespace stream_receive {

void place(flat::Builder &builder, StreamReceive &stream);
void clear_bits(StreamReceive &stream); // As in stream_send.h.
// Whether these bytes lie in the window: not beyond stream_receive_bytes after what was consumed.
bool fits(const StreamReceive &stream, uint32_t offset_low, size_t size_bytes);
// They fit. False: some were here already.
bool store(StreamReceive &stream, uint32_t offset_low, std::span<const std::byte> bytes);

Peek peek(StreamReceive &stream);
void consume(StreamReceive &stream); // The message that peek() showed.

}
}
