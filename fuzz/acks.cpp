// Checks the ack tracker against a list of all arrivals. Every ack must include the packets whose
// ack the peer may not have read, include no packet that has not arrived, and encode to a frame
// that the peer can read.
#include "fuzz/support/input.h"
#include "fuzz/targets.h"
#include "transport/connection/ack_tracker.h"

namespace tern::fuzz {

namespace {

constexpr size_t arrivals_max = 128;
// Roughly the most packets that we send. Beyond 32,768 the 16-bit marks of the tracker wrap around,
// and it may repeat acks that the peer has read.
constexpr uint64_t sent_max = 20'000;

struct Arrived {
    uint64_t number;
    uint64_t next_sent; // Our next packet then: once it is acked, the peer has read this ack.
};

struct Model {
    Arrived arrivals[arrivals_max];
    size_t count;
    uint64_t end; // One past the newest.
    uint64_t eliciting_end;
    uint64_t newest_us;
    uint64_t start_sent, next_sent, read_end; // Numbers of our packets.
    uint64_t waiting_since_us;
    uint32_t waiting;
};

void arrive(Model &m, uint64_t number, bool eliciting, uint64_t now_us)
{
    m.arrivals[m.count++] = {number, m.next_sent};
    if (number + ack_window_packets < m.end) return; // Too old to be acked.
    if (number >= m.end) {
        m.end = number + 1;
        m.newest_us = now_us;
    }
    if (!eliciting) return;
    m.eliciting_end = std::max(m.eliciting_end, number + 1);
    if (m.waiting == 0) m.waiting_since_us = now_us;
    m.waiting += 1;
}

bool is_named(const Ack &ack, uint64_t largest, uint64_t number)
{
    if (number == largest) return true;
    const uint64_t behind = largest - number;
    const uint64_t bits = 8u * ack.bitmap_count;
    if (number > largest || behind > bits) return false;
    const uint64_t bit = bits - behind;
    return (std::to_integer<unsigned>(ack.bitmap[bit / 8]) >> bit % 8 & 1) != 0;
}

void check_ack(const Model &m, const BuiltAck &built, uint64_t now_us)
{
    uint64_t first = m.end; // The lowest packet whose ack the peer may not have read.
    const Ack &ack = built.ack;
    const uint64_t largest = m.end - 1;
    size_t named = 0;
    const uint64_t known_end =
        std::max(m.read_end, m.next_sent - std::min(m.next_sent, ack_repeats_max));
    for (size_t i = 0; i < m.count; ++i) {
        const Arrived &a = m.arrivals[i];
        const bool in_window = a.number + ack_window_packets >= m.end;
        const bool unknown = a.next_sent >= known_end;
        if (in_window && unknown) first = std::min(first, a.number);
        const bool is = built.any && is_named(ack, largest, a.number);
        named += is;
        TERN_ASSERT(is || !in_window || !unknown || !built.any, "%llu of %llu is not told",
                    static_cast<unsigned long long>(a.number),
                    static_cast<unsigned long long>(largest));
    }
    const bool any = first < m.eliciting_end || m.end - first >= ack_quiet_packets;
    TERN_ASSERT(built.any == (any && first < m.end), "an ack: %d", built.any);
    if (!built.any) return;
    size_t bits = 1;
    for (size_t i = 0; i < ack.bitmap_count; ++i)
        bits += static_cast<size_t>(__builtin_popcount(std::to_integer<unsigned>(ack.bitmap[i])));
    TERN_ASSERT(bits == named, "%zu named, %zu of them have arrived", bits, named);
    TERN_ASSERT(ack.largest_low == static_cast<uint32_t>(largest), "largest %u", ack.largest_low);
    const uint64_t delay = (now_us - m.newest_us) / ack_delay_unit_us;
    TERN_ASSERT(ack.delay_units == std::min<uint64_t>(delay, UINT16_MAX), "delay %u",
                ack.delay_units);
}

void check_frame(const Ack &ack)
{
    std::byte bytes[ack_header_bytes + ack_bitmap_bytes_max];
    FrameReader reader = frames::reader(std::span(bytes).first(frames::write_ack(bytes, ack)));
    const Frame frame = frames::next(reader);
    TERN_ASSERT(frame.kind == FrameKind::ack && frame.low == ack.largest_low &&
                    frame.delay_units == ack.delay_units &&
                    std::equal(frame.bytes.begin(), frame.bytes.end(), ack.bitmap,
                               ack.bitmap + ack.bitmap_count),
                "the frame of an ack with %u bytes cannot be read", ack.bitmap_count);
}

struct Tracking {
    AckTracker tracker;
    ReplayWindow window;
    Model model;
    uint64_t now_us;
};

void arrive(Tracking &t, uint64_t number, bool eliciting)
{
    ack_tracker::arrive(t.tracker, t.window, {number, eliciting, t.now_us}, t.model.next_sent);
    replay_window::set(t.window, number);
    arrive(t.model, number, eliciting, t.now_us);
}

void arrive(Tracking &t, Input &in, uint8_t what)
{
    const Model &m = t.model;
    uint64_t number = m.end + (what >> 4);
    if ((what & 4) != 0) number = m.end - 1 - std::min(m.end - 1, uint64_t{input::u8(in)} * 3);
    if ((what & 12) == 12) number = m.end + input::u16(in);
    if (m.count == arrivals_max || !replay_window::is_new(t.window, number)) return;
    arrive(t, number, (what & 8) != 0);
}

void step(Tracking &t, Input &in)
{
    const uint8_t what = input::u8(in);
    Model &m = t.model;
    switch (what & 3) {
    case 0:
    case 1: return arrive(t, in, what);
    case 2: // We send packets, some of them are acked, and time passes.
        if (m.next_sent < m.start_sent + sent_max)
            m.next_sent += (what & 128) != 0 ? 100 * (what >> 2) : what >> 2;
        m.read_end += std::min<uint64_t>(m.next_sent - m.read_end, input::u8(in));
        t.now_us += input::u8(in) * 500ull;
        return;
    case 3: {
        const bool is_due =
            m.waiting >= 2 || (m.waiting == 1 && t.now_us - m.waiting_since_us >= ack_wait_us);
        TERN_ASSERT(ack_tracker::due(t.tracker, t.now_us) == is_due, "due: %d", is_due);
        const BuiltAck built =
            ack_tracker::build(t.tracker, t.window, m.next_sent, m.read_end, t.now_us);
        m.waiting = 0;
        check_ack(m, built, t.now_us);
        if (built.any) check_frame(built.ack);
        m.next_sent += 1; // The packet that carries it.
        return;
    }
    }
}

}

void fuzz_acks(std::span<const uint8_t> data)
{
    Input in = {data};
    static Tracking t;
    t.tracker = {};
    t.model.count = 0;
    t.model.waiting = 0;
    t.model.eliciting_end = 0;
    t.now_us = 1'000'000;
    const uint8_t start = input::u8(in); // Numbers start at 0 or near a limit.
    const uint64_t far[4] = {0, 5, (1ull << 32) - 30, packet_number_max - 100'000'000};
    t.model.end = far[start % 4];
    t.model.start_sent = t.model.next_sent = t.model.read_end = far[start / 4 % 4];
    replay_window::skip_to(t.window, t.model.end);
    arrive(t, t.model.end, (start & 16) != 0); // build() needs a newest packet.
    while (!input::empty(in))
        step(t, in);
}

}
