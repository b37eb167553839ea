#include "transport/connection/sent_packets.h"
#include "transport/little_endian.h"
#include <algorithm>

namespace tern::sent_packets {

namespace {

constexpr uint64_t packet_threshold = 3; // RFC 9002, 6.1.1.
constexpr uint64_t late_packets = 256;   // How far back an ack of a lost packet is noticed.

SentPacket &slot(SentPackets &sent, uint64_t number)
{
    return sent._ring[number & (sent._places - 1)];
}

const SentPacket &slot(const SentPackets &sent, uint64_t number)
{
    return sent._ring[number & (sent._places - 1)];
}

// The oldest packet whose outcome is unknown or has not been taken.
uint64_t oldest_kept(const SentPackets &sent)
{
    if (sent._for_caller._count == 0) return sent._oldest;
    return std::min(sent._oldest, sent._for_caller._first);
}

// Doubles the number of places, to at least sent_places_busy. A packet stays in its place or moves
// to one of the new places, so none overwrites another.
void grow(SentPackets &sent)
{
    const uint64_t before = sent._places;
    sent._kept = std::max(sent._kept, sent._next - std::min(sent._next, before));
    sent._places = std::max<uint64_t>(2 * before, sent_places_busy);
    for (uint64_t number = sent._kept; number < sent._next; number += 1) {
        const uint64_t from = number & (before - 1);
        if ((number & (sent._places - 1)) != from) slot(sent, number) = sent._ring[from];
    }
}

uint64_t largest(const SentPackets &sent, const Frame &ack)
{
    return little_endian::rebuilt(ack.low, sent._next - 1);
}

bool has(const Frame &ack, uint64_t largest, uint64_t number)
{
    if (number == largest) return true;
    const uint64_t back = largest - number;
    const size_t bit_count = ack.bytes.size() * 8;
    if (number > largest || back > bit_count) return false;
    const size_t bit = bit_count - back;
    return (std::to_integer<unsigned>(ack.bytes[bit / 8]) >> bit % 8 & 1) != 0;
}

bool is_kept(const SentPackets &sent, uint64_t number)
{
    return number >= sent._kept && sent._next - number <= sent._places;
}

void put(PendingOutcomes &pending, uint64_t number)
{
    pending._first = pending._count == 0 ? number : std::min(pending._first, number);
    pending._count += 1;
}

// Reports the first outcome of `fates`. All of these packets are still in the ring.
bool take_first(SentPackets &sent, PendingOutcomes &pending, ReportState before, ReportState now,
                PacketOutcome &outcome)
{
    if (pending._count == 0) return false;
    while (slot(sent, pending._first).report_state != before) {
        pending._first += 1;
        TERN_SLOW_ASSERT(pending._first < sent._next, "%llu fates that are nobody's",
                         static_cast<unsigned long long>(pending._count));
    }
    SentPacket &packet = slot(sent, pending._first);
    packet.report_state = now;
    outcome = {pending._first, packet.state == SentState::acked};
    pending._first += 1;
    pending._count -= 1;
    return true;
}

void settle(SentPackets &sent, uint64_t number, bool acked)
{
    SentPacket &packet = slot(sent, number);
    packet.state = acked ? SentState::acked : SentState::lost;
    if (packet.ack_eliciting) {
        sent._eliciting_count -= 1;
        sent._in_flight_bytes -= packet.size_bytes;
    }
    if (!acked) sent._late_from = std::min(sent._late_from, number);
    packet.report_state = ReportState::unsettled;
    put(sent._for_connection, number);
}

// Whether a packet with a lower number than some acked one is lost.
bool overdue(const SentPackets &sent, uint64_t number, LossThreshold lost, uint64_t now_us)
{
    if (lost.by_count && number + packet_threshold < sent._acked_end) return true;
    return now_us - slot(sent, number).sent_us >= lost.age_us;
}

// Counts lost packets that this ack acks after all: they were reordered or delayed, not lost.
void find_late(SentPackets &sent, const Frame &ack, uint64_t last, uint64_t now_us,
               AckEffect &effect)
{
    const uint64_t recent = sent._oldest - std::min(sent._oldest, late_packets);
    uint64_t from = std::max({sent._late_from, recent, sent._kept});
    while (from < sent._oldest &&
           (!is_kept(sent, from) || slot(sent, from).state != SentState::lost))
        from += 1;
    sent._late_from = from;
    for (uint64_t number = from; number < sent._oldest; number += 1) {
        SentPacket &packet = slot(sent, number);
        if (packet.state != SentState::lost || !has(ack, last, number)) continue;
        packet.state = SentState::late;
        effect.late_count += 1;
        effect.reordered_us = std::max(effect.reordered_us, now_us - packet.sent_us);
    }
}

void advance(SentPackets &sent)
{
    while (sent._oldest < sent._next && slot(sent, sent._oldest).state != SentState::in_flight)
        sent._oldest += 1;
}

}

void place(flat::Builder &builder, SentPackets &sent)
{
    flat::place(builder, sent._ring, sent_packets_max, sent_packets_max);
    if (builder.block) sent._places = sent_places_min;
}

void skip_to(SentPackets &sent, uint64_t next)
{
    TERN_ASSERT(sent._next == 0, "%llu were sent", static_cast<unsigned long long>(sent._next));
    sent._next = sent._oldest = sent._acked_end = sent._read_end = sent._kept = sent._late_from =
        next;
}

uint64_t next(const SentPackets &sent)
{
    return sent._next;
}

uint64_t acked_end(const SentPackets &sent)
{
    return sent._acked_end;
}

uint64_t read_end(const SentPackets &sent)
{
    return sent._read_end;
}

uint64_t oldest(const SentPackets &sent)
{
    return sent._oldest;
}

size_t room(const SentPackets &sent)
{
    return sent_packets_max - (sent._next - oldest_kept(sent));
}

uint32_t eliciting_count(const SentPackets &sent)
{
    return sent._eliciting_count;
}

uint64_t eliciting_us(const SentPackets &sent)
{
    return sent._eliciting_us;
}

uint64_t in_flight_bytes(const SentPackets &sent)
{
    return sent._in_flight_bytes;
}

uint64_t add(SentPackets &sent, const SentPacket &packet)
{
    TERN_ASSERT(room(sent) > 0, "%zu packets in flight", sent_packets_max);
    const uint64_t used = sent._next - oldest_kept(sent) + 1;
    if (2 * used > sent._places && sent._places < sent_packets_max) grow(sent);
    SentPacket &added = slot(sent, sent._next);
    added = packet;
    added.state = SentState::in_flight;
    added.report_state = ReportState::none;
    if (packet.ack_eliciting) {
        sent._eliciting_count += 1;
        sent._eliciting_us = packet.sent_us;
        sent._in_flight_bytes += packet.size_bytes;
    }
    sent._next += 1;
    return sent._next - 1;
}

const SentPacket &at(const SentPackets &sent, uint64_t number)
{
    TERN_SLOW_ASSERT(number < sent._next && is_kept(sent, number), "packet %llu",
                     static_cast<unsigned long long>(number));
    return slot(sent, number);
}

SentPacket &at(SentPackets &sent, uint64_t number)
{
    return const_cast<SentPacket &>(at(static_cast<const SentPackets &>(sent), number));
}

bool is_possible(const SentPackets &sent, const Frame &ack)
{
    if (sent._next == 0) return false;
    const uint64_t last = largest(sent, ack);
    if (last >= sent._next) return false;
    const uint64_t bit_count = ack.bytes.size() * 8;
    if (bit_count <= last) return true;
    // Some of the bits lie before packet 0.
    for (uint64_t bit = 0; bit < bit_count - last; bit += 1)
        if (std::to_integer<unsigned>(ack.bytes[bit / 8]) >> bit % 8 & 1) return false;
    return true;
}

AckEffect take_ack(SentPackets &sent, const Frame &ack, LossThreshold lost, uint64_t now_us)
{
    AckEffect effect{};
    const uint64_t acked_end = sent._acked_end;
    const uint64_t last = largest(sent, ack);
    TERN_ASSERT(last < sent._next, "an ack of a packet that was not sent");
    if (last >= sent._acked_end) {
        // A packet that was declared lost keeps that outcome, but its round trip is a valid sample.
        const SentPacket &newest = slot(sent, last);
        effect.sampled = newest.ack_eliciting && is_kept(sent, last);
        effect.measured_us = effect.sampled ? now_us - newest.sent_us : 0;
        effect.newest = last;
        sent._acked_end = last + 1;
    }
    find_late(sent, ack, last, now_us, effect);
    // Packets beyond the threshold are settled here, so this range stays short.
    const uint64_t end = sent._acked_end;
    for (uint64_t number = sent._oldest; number < end; number += 1) {
        const SentPacket &packet = slot(sent, number);
        if (packet.state != SentState::in_flight) continue;
        if (has(ack, last, number)) {
            effect.eliciting |= packet.ack_eliciting;
            effect.arrived_count += packet.ack_eliciting;
            if (number < acked_end)
                effect.reordered_us = std::max(effect.reordered_us, now_us - packet.sent_us);
            if (packet.has_ack) sent._read_end = std::max(sent._read_end, number + 1);
            settle(sent, number, true);
        } else if (overdue(sent, number, lost, now_us)) {
            settle(sent, number, false);
        }
    }
    advance(sent);
    return effect;
}

void detect_lost(SentPackets &sent, LossThreshold lost, uint64_t now_us)
{
    for (uint64_t number = sent._oldest; number < sent._acked_end; number += 1)
        if (slot(sent, number).state == SentState::in_flight && overdue(sent, number, lost, now_us))
            settle(sent, number, false);
    advance(sent);
}

void declare_all_lost(SentPackets &sent, uint64_t sent_us)
{
    for (uint64_t number = sent._oldest; number < sent._next; number += 1) {
        const SentPacket &packet = slot(sent, number);
        if (packet.state == SentState::in_flight && packet.sent_us <= sent_us)
            settle(sent, number, false);
    }
    advance(sent);
}

bool settle_packet_outcome(SentPackets &sent, PacketOutcome &outcome)
{
    if (!take_first(sent, sent._for_connection, ReportState::unsettled, ReportState::untaken,
                    outcome))
        return false;
    put(sent._for_caller, outcome.packet);
    return true;
}

bool take_packet_outcome(SentPackets &sent, PacketOutcome &outcome)
{
    return take_first(sent, sent._for_caller, ReportState::untaken, ReportState::taken, outcome);
}

bool any_outcome(const SentPackets &sent)
{
    return sent._for_connection._count + sent._for_caller._count > 0;
}

}
