#include "transport/connection/ack_tracker.h"
#include "transport/little_endian.h"
#include <algorithm>

namespace tern::ack_tracker {

namespace {

constexpr uint32_t waiting_max = 2; // RFC 9000, 13.2.2: at least every second packet is acked.

// The lowest packet number that needs an ack; one past the highest arrived number if there is none.
uint64_t first_unknown(const AckTracker &tracker, const ReplayWindow &arrived, uint64_t known_end)
{
    const uint64_t end = replay_window::next(arrived);
    const uint64_t first = end > ack_window_packets ? end - ack_window_packets : 0;
    uint64_t number = std::max(tracker._floor, first);
    while (number < end) {
        const uint16_t mark = tracker._marks[number % ack_window_packets];
        const bool known = static_cast<int16_t>(mark - static_cast<uint16_t>(known_end)) < 0;
        const bool here = replay_window::bits(arrived, static_cast<int64_t>(number)) & 1;
        if (here && !known) break;
        number += 1;
    }
    return number;
}

// Lowers the floor to a packet that arrives late. The peer has read the acks of all packets in
// between, but their 16-bit marks may have wrapped around: with new marks build() skips them again.
void lower_floor(AckTracker &tracker, uint64_t end, uint64_t number, uint64_t next_sent)
{
    if (number >= tracker._floor) return;
    const auto known = static_cast<uint16_t>(next_sent - ack_repeats_max - 1);
    for (uint64_t i = number + 1; i < std::min(tracker._floor, end); i += 1)
        tracker._marks[i % ack_window_packets] = known;
    tracker._floor = number;
}

}

void arrive(AckTracker &tracker, const ReplayWindow &arrived, const ArrivedPacket &packet,
            uint64_t next_sent)
{
    const uint64_t number = packet.number;
    const uint64_t end = replay_window::next(arrived);
    if (number + ack_window_packets < end) return;
    if (number >= end) tracker._largest_us = packet.now_us;
    tracker._marks[number % ack_window_packets] = static_cast<uint16_t>(next_sent);
    lower_floor(tracker, end, number, next_sent);
    if (!packet.ack_eliciting) return;
    tracker._eliciting_end = std::max(tracker._eliciting_end, number + 1);
    if (tracker._waiting_count == 0) tracker._waiting_since_us = packet.now_us;
    tracker._waiting_count += 1;
}

void hurry(AckTracker &tracker)
{
    if (tracker._waiting_count > 0) tracker._waiting_count += waiting_max;
}

uint64_t due_us(const AckTracker &tracker)
{
    if (tracker._waiting_count == 0) return UINT64_MAX;
    return tracker._waiting_count >= waiting_max ? 0 : tracker._waiting_since_us + ack_wait_us;
}

bool due(const AckTracker &tracker, uint64_t now_us)
{
    return now_us >= due_us(tracker);
}

BuiltAck build(AckTracker &tracker, const ReplayWindow &arrived, uint64_t next_sent,
               uint64_t read_end, uint64_t now_us)
{
    tracker._waiting_count = 0;
    const uint64_t known_end = std::max(read_end, next_sent - std::min(next_sent, ack_repeats_max));
    tracker._floor = first_unknown(tracker, arrived, known_end);
    const uint64_t end = replay_window::next(arrived);
    if (tracker._floor >= end) return {};
    const bool is_wanted = tracker._floor < tracker._eliciting_end;
    if (!is_wanted && end - tracker._floor < ack_quiet_packets) return {};
    const uint64_t largest = end - 1;
    const uint64_t delay_units = (now_us - tracker._largest_us) / ack_delay_unit_us;
    BuiltAck built{true, {}};
    Ack &ack = built.ack;
    ack.largest_low = static_cast<uint32_t>(largest);
    ack.delay_units = static_cast<uint16_t>(std::min<uint64_t>(delay_units, UINT16_MAX));
    ack.bitmap_count = static_cast<uint8_t>((largest - tracker._floor + 7) / 8);
    const int64_t start = static_cast<int64_t>(largest) - 8 * ack.bitmap_count;
    for (int i = 0; i < ack.bitmap_count; i += 8) {
        std::byte word[8];
        little_endian::store64(word, replay_window::bits(arrived, start + 8 * i));
        std::copy_n(word, std::min(8, ack.bitmap_count - i), ack.bitmap + i);
    }
    return built;
}

}
