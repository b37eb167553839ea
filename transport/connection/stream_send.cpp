#include "transport/connection/stream_send.h"
#include "transport/little_endian.h"
#include <algorithm>
#include <bit>

namespace tern::stream_send {

static_assert(stream_window_bytes <= bit_ring_bits);

namespace {

size_t length_bytes(size_t message_bytes)
{
    return message_bytes < 128 ? 1 : message_bytes < 128 * 128 ? 2 : stream_length_bytes_max;
}

size_t free_bytes(const StreamSend &s)
{
    return s._queue_bytes_max - (s._queued - s._acked);
}

StreamBytes ring_bytes(const StreamSend &s, uint64_t offset, size_t size_bytes)
{
    const size_t at = offset & (s._ring.capacity - 1);
    const size_t before_end = std::min<size_t>(size_bytes, s._ring.capacity - at);
    const std::span<const std::byte> ring = s._ring.all();
    return {offset, ring.subspan(at, before_end), ring.first(size_bytes - before_end), 0, 0};
}

void append(StreamSend &s, std::span<const std::byte> bytes)
{
    const size_t at = s._queued & (s._ring.capacity - 1);
    const size_t before_end = std::min<size_t>(bytes.size(), s._ring.capacity - at);
    std::memcpy(s._ring.begin() + at, bytes.data(), before_end);
    std::memcpy(s._ring.begin(), bytes.data() + before_end, bytes.size() - before_end);
    s._queued += bytes.size();
}

struct Range {
    uint64_t from;
    uint64_t to;
};

// The part of the bytes that is not below _acked; may be empty.
Range unacked(const StreamSend &s, uint32_t offset_low, size_t size_bytes)
{
    const uint64_t offset = little_endian::rebuilt(offset_low, s._acked);
    const uint64_t end = offset + size_bytes;
    TERN_ASSERT(end <= s._sent, "bytes that were never sent");
    if (end <= s._acked) return {s._acked, s._acked};
    return {std::max(offset, s._acked), end};
}

void forget_lost(StreamSend &s, Range range)
{
    if (s._lost_count > 0) s._lost_count -= bit_ring::clear(s._lost_bits, range.from, range.to);
}

}

void place(flat::Builder &builder, StreamSend &s, size_t queue_bytes_max)
{
    if (builder.block) s._queue_bytes_max = queue_bytes_max;
    const size_t capacity = std::bit_ceil(queue_bytes_max);
    flat::place(builder, s._ring, capacity, capacity);
    bit_ring::place(builder, s._acked_bits);
    bit_ring::place(builder, s._lost_bits);
}

void clear_bits(StreamSend &s)
{
    if (s._acked_count > 0) bit_ring::clear(s._acked_bits, 0, bit_ring_bits);
    if (s._lost_count > 0) bit_ring::clear(s._lost_bits, 0, bit_ring_bits);
}

bool queue(StreamSend &s, std::span<const std::byte> message)
{
    TERN_ASSERT(!message.empty() && message.size() <= stream_message_bytes_max, "%zu bytes",
                message.size());
    const size_t prefix_bytes = length_bytes(message.size());
    if (prefix_bytes + message.size() > free_bytes(s)) return false;
    std::byte prefix[stream_length_bytes_max];
    for (size_t i = 0; i < prefix_bytes; i += 1) {
        const size_t more = i + 1 < prefix_bytes ? 128 : 0;
        prefix[i] = static_cast<std::byte>((message.size() >> 7 * i & 127) | more);
    }
    append(s, {prefix, prefix_bytes});
    append(s, message);
    return true;
}

size_t room_bytes(const StreamSend &s)
{
    const size_t free = free_bytes(s);
    for (size_t prefix_bytes = stream_length_bytes_max; prefix_bytes > 0; prefix_bytes -= 1) {
        const size_t shortest = prefix_bytes == 1 ? 1 : 1ull << 7 * (prefix_bytes - 1);
        const size_t longest =
            std::min((1ull << 7 * prefix_bytes) - 1, 1ull * stream_message_bytes_max);
        if (free >= prefix_bytes + shortest) return std::min(free - prefix_bytes, longest);
    }
    return 0;
}

uint64_t queued(const StreamSend &s)
{
    return s._queued;
}

uint64_t sent(const StreamSend &s)
{
    return s._sent;
}

uint64_t acked(const StreamSend &s)
{
    return s._acked;
}

bool any_lost(const StreamSend &s)
{
    return s._lost_count > 0;
}

// The first byte of which a packet of this tick holds another copy; _sent if there is none.
static uint64_t again_from(const StreamSend &s, uint32_t copies, uint64_t now_us)
{
    if (copies < 2 || now_us == s._new_us) return s._sent;
    const uint64_t from = std::max(s._starts[copies - 2], s._acked);
    return s._sent - from <= again_bytes_max ? from : s._sent;
}

bool any_new(const StreamSend &s, uint32_t copies, uint64_t now_us)
{
    return s._sent < std::min(s._queued, s._acked + stream_window_bytes) ||
           again_from(s, copies, now_us) < s._sent;
}

StreamBytes take_lost(StreamSend &s, size_t bytes_max)
{
    if (s._lost_count == 0 || bytes_max == 0) return {};
    const uint64_t from =
        bit_ring::first_set(s._lost_bits, std::max(s._lost_from, s._acked), s._sent);
    const uint64_t to =
        bit_ring::first_clear(s._lost_bits, from, std::min(s._sent, from + bytes_max));
    s._lost_count -= bit_ring::clear(s._lost_bits, from, to);
    s._lost_from = to;
    StreamBytes taken = ring_bytes(s, from, to - from);
    taken.again_bytes = to - from;
    return taken;
}

StreamBytes take_new(StreamSend &s, size_t bytes_max, uint32_t copies, uint64_t now_us)
{
    const uint64_t from = again_from(s, copies, now_us);
    const uint64_t before = s._sent;
    const uint64_t end = std::max(before, std::min(s._queued, s._acked + stream_window_bytes));
    const uint64_t to = std::min(end, from + bytes_max);
    StreamBytes taken = ring_bytes(s, from, to - from);
    taken.again_bytes = std::min(before, to) - from;
    if (from < before) {
        const uint64_t last_end = copies == 2 ? before : s._starts[copies - 3];
        taken.last_bytes = std::min(to, std::max(from, last_end)) - from;
    }
    if (now_us != s._new_us) {
        s._new_us = now_us;
        std::copy_backward(s._starts, std::end(s._starts) - 1, std::end(s._starts));
        s._starts[0] = before;
    }
    s._sent = std::max(before, to);
    return taken;
}

void arrived(StreamSend &s, uint32_t offset_low, size_t size_bytes)
{
    const Range range = unacked(s, offset_low, size_bytes);
    if (range.from == range.to) return;
    forget_lost(s, range);
    if (range.from != s._acked || s._acked_count > 0)
        s._acked_count += bit_ring::set(s._acked_bits, range.from, range.to);
    if (range.from != s._acked) return;
    uint64_t end = range.to;
    if (s._acked_count > 0) {
        end = bit_ring::first_clear(s._acked_bits, s._acked, s._sent);
        s._acked_count -= bit_ring::clear(s._acked_bits, s._acked, end);
    }
    s._acked = end;
}

void lost(StreamSend &s, uint32_t offset_low, size_t size_bytes)
{
    const Range range = unacked(s, offset_low, size_bytes);
    uint64_t from = range.from;
    if (from < range.to) s._lost_from = std::min(s._lost_from, from);
    while (from < range.to) {
        from = bit_ring::first_clear(s._acked_bits, from, range.to);
        const uint64_t to = bit_ring::first_set(s._acked_bits, from, range.to);
        s._lost_count += bit_ring::set(s._lost_bits, from, to);
        from = to;
    }
}

bool repeat_oldest(StreamSend &s, size_t bytes_max)
{
    if (s._acked == s._sent) return false;
    const uint64_t to = std::min(s._sent, s._acked + bytes_max);
    lost(s, static_cast<uint32_t>(s._acked), to - s._acked);
    return true;
}

}
