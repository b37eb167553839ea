#include "bench/tern_pair.h"
#include "transport/noise.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sodium.h>

using namespace tern;

namespace bench::tern_pair {

// No budget is in the way: what is measured is the cost, not the pace.
static EndpointLimits limits()
{
    EndpointLimits limits = {};
    limits.connections_max = 2;
    limits.connection.send_bytes_per_second_max = UINT32_MAX;
    limits.connection.timeout_us = 60'000'000;
    limits.connection.queue_bytes_max[static_cast<size_t>(StreamId::world)] = 256 * 1024;
    limits.connection.queue_bytes_max[static_cast<size_t>(StreamId::calls)] = 64 * 1024;
    limits.handshake_timeout_us = 5'000'000;
    return limits;
}

static void make_side(TernSide &side)
{
    const MadeSocket made = make_udp_socket(0);
    if (!made.socket) {
        std::fprintf(stderr, "tern-bench: no UDP socket: %s\n", text(made.error));
        std::exit(1);
    }
    side.socket = made.socket;
    side.keys = noise::make_key_pair();
    side.endpoint = endpoint::make_endpoint(limits(), side.keys);
    side.connection = no_connection;
    side.bytes.resize(outbox_datagrams_max * datagram_bytes_max);
    side.datagrams.resize(outbox_datagrams_max);
    side.outbox = {side.bytes, side.datagrams, 0};
    const uint8_t secret[32] = {1, 2, 3};
    endpoint::enter(*side.endpoint, 1, secret);
}

// --- One side's tick, as session/ does it ---

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

static void receive_all(TernSide &side, uint64_t now_us, Tally &tally)
{
    for (const Datagram &datagram : side.socket->receive())
        receive_datagram(side, datagram, now_us, tally);
    if (side.connection == no_connection) return;
    Connection &c = connection_of(side);
    connection::update(c, now_us);
    connection::clear_fates(c);
}

static void send_all(TernSide &side, uint64_t now_us)
{
    endpoint::send_handshakes(*side.endpoint, side.outbox, now_us);
    while (side.connection != no_connection) {
        Connection &c = connection_of(side);
        if (!connection::has_budget(c, now_us) || !connection::wants_packet(c, now_us)) break;
        const std::span<std::byte> place = endpoint::place(side.outbox);
        if (place.empty()) break;
        Packet packet = connection::begin_packet(c, place, datagram_bytes_max, now_us);
        const auto bytes = connection::finish_packet(c, packet, now_us);
        if (bytes.empty()) break;
        endpoint::push(side.outbox, connection::address(c), bytes.size());
    }
    side.socket->send(side.outbox.datagrams.first(side.outbox.count));
    side.outbox.count = 0;
}

// --- The pair ---

static bool is_open(const TernSide &side)
{
    return side.connection != no_connection &&
           endpoint::contact(*side.endpoint, side.connection) == Contact::open;
}

TernPair *make()
{
    if (sodium_init() < 0) std::abort();
    auto *pair = new TernPair{};
    make_side(pair->sender);
    make_side(pair->receiver);
    TernSide &sender = pair->sender;
    const Address to = loopback(pair->receiver.socket->local_address().port);
    const ConnectionIndex asked =
        endpoint::connect(*sender.endpoint, pair->receiver.keys.public_key, to, clock_us());
    Tally unused = {};
    const uint64_t deadline_us = clock_us() + 5'000'000;
    while ((!is_open(sender) || !is_open(pair->receiver)) && clock_us() < deadline_us) {
        for (TernSide *side : {&sender, &pair->receiver}) {
            receive_all(*side, clock_us(), unused);
            if (endpoint::contact(*sender.endpoint, asked) == Contact::open)
                sender.connection = asked;
            send_all(*side, clock_us());
        }
    }
    if (is_open(sender) && is_open(pair->receiver)) return pair;
    std::fprintf(stderr, "tern-bench: the handshake did not succeed\n");
    std::exit(1);
}

void destroy(TernPair *pair)
{
    for (TernSide *side : {&pair->sender, &pair->receiver}) {
        endpoint::destroy_endpoint(side->endpoint);
        destroy_socket(side->socket);
    }
    delete pair;
}

bool put(TernPair &pair, std::span<const std::byte> message)
{
    Connection &c = connection_of(pair.sender);
    if (pair.packet_begun && connection::unreliable_room(pair.packet).size() < message.size())
        end_packet(pair);
    if (!pair.packet_begun) {
        const uint64_t now_us = clock_us();
        const std::span<std::byte> place = endpoint::place(pair.sender.outbox);
        if (place.empty() || !connection::has_budget(c, now_us)) return false;
        pair.packet = connection::begin_packet(c, place, datagram_bytes_max, now_us);
        pair.packet_begun = true;
    }
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
    if (!bytes.empty()) endpoint::push(pair.sender.outbox, connection::address(c), bytes.size());
}

bool queue(TernPair &pair, std::span<const std::byte> message)
{
    return connection::queue_message(connection_of(pair.sender), StreamId::world, message);
}

void flush(TernPair &pair)
{
    end_packet(pair);
    send_all(pair.sender, clock_us());
}

void tick(TernPair &pair, Tally &tally)
{
    const uint64_t now_us = clock_us();
    receive_all(pair.receiver, now_us, tally);
    send_all(pair.receiver, now_us);
    Tally unused = {};
    receive_all(pair.sender, clock_us(), unused);
}

uint64_t sent_bytes(const TernPair &pair)
{
    return pair.sender.socket->stats().sent_bytes + pair.receiver.socket->stats().sent_bytes;
}

}
