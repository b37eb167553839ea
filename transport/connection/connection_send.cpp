#include "tern/limits.hpp"
#include "transport/connection/connection.h"
#include "transport/connection/connection_types.h"
#include "transport/connection/packet_codec.h"
#include "transport/little_endian.h"
#include <algorithm>
#include <cstring>

// The sending half of a connection: queues, budget, packets.
namespace tern::connection {

namespace {

// A packet with less room left counts as full: with more, another message would often have fit.
constexpr size_t full_room_bytes = 80;

void count(Tally &tally, size_t bytes)
{
    tally.bytes += bytes;
    tally.count += 1;
}

bool ping_due(const Connection &c, uint64_t now_us)
{
    return c._ping_due || c._probes_due > 0 || keep_alive_due(c, now_us);
}

// The congestion window and the pace allow one more packet.
bool is_free(const Connection &c, uint64_t now_us)
{
    return sent_packets::in_flight_bytes(c._sent) < congestion::window_bytes(c._congestion) &&
           pace::available_bytes(c._pace, now_us) >= datagram_bytes_max;
}

// Probes and acks ignore window and pace: without them the window would never open again.
bool is_urgent(const Connection &c, uint64_t now_us)
{
    return c._probes_due > 0 || ack_tracker::due(c._acks, now_us);
}

std::span<std::byte> room(const Packet &packet)
{
    return packet.datagram.subspan(packet.size_bytes)
        .first(packet.datagram.size() - tag_bytes - packet.size_bytes);
}

void put_ack(Connection &c, Packet &packet, uint64_t now_us)
{
    const BuiltAck built = ack_tracker::build(c._acks, c._arrived, sent_packets::next(c._sent),
                                              sent_packets::read_end(c._sent), now_us);
    if (!built.any) return;
    const size_t size_bytes = frames::write_ack(room(packet), built.ack);
    packet.size_bytes += size_bytes;
    c._making.has_ack = true;
    count(c._tallies.acks, size_bytes);
}

// After two probe timeouts without an ack, the path may no longer carry large datagrams (a path MTU
// black hole). Small ones may still arrive and be acked.
size_t datagram_bytes(const Connection &c, uint64_t now_us)
{
    const size_t bytes = path_size::bytes(c._path_size);
    const uint64_t silent_us = now_us - c._answered_us;
    if (silent_us < 2 * round_trip::probe_us(c._round_trip)) return bytes;
    return std::min(bytes, datagram_bytes_base);
}

// Fills a packet that probes a larger datagram size (RFC 8899) with a ping and padding.
void put_padding(Connection &c, Packet &packet)
{
    path_size::probed(c._path_size, packet.number);
    packet.size_bytes += frames::write_ping(room(packet));
    const size_t padding_bytes = frames::write_padding(room(packet));
    packet.size_bytes += padding_bytes;
    packet.ack_eliciting = true;
    count(c._tallies.pings, ping_bytes + padding_bytes);
}

Packet start_packet(Connection &c, std::span<std::byte> datagram)
{
    c._packet_begun = true;
    c._making = {};
    Packet packet{sent_packets::next(c._sent), datagram, data_header_bytes, 0, 0, 0, false};
    datagram[0] = data_datagram_type;
    little_endian::store32(&datagram[1], c._remote_id);
    little_endian::store32(&datagram[5], static_cast<uint32_t>(packet.number));
    return packet;
}

// How many stream bytes fit into the packet beside the header of their chunk.
size_t chunk_bytes_max(const Connection &c, const Packet &packet, size_t stream_bytes_left)
{
    const size_t room_bytes = room(packet).size();
    if (c._making.chunk_count == chunks_max || room_bytes <= chunk_header_bytes) return 0;
    return std::min(room_bytes - chunk_header_bytes, stream_bytes_left);
}

size_t put_chunk(Connection &c, Packet &packet, StreamId stream, const StreamBytes &bytes)
{
    const size_t size_bytes = bytes.first.size() + bytes.second.size();
    const std::span<std::byte> to = room(packet);
    std::byte *at = to.data() + frames::write_chunk_header(to, stream, bytes.offset, size_bytes);
    std::memcpy(at, bytes.first.data(), bytes.first.size());
    if (!bytes.second.empty())
        std::memcpy(at + bytes.first.size(), bytes.second.data(), bytes.second.size());
    c._making.chunks[c._making.chunk_count] = {static_cast<uint32_t>(bytes.offset),
                                               static_cast<uint16_t>(size_bytes), stream,
                                               static_cast<uint8_t>(bytes.last_bytes)};
    c._making.chunk_count += 1;
    packet.size_bytes += chunk_header_bytes + size_bytes;
    packet.ack_eliciting = true;
    count(c._tallies.frames, chunk_header_bytes);
    c._tallies.fresh_bytes += size_bytes - bytes.again_bytes;
    const bool charged = bytes.again_bytes > 0;
    if (charged) count(c._tallies.repeated, bytes.again_bytes);
    return size_bytes;
}

// Lost bytes go before new ones. The streams take turns at being first, so that none starves.
void put_chunks(Connection &c, Packet &packet, size_t stream_bytes_max, uint64_t now_us)
{
    size_t left = stream_bytes_max;
    const uint32_t copy_count = copies(c);
    for (const bool again : {true, false}) {
        for (size_t i = 0; i < stream_count; i += 1) {
            const size_t index = (i + packet.number) % stream_count;
            StreamSend &stream = c._send[index];
            while (again ? stream_send::any_lost(stream)
                         : stream_send::any_new(stream, copy_count, now_us)) {
                const size_t bytes_max = chunk_bytes_max(c, packet, left);
                if (bytes_max == 0) break;
                left -=
                    put_chunk(c, packet, static_cast<StreamId>(index),
                              again ? stream_send::take_lost(stream, bytes_max)
                                    : stream_send::take_new(stream, bytes_max, copy_count, now_us));
            }
        }
    }
}

}

// --- Queues ---

bool queue_message(Connection &c, StreamId stream, std::span<const std::byte> message)
{
    StreamSend &to = c._send[static_cast<size_t>(stream)];
    const uint64_t before = stream_send::queued(to);
    if (!stream_send::queue(to, message)) return false;
    const size_t size_bytes = stream_send::queued(to) - before;
    c._tallies.queued_bytes += size_bytes;
    count(c._tallies.frames, size_bytes - message.size());
    return true;
}

size_t queue_room_bytes(const Connection &c, StreamId stream)
{
    return stream_send::room_bytes(c._send[static_cast<size_t>(stream)]);
}

uint64_t queued_offset(const Connection &c, StreamId stream)
{
    return stream_send::queued(c._send[static_cast<size_t>(stream)]);
}

uint64_t sent_offset(const Connection &c, StreamId stream)
{
    return stream_send::sent(c._send[static_cast<size_t>(stream)]);
}

uint64_t acked_offset(const Connection &c, StreamId stream)
{
    return stream_send::acked(c._send[static_cast<size_t>(stream)]);
}

// --- Packets ---

bool has_budget(const Connection &c, uint64_t now_us)
{
    if (!is_alive(c)) return false;
    if (c._state == ConnectionState::closing) return c._close_due;
    return has_place(c) && (is_free(c, now_us) || is_urgent(c, now_us));
}

bool wants_packet(const Connection &c, uint64_t now_us)
{
    if (!is_alive(c)) return false;
    if (c._state == ConnectionState::closing) return c._close_due;
    if (ping_due(c, now_us) || ack_tracker::due(c._acks, now_us)) return true;
    for (const StreamSend &stream : c._send)
        if (stream_send::any_lost(stream) || stream_send::any_new(stream, copies(c), now_us))
            return true;
    return false;
}

Packet begin_packet(Connection &c, std::span<std::byte> datagram, size_t stream_bytes_max,
                    uint64_t now_us)
{
    TERN_ASSERT(is_alive(c) && !c._packet_begun, "a packet cannot be begun now");
    TERN_ASSERT(c._state == ConnectionState::closing ? c._close_due : has_place(c),
                "no place for a packet");
    TERN_ASSERT(datagram.size() >= datagram_bytes_max, "%zu bytes", datagram.size());
    const bool ack_only =
        c._state == ConnectionState::open && !is_free(c, now_us) && c._probes_due == 0;
    const bool tries = c._state == ConnectionState::open && !ack_only && c._probes_due == 0;
    const size_t tried_bytes = tries ? path_size::probe_bytes(c._path_size, now_us) : 0;
    const size_t most_bytes = tried_bytes > 0 ? tried_bytes : datagram_bytes(c, now_us);
    Packet packet = start_packet(c, datagram.first(most_bytes));
    put_ack(c, packet, now_us);
    if (tried_bytes > 0) {
        put_padding(c, packet);
        return packet;
    }
    if (ack_only) {
        packet.datagram = packet.datagram.first(packet.size_bytes + tag_bytes);
        return packet;
    }
    if (c._state == ConnectionState::closing) {
        packet.size_bytes += frames::write_close(room(packet), c._close_reason);
        count(c._tallies.pings, close_bytes);
        return packet;
    }
    put_chunks(c, packet, stream_bytes_max, now_us);
    if (!packet.ack_eliciting && ping_due(c, now_us)) {
        packet.size_bytes += frames::write_ping(room(packet));
        packet.ack_eliciting = true;
        count(c._tallies.pings, ping_bytes);
    }
    return packet;
}

// Once another message follows, the last message may need a length field too: it is included.
static size_t header_bytes_of_next(const Packet &packet)
{
    const bool lengthens = packet.size_bytes - packet.unreliable_at >
                           unreliable_header_bytes + short_unreliable_bytes_max;
    return packet.unreliable_at > 0 && lengthens ? unreliable_length_bytes + unreliable_header_bytes
                                                 : unreliable_header_bytes;
}

std::span<std::byte> unreliable_room(Packet &packet)
{
    const size_t header_bytes = header_bytes_of_next(packet);
    const std::span<std::byte> left = room(packet);
    if (packet.unreliable_count == unreliable_messages_max) return {};
    if (left.size() <= header_bytes) return {};
    return left.subspan(header_bytes);
}

void add_unreliable(Packet &packet, UnreliableKind kind, size_t size_bytes)
{
    TERN_ASSERT(packet.unreliable_count < unreliable_messages_max, "%zu messages",
                packet.unreliable_count);
    size_t header_bytes = 0;
    if (packet.unreliable_at > 0)
        header_bytes = frames::put_length(packet.datagram.subspan(packet.unreliable_at),
                                          packet.size_bytes - packet.unreliable_at);
    packet.unreliable_at = packet.size_bytes + header_bytes;
    header_bytes += frames::write_unreliable_header(packet.datagram.subspan(packet.unreliable_at),
                                                    kind, size_bytes);
    packet.size_bytes += header_bytes + size_bytes;
    packet.unreliable_count += 1;
    packet.unreliable_header_bytes += header_bytes;
    packet.ack_eliciting = true;
}

OutOfBandPacket out_of_band_packet(Connection &c, std::span<std::byte> datagram,
                                   UnreliableKind kind, std::span<const std::byte> content,
                                   uint64_t now_us)
{
    if (!is_alive(c) || c._state != ConnectionState::open || !has_place(c)) return {};
    Packet packet = start_packet(c, datagram.first(datagram_bytes(c, now_us)));
    std::memcpy(unreliable_room(packet).data(), content.data(), content.size());
    add_unreliable(packet, kind, content.size());
    // The packet may go to another address, so its loss must not make the present path doubtful.
    packet.ack_eliciting = false;
    return {finish_packet(c, packet, now_us), packet.number};
}

std::span<const std::byte> finish_packet(Connection &c, Packet &packet, uint64_t now_us)
{
    TERN_ASSERT(c._packet_begun && packet.number == sent_packets::next(c._sent),
                "a packet that was not begun, or was finished before");
    c._packet_begun = false;
    if (packet.size_bytes == data_header_bytes) return {};
    const bool is_full = packet.ack_eliciting && room(packet).size() < full_room_bytes;
    if (is_full) path_size::filled(c._path_size);
    packet.size_bytes += tag_bytes;
    count(c._tallies.packets, packet.size_bytes);
    c._tallies.frames.bytes += packet.unreliable_header_bytes;
    c._tallies.frames.count += packet.unreliable_count;
    aead::reach(c._send_key, packet.number);
    aead::seal(c._send_key, packet.number, packet.datagram.first(packet.size_bytes));

    c._making.sent_us = now_us;
    c._making.size_bytes = static_cast<uint16_t>(packet.size_bytes);
    c._making.ack_eliciting = packet.ack_eliciting;
    sent_packets::add(c._sent, c._making);
    pace::spend(c._pace, packet.size_bytes, now_us);
    congestion::sent(c._congestion, sent_packets::in_flight_bytes(c._sent));
    c._stats.sent_datagrams += 1;
    c._stats.sent_bytes += packet.size_bytes;
    if (packet.ack_eliciting) {
        c._ping_due = false;
        if (c._probes_due > 0) c._probes_due -= 1;
    }
    if (c._state == ConnectionState::closing) {
        c._close_due = false;
        c._close_count += 1;
        if (c._close_count == close_packets) end(c, ConnectionState::closed_by_us);
    } else if (sent_packets::next(c._sent) == packet_number_max) {
        end(c, ConnectionState::exhausted);
    }
    return packet.datagram.first(packet.size_bytes);
}

}
