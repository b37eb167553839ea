// Reads arbitrary bytes as the frames of a data datagram; frames that can be read are written in
// the same bytes.
#include "fuzz/support/input.h"
#include "fuzz/targets.h"
#include "tern/limits.hpp"
#include "transport/connection/packet_codec.h"
#include <cstring>

namespace tern::fuzz {

namespace {

size_t write(std::span<std::byte> to, const Frame &frame)
{
    if (frame.kind == FrameKind::ack) {
        Ack ack = {};
        ack.largest_low = frame.low;
        ack.delay_units = frame.delay_units;
        TERN_ASSERT(frame.bytes.size() <= ack_bitmap_bytes_max, "%zu bytes", frame.bytes.size());
        ack.bitmap_count = static_cast<uint8_t>(frame.bytes.size());
        std::copy(frame.bytes.begin(), frame.bytes.end(), ack.bitmap);
        return frames::write_ack(to, ack);
    }
    if (frame.kind == FrameKind::ping) return frames::write_ping(to);
    if (frame.kind == FrameKind::close) return frames::write_close(to, frame.reason);
    if (frame.kind == FrameKind::padding)
        return frames::write_padding(to.first(1 + frame.bytes.size()));
    const size_t size = frame.bytes.size();
    const size_t header =
        frames::is_chunk(frame.kind)
            ? frames::write_chunk_header(to, frames::stream(frame.kind), frame.low, size)
            : frames::write_unreliable_header(to, frames::unreliable_kind(frame.kind), size);
    std::memcpy(to.data() + header, frame.bytes.data(), size);
    return header + size;
}

}

void fuzz_frames(std::span<const uint8_t> data)
{
    static std::byte written[datagram_bytes_max + unreliable_length_bytes];
    const std::span<const std::byte> content =
        std::as_bytes(data.first(std::min(data.size(), datagram_bytes_max)));
    FrameReader reader = frames::reader(content);
    size_t at = 0;
    FrameKind last = FrameKind::none;
    for (;;) {
        const Frame frame = frames::next(reader);
        if (frame.kind == FrameKind::none) break;
        TERN_ASSERT(!frames::failed(reader), "a frame after a failure, %zu bytes", at);
        const bool in_order = frames::is_chunk(frame.kind) || frames::is_unreliable(frame.kind) ||
                              frame.kind == FrameKind::padding || frame.kind > last;
        TERN_ASSERT(in_order && last != FrameKind::padding, "frame %d after %d",
                    static_cast<int>(frame.kind), static_cast<int>(last));
        last = frame.kind;
        size_t size = write(std::span(written).subspan(at), frame);
        const bool is_last =
            frame.bytes.data() + frame.bytes.size() == content.data() + content.size();
        if (frames::is_unreliable(frame.kind) && !is_last)
            size += frames::put_length(std::span(written).subspan(at), size);
        TERN_ASSERT(at + size <= content.size() &&
                        std::memcmp(written + at, content.data() + at, size) == 0,
                    "frame %d at %zu is written otherwise", static_cast<int>(frame.kind), at);
        at += size;
    }
    TERN_ASSERT(frames::failed(reader) || (at == content.size() && at > 0),
                "%zu of %zu bytes and no failure", at, content.size());
    TERN_ASSERT(frames::next(reader).kind == FrameKind::none, "a frame after the end, %zu", at);
}

}
