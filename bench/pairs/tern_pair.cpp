#include "bench/pairs/tern_pair.h"
#include "tern/limits.hpp"
#include "transport/handshake/noise.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sodium.h>

using namespace tern;

namespace bench {
namespace tern_side {

// No rate limit: the benchmark measures the cost, not the pacing.
static EndpointLimits limits(uint16_t connections_max)
{
    EndpointLimits limits = {};
    limits.connections_max = connections_max;
    limits.connection.send_bytes_per_second_max = UINT32_MAX;
    limits.connection.timeout_us = 60'000'000;
    limits.connection.queue_bytes_max[static_cast<size_t>(StreamId::world)] = 256 * 1024;
    limits.connection.queue_bytes_max[static_cast<size_t>(StreamId::calls)] = 64 * 1024;
    limits.handshake_timeout_us = 5'000'000;
    return limits;
}

void make(TernSide &side, uint16_t connections_max)
{
    const MadeSocket made = make_udp_socket(0);
    if (!made.socket) {
        std::fprintf(stderr, "tern-bench: no UDP socket: %s\n", to_text(made.error));
        std::exit(1);
    }
    side.socket = made.socket;
    side.keys = noise::make_key_pair();
    side.endpoint = endpoint::make_endpoint(limits(connections_max), side.keys);
    side.connection = no_connection;
    side.bytes.resize(buffer_datagrams_max * datagram_bytes_max);
    side.datagrams.resize(buffer_datagrams_max);
    side.datagram_buffer = {side.bytes, side.datagrams, 0};
    const uint8_t secret[32] = {1, 2, 3};
    endpoint::enter(*side.endpoint, 1, secret);
}

// --- A tick of one side, with the calls that session/ makes ---

static Connection &connection_of(TernSide &side)
{
    return endpoint::at(*side.endpoint, side.connection);
}

static void receive_datagram(TernSide &side, const Datagram &datagram, uint64_t now_us,
                             Tally &tally)
{
    const Arrival arrival = endpoint::receive(*side.endpoint, datagram, now_us);
    if (arrival.handling != Handling::opened && arrival.handling != Handling::packet) return;
    side.connection = arrival.connection;
    Connection &c = connection_of(side);
    connection::accept(c, arrival.packet, now_us);
    for (size_t i = 0; i < arrival.packet.unreliable_count; ++i)
        tally_message(tally, arrival.packet.unreliable[i].bytes);
    for (;;) {
        const std::span<const std::byte> message = connection::peek_message(c, StreamId::world);
        if (message.empty()) return;
        tally_message(tally, message);
        connection::consume_message(c, StreamId::world);
    }
}

void receive(TernSide &side, uint64_t now_us, Tally &tally)
{
    for (const Datagram &datagram : side.socket->receive())
        receive_datagram(side, datagram, now_us, tally);
    if (side.connection == no_connection) return;
    Connection &c = connection_of(side);
    connection::update(c, now_us);
    for (PacketOutcome outcome; connection::take_packet_outcome(c, outcome);) {
    }
}

// Drops larger datagrams, so that tern finds a path size near ENet's and the two compare fairly.
void hand_over(TernSide &side)
{
    size_t kept = 0;
    for (const Datagram &datagram :
         side.datagram_buffer.datagrams.first(side.datagram_buffer.count))
        if (datagram.bytes.size() <= path_bytes_max) side.datagrams[kept++] = datagram;
    side.socket->send(side.datagram_buffer.datagrams.first(kept));
    side.datagram_buffer.count = 0;
}

void send(TernSide &side, uint64_t now_us)
{
    endpoint::send_handshakes(*side.endpoint, side.datagram_buffer, now_us);
    while (side.connection != no_connection) {
        Connection &c = connection_of(side);
        if (!connection::has_budget(c, now_us) || !connection::wants_packet(c, now_us)) break;
        const std::span<std::byte> place = endpoint::place(side.datagram_buffer);
        if (place.empty()) break;
        Packet packet = connection::begin_packet(c, place, datagram_bytes_max, now_us);
        const auto bytes = connection::finish_packet(c, packet, now_us);
        if (bytes.empty()) break;
        endpoint::push(side.datagram_buffer, connection::address(c), bytes.size());
    }
    hand_over(side);
}

bool is_open(const TernSide &side)
{
    return side.connection != no_connection &&
           endpoint::handshake_state(*side.endpoint, side.connection) == HandshakeState::open;
}

void destroy(TernSide &side)
{
    endpoint::destroy_endpoint(side.endpoint);
    destroy_socket(side.socket);
}

}

namespace tern_pair {

using tern_side::connection_of;

TernPair *make()
{
    if (sodium_init() < 0) std::abort();
    auto *pair = new TernPair{};
    tern_side::make(pair->sender, 2);
    tern_side::make(pair->receiver, 2);
    TernSide &sender = pair->sender;
    const Address to = loopback(pair->receiver.socket->local_address().port);
    const ConnectionIndex asked =
        endpoint::connect(*sender.endpoint, pair->receiver.keys.public_key, to, clock_us());
    Tally unused = {};
    const uint64_t deadline_us = clock_us() + 5'000'000;
    while ((!tern_side::is_open(sender) || !tern_side::is_open(pair->receiver)) &&
           clock_us() < deadline_us) {
        for (TernSide *side : {&sender, &pair->receiver}) {
            tern_side::receive(*side, clock_us(), unused);
            if (endpoint::handshake_state(*sender.endpoint, asked) == HandshakeState::open)
                sender.connection = asked;
            tern_side::send(*side, clock_us());
        }
    }
    if (tern_side::is_open(sender) && tern_side::is_open(pair->receiver)) return pair;
    std::fprintf(stderr, "tern-bench: the handshake did not succeed\n");
    std::exit(1);
}

void destroy(TernPair *pair)
{
    tern_side::destroy(pair->sender);
    tern_side::destroy(pair->receiver);
    delete pair;
}

bool put(TernPair &pair, std::span<const std::byte> message)
{
    Connection &c = connection_of(pair.sender);
    if (pair.packet_begun && connection::unreliable_room(pair.packet).size() < message.size())
        end_packet(pair);
    for (int i = 0; i < 2 && !pair.packet_begun; ++i) {
        const uint64_t now_us = clock_us();
        const std::span<std::byte> place = endpoint::place(pair.sender.datagram_buffer);
        if (place.empty() || !connection::has_budget(c, now_us)) return false;
        pair.packet = connection::begin_packet(c, place, datagram_bytes_max, now_us);
        pair.packet_begun = true;
        // The packet may be a path-size probe, which has no room for messages; the second try gets
        // another.
        if (connection::unreliable_room(pair.packet).empty()) end_packet(pair);
    }
    if (!pair.packet_begun) return false;
    const std::span<std::byte> room = connection::unreliable_room(pair.packet);
    if (room.size() < message.size()) return false;
    std::memcpy(room.data(), message.data(), message.size());
    connection::add_unreliable(pair.packet, UnreliableKind::call, message.size());
    return true;
}

void end_packet(TernPair &pair)
{
    if (!pair.packet_begun) return;
    pair.packet_begun = false;
    Connection &c = connection_of(pair.sender);
    const auto bytes = connection::finish_packet(c, pair.packet, clock_us());
    if (!bytes.empty())
        endpoint::push(pair.sender.datagram_buffer, connection::address(c), bytes.size());
}

bool queue(TernPair &pair, std::span<const std::byte> message)
{
    return connection::queue_message(connection_of(pair.sender), StreamId::world, message);
}

void flush(TernPair &pair)
{
    end_packet(pair);
    tern_side::send(pair.sender, clock_us());
}

void tick(TernPair &pair, Tally &tally)
{
    const uint64_t now_us = clock_us();
    tern_side::receive(pair.receiver, now_us, tally);
    tern_side::send(pair.receiver, now_us);
    Tally unused = {};
    tern_side::receive(pair.sender, clock_us(), unused);
}

uint64_t sent_bytes(const TernPair &pair)
{
    return pair.sender.socket->stats().sent_bytes + pair.receiver.socket->stats().sent_bytes;
}

}

}
