#include "transport/connection/connection.h"
#include "tern/diagnostics.hpp"
#include "tern/limits.hpp"
#include "transport/connection/connection_types.h"
#include "transport/little_endian.h"
#include "transport/sockets/addresses.h"
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>
#include <sodium.h>

// Construction, opening, time and the end of a connection. See also connection_receive.cpp and
// connection_send.cpp.
namespace tern::connection {

static_assert(std::is_trivially_copyable_v<Connection>);
static_assert(alignof(Connection) <= memory_alignment);

namespace {

constexpr uint32_t loss_packets = 128; // The measured loss is a moving average of this length.

size_t lay_out(Connection &c, std::byte *block, const ConnectionLimits &limits)
{
    flat::Builder builder{block, sizeof(Connection)};
    sent_packets::place(builder, c._sent);
    for (size_t i = 0; i < stream_count; i += 1) {
        stream_send::place(builder, c._send[i], limits.queue_bytes_max[i]);
        stream_receive::place(builder, c._receive[i]);
    }
    return (builder.used_bytes + memory_alignment - 1) / memory_alignment * memory_alignment;
}

uint64_t key_name(const uint8_t (&key)[32])
{
    uint8_t hash[crypto_generichash_BYTES];
    crypto_generichash(hash, sizeof hash, key, sizeof key, nullptr, 0);
    uint64_t name = 0;
    std::memcpy(&name, hash, sizeof name);
    return name;
}

}

// --- Construction ---

size_t size_bytes(const ConnectionLimits &limits)
{
    Connection unused{};
    return lay_out(unused, nullptr, limits);
}

Connection *place(void *memory, const ConnectionLimits &limits)
{
    std::memset(memory, 0, size_bytes(limits));
    return place_in_zeroed(memory, limits);
}

Connection *place_in_zeroed(void *memory, const ConnectionLimits &limits)
{
    Connection *c = new (memory) Connection{};
    lay_out(*c, static_cast<std::byte *>(memory), limits);
    c->_limits = limits;
    c->_size_bytes = size_bytes(limits);
    return c;
}

// Restores the state after place(). Does not clear the stream bytes and the records of sent
// packets: they are written before they are read, they are most of the block, and clearing them
// would touch pages that were never used.
static void clear(Connection &c)
{
    for (StreamSend &stream : c._send)
        stream_send::clear_bits(stream);
    for (StreamReceive &stream : c._receive)
        stream_receive::clear_bits(stream);
    const ConnectionLimits limits = c._limits;
    const Tallies tallies = c._tallies;
    place_in_zeroed(&c, limits);
    c._tallies = tallies;
}

static uint64_t rate_max(const Connection &c)
{
    const uint32_t most = c._limits.send_bytes_per_second_max;
    const bool bridged = address::is_bridged(c._address);
    return bridged ? std::min(most, c._limits.bridged_bytes_per_second_max) : most;
}

void set_pace(Connection &c, uint64_t now_us)
{
    const uint64_t rate = congestion::pace_bytes_per_second(c._congestion);
    pace::set_rate(c._pace, std::min(rate_max(c), rate), now_us);
}

// Nothing is known about the path to a new address, so all measurements start again.
static void begin_path(Connection &c, uint64_t now_us)
{
    const bool bridged = address::is_bridged(c._address);
    c._path_size = path_size::make(bridged ? bridged_datagram_bytes_max : datagram_bytes_base);
    c._congestion = congestion::make(sent_packets::next(c._sent), now_us);
    c._pace = pace::make(static_cast<uint32_t>(rate_max(c)), now_us);
    set_pace(c, now_us);
}

void open(Connection &c, const DataKeys &keys, uint32_t remote_id, const Address &address,
          uint64_t now_us)
{
    clear(c);
    c._send_key = aead::key(keys.send, keys.cipher);
    c._receive_key = aead::key(keys.receive, keys.cipher);
    c._has_keys = true;
    c._send_key_name = key_name(keys.send);
    c._receive_key_name = key_name(keys.receive);
    c._remote_id = remote_id;
    c._last_received_us = c._answered_us = now_us;
    c._ping_due = true;
    c._sent._eliciting_us = now_us;
    c._address = address;
    begin_path(c, now_us);
}

void wipe(Connection &c)
{
    sodium_memzero(&c._send_key, sizeof c._send_key);
    sodium_memzero(&c._receive_key, sizeof c._receive_key);
    c._has_keys = false;
}

void skip_numbers(Connection &c, uint64_t sent, uint64_t received)
{
    sent_packets::skip_to(c._sent, sent);
    replay_window::skip_to(c._arrived, received);
    c._acks._floor = received;
}

// --- Time ---

bool has_place(const Connection &c)
{
    return sent_packets::room(c._sent) > close_packets;
}

uint64_t unanswered_us(const Connection &c, uint64_t now_us)
{
    if (sent_packets::eliciting_count(c._sent) == 0) return 0;
    uint64_t i = sent_packets::oldest(c._sent);
    while (!sent_packets::at(c._sent, i).ack_eliciting ||
           sent_packets::at(c._sent, i).state != SentState::in_flight)
        i += 1;
    return now_us - std::max(c._answered_us, sent_packets::at(c._sent, i).sent_us);
}

// The interval is at most an eighth of the timeout, so that several probes fit into the timeout.
// An eighth may be less than a round trip; then each packet would be probed before its ack can
// arrive. Hence the lower bound: the probe timeout without backoff, up to 3/8 of the timeout.
uint64_t probe_interval_us(const Connection &c)
{
    const uint64_t once_us = round_trip::probe_us(c._round_trip);
    const uint64_t most_us = c._limits.timeout_us / 8;
    const uint64_t least_us = round_trip::known(c._round_trip) ? std::min(once_us, most_us * 3) : 0;
    return std::min(once_us << c._probe_count, std::max(most_us, least_us));
}

static uint64_t keep_alive_us(const Connection &c)
{
    return sent_packets::eliciting_us(c._sent) + c._limits.timeout_us / 4;
}

bool keep_alive_due(const Connection &c, uint64_t now_us)
{
    return now_us >= keep_alive_us(c);
}

// Without an ack until this time the present path may be broken.
static uint64_t doubt_us(const Connection &c)
{
    return c._answered_us + uint64_t{c._limits.timeout_us} * 3 / 8;
}

// If the timeout is short compared with the round trip, a keep-alive goes out before a probe is
// due, and postpones the probe each time. So a keep-alive repeats stream bytes as a probe would
// (tests/traces/call-behind-pings.trace).
static void update_probes(Connection &c, uint64_t now_us)
{
    if (sent_packets::eliciting_count(c._sent) == 0 || c._probes_due > 0) return;
    const bool due = now_us - sent_packets::eliciting_us(c._sent) >= probe_interval_us(c);
    if (!due && !keep_alive_due(c, now_us)) return;
    if (due) {
        c._probes_due = probe_packets;
        c._probe_count = std::min(c._probe_count + 1, probe_backoff_max);
    }
    const size_t repeated_bytes = probe_packets * datagram_bytes_base;
    for (StreamSend &stream : c._send)
        if (stream_send::repeat_oldest(stream, repeated_bytes)) break;
}

// While stream bytes are sent in several copies, they are retransmitted as soon as the packet with
// their last copy is overdue: a later packet has been acked, or its own ack should be here. The
// thresholds of RFC 9002 would take some ticks longer, and everything behind those bytes in the
// stream waits. If only the ack was lost, the retransmit wastes a few bytes.
static void repeat_late(Connection &c, uint64_t now_us)
{
    const uint64_t late_us =
        round_trip::smoothed_us(c._round_trip) + round_trip::variance_us(c._round_trip);
    const uint64_t acked_end = sent_packets::acked_end(c._sent);
    for (uint64_t i = sent_packets::oldest(c._sent); i < sent_packets::next(c._sent); i += 1) {
        SentPacket &packet = sent_packets::at(c._sent, i);
        if (packet.state != SentState::in_flight) continue;
        if (i >= acked_end && now_us - packet.sent_us < late_us) return;
        for (size_t k = 0; k < packet.chunk_count; k += 1) {
            SentChunk &chunk = packet.chunks[k];
            StreamSend &stream = c._send[static_cast<size_t>(chunk.stream)];
            if (chunk.last_bytes > 0) stream_send::lost(stream, chunk.offset_low, chunk.last_bytes);
            chunk.last_bytes = 0;
        }
    }
}

static void update_closing(Connection &c)
{
    c._closing_ticks += 1;
    c._close_due = true;
    if (c._closing_ticks >= closing_ticks_max) end(c, ConnectionState::closed_by_us);
}

void update(Connection &c, uint64_t now_us)
{
    if (!is_alive(c)) return;
    if (c._state == ConnectionState::closing) {
        update_closing(c);
        return;
    }
    if (now_us - c._last_received_us >= c._limits.timeout_us) {
        end(c, ConnectionState::silent);
        return;
    }
    sent_packets::detect_lost(c._sent, round_trip::loss_threshold(c._round_trip, now_us), now_us);
    settle_streams(c);
    if (copies(c) > 1 && round_trip::known(c._round_trip)) repeat_late(c, now_us);
    update_probes(c, now_us);
    // After a long outage all places may be taken; a probe needs one to notice that the path works.
    const uint64_t old_us = round_trip::probe_us(c._round_trip);
    if (!has_place(c) && now_us >= old_us) lose_packets(c, now_us - old_us);
}

static bool is_quiet(const StreamSend &stream, uint32_t copies)
{
    if (stream_send::any_lost(stream) || stream_send::any_new(stream, 1, 0)) return false;
    return copies == 1 || stream_send::acked(stream) == stream_send::queued(stream);
}

uint64_t quiet_until_us(const Connection &c)
{
    const SentPackets &sent = c._sent;
    if (!is_alive(c) || c._state != ConnectionState::open || c._ping_due) return 0;
    if (c._probes_due > 0 || c._probe_count >= doubtful_probes || !has_place(c)) return 0;
    // An older packet than an acked one may count as lost at any time.
    if (sent_packets::any_outcome(sent)) return 0;
    if (sent_packets::oldest(sent) < sent_packets::acked_end(sent)) return 0;
    const uint32_t copy_count = copies(c);
    for (const StreamSend &stream : c._send)
        if (!is_quiet(stream, copy_count)) return 0;
    for (const StreamReceive &stream : c._receive)
        if (stream_receive::has_message(stream)) return 0;
    const uint64_t eliciting_us = sent_packets::eliciting_us(sent);
    const bool awaits_ack = sent_packets::eliciting_count(sent) > 0;
    return std::min({c._last_received_us + c._limits.timeout_us, keep_alive_us(c), doubt_us(c),
                     ack_tracker::due_us(c._acks),
                     awaits_ack ? eliciting_us + probe_interval_us(c) : UINT64_MAX});
}

ConnectionState state(const Connection &c)
{
    return c._state;
}

uint64_t last_received_us(const Connection &c)
{
    return c._last_received_us;
}

uint64_t next_number(const Connection &c)
{
    return sent_packets::next(c._sent);
}

bool has_acked_since(const Connection &c, uint64_t number)
{
    return sent_packets::acked_end(c._sent) > number;
}

CloseReason close_reason(const Connection &c)
{
    return c._close_reason;
}

bool take_packet_outcome(Connection &c, PacketOutcome &outcome)
{
    return sent_packets::take_packet_outcome(c._sent, outcome);
}

// --- Paths ---

Address address(const Connection &c)
{
    return c._address;
}

void redirect(Connection &c, const Address &address, uint64_t now_us)
{
    if (address == c._address) return;
    c._address = address;
    begin_path(c, now_us);
}

bool in_doubt(const Connection &c, uint64_t now_us)
{
    return c._probe_count >= doubtful_probes || now_us >= doubt_us(c);
}

void end_doubt(Connection &c, uint64_t now_us)
{
    c._probe_count = 0;
    c._answered_us = now_us;
}

uint64_t send_key_name(const Connection &c)
{
    return c._send_key_name;
}

uint64_t receive_key_name(const Connection &c)
{
    return c._receive_key_name;
}

Stats stats(const Connection &c)
{
    Stats stats = c._stats;
    stats.rtt_us = static_cast<uint32_t>(
        std::min<uint64_t>(round_trip::smoothed_us(c._round_trip), UINT32_MAX));
    stats.rtt_variance_us = static_cast<uint32_t>(
        std::min<uint64_t>(round_trip::variance_us(c._round_trip), UINT32_MAX));
    stats.datagram_bytes = static_cast<uint32_t>(path_size::bytes(c._path_size));
    return stats;
}

const Tallies &tallies(const Connection &c)
{
    return c._tallies;
}

// --- The end ---

void ping(Connection &c)
{
    c._ping_due = true;
}

void close(Connection &c, CloseReason reason, uint64_t)
{
    TERN_ASSERT(reason != CloseReason::none, "a close has a reason");
    if (is_alive(c) && c._state == ConnectionState::open) begin_closing(c, reason);
}

bool is_alive(const Connection &c)
{
    return c._has_keys &&
           (c._state == ConnectionState::open || c._state == ConnectionState::closing);
}

void begin_closing(Connection &c, CloseReason reason)
{
    c._state = ConnectionState::closing;
    c._close_reason = reason;
    c._close_due = true;
    lose_packets(c, UINT64_MAX);
}

void end(Connection &c, ConnectionState state)
{
    c._state = state;
    c._close_due = false;
    lose_packets(c, UINT64_MAX);
}

void lose_packets(Connection &c, uint64_t sent_us)
{
    sent_packets::declare_all_lost(c._sent, sent_us);
    settle_streams(c);
}

uint32_t copies(const Connection &c)
{
    static_assert(stream_copies_max == 3);
    return c._loss < two_copies_loss ? 1 : c._loss < three_copies_loss ? 2 : 3;
}

void settle_streams(Connection &c)
{
    for (PacketOutcome outcome; sent_packets::settle_packet_outcome(c._sent, outcome);) {
        const SentPacket &packet = sent_packets::at(c._sent, outcome.packet);
        if (!outcome.acked) c._stats.lost_datagrams += 1;
        const bool was_probe = path_size::settled(c._path_size, outcome.packet, packet.size_bytes,
                                                  outcome.acked, packet.sent_us);
        if (was_probe) continue;
        const bool tells = outcome.packet >= c._standstill_end;
        if (tells) c._loss += (outcome.acked ? 0 : 65'536 / loss_packets) - c._loss / loss_packets;
        if (tells) congestion::settled(c._congestion, outcome.acked);
        for (size_t j = 0; j < packet.chunk_count; j += 1) {
            const SentChunk &chunk = packet.chunks[j];
            StreamSend &stream = c._send[static_cast<size_t>(chunk.stream)];
            if (outcome.acked)
                stream_send::arrived(stream, chunk.offset_low, chunk.size_bytes);
            else
                stream_send::lost(stream, chunk.offset_low, chunk.size_bytes);
        }
    }
}

}
