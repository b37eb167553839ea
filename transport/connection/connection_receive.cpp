#include "tern/limits.hpp"
#include "transport/connection/connection.h"
#include "transport/connection/connection_types.h"
#include "transport/connection/packet_codec.h"
#include "transport/little_endian.h"
#include <algorithm>

// The receiving half of a connection: opening and accepting packets, stream messages.
namespace tern::connection {

namespace {

// Reads all frames, and checks that they are valid in the connection's present state, so that
// apply() cannot fail.
Opening read_frames(const Connection &c, OpenedPacket &packet, PacketRoom &room)
{
    FrameReader reader = frames::reader(packet.content);
    bool fits = true;
    size_t count = 0;
    for (;;) {
        const Frame frame = frames::next(reader);
        if (frame.kind == FrameKind::none && frames::failed(reader)) return Opening::malformed;
        if (frame.kind == FrameKind::none) {
            packet.frames = std::span(room.frames).first(count);
            return fits ? Opening::ok : Opening::no_room;
        }
        if (frame.kind == FrameKind::ack && !sent_packets::is_possible(c._sent, frame))
            return Opening::malformed;
        if (frames::is_chunk(frame.kind)) {
            const auto stream = static_cast<size_t>(frames::stream(frame.kind));
            fits = fits && stream_receive::fits(c._receive[stream], frame.low, frame.bytes.size());
        }
        if (frames::is_unreliable(frame.kind)) {
            if (packet.unreliable_count == unreliable_messages_max) return Opening::malformed;
            packet.unreliable[packet.unreliable_count] = {frames::unreliable_kind(frame.kind),
                                                          frame.bytes};
            packet.unreliable_count += 1;
            continue;
        }
        TERN_ASSERT(count < packet_frames_max, "%zu frames", count);
        room.frames[count] = frame;
        count += 1;
    }
}

struct Effect {
    bool ack_eliciting;
    bool repeated;      // The packet has stream bytes that we had already.
    CloseReason reason; // Not none: the peer has closed the connection.
};

void take_sample(Connection &c, const AckEffect &effect, uint64_t held_us, uint64_t now_us)
{
    round_trip::sample(c._round_trip, effect.measured_us, held_us);
    const uint64_t believed_us = std::min(held_us, delay_believed_us);
    const uint64_t path_us = effect.measured_us - std::min(believed_us, effect.measured_us);
    congestion::sample(c._congestion,
                       {path_us, effect.arrived_count, effect.newest, sent_packets::next(c._sent)},
                       now_us);
    set_pace(c, now_us);
}

// A peer that stands still acks everything when it goes on, and its path is as good as before. If
// no round trip was measured since the last such ack, the path has become this slow.
void note_standstill(Connection &c, uint64_t unanswered_us)
{
    if (unanswered_us < standstill_us + round_trip::probe_us(c._round_trip)) return;
    if (!round_trip::known(c._round_trip) || c._standstill_last) return;
    c._standstill_end = sent_packets::next(c._sent);
    c._standstill_last = true;
}

void take_ack(Connection &c, const Frame &frame, uint64_t now_us)
{
    const uint64_t waited_us = unanswered_us(c, now_us);
    const LossThreshold lost = round_trip::loss_threshold(c._round_trip, now_us);
    const AckEffect effect = sent_packets::take_ack(c._sent, frame, lost, now_us);
    if (effect.reordered_us > 0) round_trip::reordered(c._round_trip, effect.reordered_us, now_us);
    if (effect.eliciting) note_standstill(c, waited_us);
    settle_streams(c);
    for (uint32_t i = 0; i < effect.late_count; i += 1)
        congestion::arrived_late(c._congestion);
    if (effect.sampled && effect.newest >= c._standstill_end) {
        take_sample(c, effect, frame.delay_units * ack_delay_unit_us, now_us);
        c._standstill_last = false;
    }
    if (effect.eliciting) {
        end_doubt(c, now_us);
        c._probes_due = 0;
    }
}

bool elicits_ack(const OpenedPacket &packet)
{
    return packet.unreliable_count > 0 ||
           std::any_of(packet.frames.begin(), packet.frames.end(), [](const Frame &frame) {
               return frame.kind == FrameKind::ping || frames::is_chunk(frame.kind);
           });
}

Effect apply(Connection &c, const OpenedPacket &packet, uint64_t now_us)
{
    Effect effect{elicits_ack(packet), false, CloseReason::none};
    for (const Frame &frame : packet.frames) {
        if (frame.kind == FrameKind::ack) take_ack(c, frame, now_us);
        if (frame.kind == FrameKind::close) effect.reason = frame.reason;
        if (frames::is_chunk(frame.kind)) {
            const auto stream = static_cast<size_t>(frames::stream(frame.kind));
            effect.repeated |= !stream_receive::store(c._receive[stream], frame.low, frame.bytes);
        }
    }
    return effect;
}

void schedule_ack(Connection &c, const OpenedPacket &packet, const Effect &effect, uint64_t now_us)
{
    const bool in_order = packet.number == replay_window::next(c._arrived);
    ack_tracker::arrive(c._acks, c._arrived, {packet.number, effect.ack_eliciting, now_us},
                        sent_packets::next(c._sent));
    if (!in_order || effect.repeated) ack_tracker::hurry(c._acks);
    replay_window::set(c._arrived, packet.number);
}

}

OpenedPacket open_packet(const Connection &c, std::span<const std::byte> datagram, PacketRoom &room)
{
    OpenedPacket packet{};
    packet.opening = Opening::forged;
    const bool is_data = !datagram.empty() && datagram[0] == data_datagram_type;
    if (!is_data || datagram.size() < data_header_bytes + tag_bytes) return packet;
    if (datagram.size() > datagram_bytes_max) return packet;

    packet.number = little_endian::rebuilt(little_endian::load32(&datagram[5]),
                                           replay_window::next(c._arrived));
    if (packet.number >= packet_number_max) return packet;
    packet.opening = Opening::replayed;
    if (!replay_window::is_new(c._arrived, packet.number)) return packet;

    packet.opening = Opening::forged;
    if (!c._has_keys || !aead::open(c._receive_key, packet.number, datagram, room.content))
        return packet;
    packet.content = std::span(room.content).first(aead::content_bytes(datagram.size()));
    packet.opening = read_frames(c, packet, room);
    return packet;
}

bool accept(Connection &c, const OpenedPacket &packet, uint64_t now_us, Acking acking)
{
    TERN_ASSERT(packet.opening == Opening::ok, "a packet that could not be opened");
    TERN_ASSERT(!c._packet_begun, "a packet of ours has been begun and not finished");
    if (!is_alive(c) || !replay_window::is_new(c._arrived, packet.number)) return false;
    c._last_received_us = now_us;
    c._stats.received_datagrams += 1;
    c._stats.received_bytes += packet.content.size() + data_header_bytes + tag_bytes;
    if (packet.number >= replay_window::next(c._arrived))
        aead::reach(c._receive_key, packet.number);
    const Effect effect = apply(c, packet, now_us);
    if (acking == Acking::yes) schedule_ack(c, packet, effect, now_us);
    if (effect.reason == CloseReason::none) return true;
    // If both sides close at the same time, our reason stands.
    if (c._state == ConnectionState::open) c._close_reason = effect.reason;
    end(c, c._state == ConnectionState::open ? ConnectionState::closed_by_peer
                                             : ConnectionState::closed_by_us);
    return true;
}

void acknowledge(Connection &c, const OpenedPacket &packet, uint64_t now_us)
{
    if (!is_alive(c) || !replay_window::is_new(c._arrived, packet.number)) return;
    schedule_ack(c, packet, {elicits_ack(packet), false, CloseReason::none}, now_us);
}

std::span<const std::byte> peek_message(Connection &c, StreamId stream)
{
    const Peek peek = stream_receive::peek(c._receive[static_cast<size_t>(stream)]);
    if (peek.broken && is_alive(c) && c._state == ConnectionState::open)
        begin_closing(c, CloseReason::protocol_error);
    return peek.message;
}

void consume_message(Connection &c, StreamId stream)
{
    stream_receive::consume(c._receive[static_cast<size_t>(stream)]);
}

}
