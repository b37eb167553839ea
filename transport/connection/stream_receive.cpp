#include "transport/connection/stream_receive.h"
#include "transport/little_endian.h"
#include <algorithm>

namespace tern::stream_receive {

static_assert(stream_receive_bytes == bit_ring_bits);

namespace {

constexpr size_t ring_mask = stream_receive_bytes - 1;
static_assert((stream_receive_bytes & ring_mask) == 0);

struct Length {
    bool broken;
    size_t message_bytes; // 0: not here yet.
    size_t length_bytes;
};

Length read_length(const StreamReceive &s)
{
    size_t value = 0;
    const size_t here = s._arrived - s._consumed;
    for (size_t i = 0; i < std::min(here, stream_length_bytes_max); i += 1) {
        const auto byte = std::to_integer<size_t>(s._ring[(s._consumed + i) & ring_mask]);
        value |= (byte & 127) << 7 * i;
        if (byte & 128) continue;
        const bool longer_than_needed = byte == 0 && i > 0;
        if (value == 0 || value > stream_message_bytes_max || longer_than_needed)
            return {true, 0, 0};
        return {false, value, i + 1};
    }
    return {here >= stream_length_bytes_max, 0, 0};
}

void copy_in(StreamReceive &s, uint64_t offset, std::span<const std::byte> bytes)
{
    const size_t at = offset & ring_mask;
    const size_t before_end = std::min(bytes.size(), stream_receive_bytes - at);
    std::memcpy(s._ring.begin() + at, bytes.data(), before_end);
    std::memcpy(s._ring.begin(), bytes.data() + before_end, bytes.size() - before_end);
}

}

void place(flat::Builder &builder, StreamReceive &s)
{
    const size_t capacity = stream_receive_bytes + stream_message_bytes_max;
    flat::place(builder, s._ring, capacity, capacity);
    bit_ring::place(builder, s._bits);
}

void clear_bits(StreamReceive &s)
{
    if (s._beyond_count > 0) bit_ring::clear(s._bits, 0, bit_ring_bits);
}

bool fits(const StreamReceive &s, uint32_t offset_low, size_t size_bytes)
{
    const uint64_t offset = little_endian::rebuilt(offset_low, s._consumed);
    constexpr uint64_t offset_max = 1ull << 62;
    return offset < offset_max && offset + size_bytes <= s._consumed + stream_receive_bytes;
}

bool store(StreamReceive &s, uint32_t offset_low, std::span<const std::byte> bytes)
{
    TERN_ASSERT(fits(s, offset_low, bytes.size()), "%zu bytes outside the window", bytes.size());
    uint64_t offset = little_endian::rebuilt(offset_low, s._consumed);
    const uint64_t end = offset + bytes.size();
    if (end <= s._arrived) return false;
    const bool all_new = offset >= s._arrived;
    if (!all_new) {
        bytes = bytes.subspan(s._arrived - offset);
        offset = s._arrived;
    }
    copy_in(s, offset, bytes);
    if (offset == s._arrived && s._beyond_count == 0) {
        s._arrived = end;
        return all_new;
    }
    const size_t added = bit_ring::set(s._bits, offset, end);
    s._beyond_count += added;
    if (offset != s._arrived) return added == end - offset;
    const uint64_t limit = s._consumed + stream_receive_bytes;
    s._arrived = bit_ring::first_clear(s._bits, offset, limit);
    s._beyond_count -= bit_ring::clear(s._bits, offset, s._arrived);
    return all_new && added == end - offset;
}

bool has_message(const StreamReceive &s)
{
    const Length length = read_length(s);
    const size_t whole_bytes = length.length_bytes + length.message_bytes;
    return length.broken || (length.message_bytes > 0 && s._arrived - s._consumed >= whole_bytes);
}

Peek peek(StreamReceive &s)
{
    const Length length = read_length(s);
    if (length.broken) return {true, {}, 0};
    const size_t whole_bytes = length.length_bytes + length.message_bytes;
    if (length.message_bytes == 0 || s._arrived - s._consumed < whole_bytes) return {};
    const size_t at = (s._consumed + length.length_bytes) & ring_mask;
    const size_t end = at + length.message_bytes;
    if (end > stream_receive_bytes)
        std::memcpy(s._ring.begin() + stream_receive_bytes, s._ring.begin(),
                    end - stream_receive_bytes);
    return {false, s._ring.all().subspan(at, length.message_bytes), length.length_bytes};
}

void consume(StreamReceive &s)
{
    const Length length = read_length(s);
    const size_t whole_bytes = length.length_bytes + length.message_bytes;
    TERN_ASSERT(length.message_bytes > 0 && s._arrived - s._consumed >= whole_bytes,
                "no complete message to consume");
    s._consumed += whole_bytes;
}

}
