// A few endpoints and the datagrams between them, for tests. The test sets the time and the seed.
#pragma once
#include "base/random.h"
#include "tern/limits.hpp"
#include "transport/endpoint_types.h"
#include <cstring>
#include <gtest/gtest.h>
#include <sodium.h>
#include <string>
#include <vector>

namespace tern::world {

using Bytes = std::vector<std::byte>;

inline constexpr uint64_t session = 77;
inline constexpr uint8_t secret[32] = {1, 2, 3};

struct Mail {
    Address from, to;
    Bytes bytes;
    uint64_t due_us;
};

inline EndpointLimits limits(uint16_t connections_max = 4)
{
    EndpointLimits limits = {};
    limits.connections_max = connections_max;
    limits.connection = {1'000'000, 10'000'000, {64 * 1024, 64 * 1024}};
    limits.handshake_timeout_us = 5'000'000;
    return limits;
}

inline Address address(uint16_t number)
{
    Address a = {};
    a.ip[10] = a.ip[11] = 0xff;
    a.ip[12] = 10;
    a.ip[14] = static_cast<uint8_t>(number >> 8);
    a.ip[15] = static_cast<uint8_t>(number);
    a.port = 7000;
    return a;
}

struct Peer {
    KeyPair keys = {};
    Address at = {};
    Endpoint *endpoint = nullptr;
    std::vector<ConnectionIndex> opened; // Connections that a first packet opened
    std::vector<std::string> heard;      // The received world messages, in order

    Peer(uint16_t number, const EndpointLimits &with = limits(), uint64_t of_session = session,
         const uint8_t (&of_secret)[32] = secret)
        : at(address(number))
    {
        EXPECT_GE(sodium_init(), 0);
        keys = noise::make_key_pair();
        endpoint = endpoint::make_endpoint(with, keys);
        endpoint::enter(*endpoint, of_session, of_secret);
    }
    Peer(const Peer &) = delete;
    Peer &operator=(const Peer &) = delete;
    ~Peer() { endpoint::destroy_endpoint(endpoint); }
    Endpoint &e() { return *endpoint; }
};

inline Arrival receive(Peer &peer, const Address &from, const Bytes &bytes, uint64_t now_us)
{
    const Arrival arrival = endpoint::receive(peer.e(), {from, bytes}, now_us);
    if (arrival.handling == Handling::opened) peer.opened.push_back(arrival.connection);
    if (arrival.handling != Handling::opened && arrival.handling != Handling::packet) {
        EXPECT_EQ(arrival.connection, no_connection);
        return arrival;
    }
    Connection &c = endpoint::at(peer.e(), arrival.connection);
    connection::accept(c, arrival.packet, now_us);
    for (;;) {
        const auto message = connection::peek_message(c, StreamId::world);
        if (message.empty()) break;
        peer.heard.emplace_back(reinterpret_cast<const char *>(message.data()), message.size());
        connection::consume_message(c, StreamId::world);
    }
    return arrival;
}

inline std::vector<Mail> handshakes(Peer &peer, uint64_t now_us, size_t datagrams_max = 2048)
{
    static std::vector<std::byte> bytes(2048 * datagram_bytes_max);
    static std::vector<Datagram> datagrams(2048);
    DatagramBuffer datagram_buffer = {std::span(bytes).first(datagrams_max * datagram_bytes_max),
                                      std::span(datagrams).first(datagrams_max), 0};
    endpoint::send_handshakes(peer.e(), datagram_buffer, now_us);
    std::vector<Mail> mails;
    for (size_t i = 0; i < datagram_buffer.count; ++i)
        mails.push_back({peer.at, datagrams[i].address,
                         Bytes(datagrams[i].bytes.begin(), datagrams[i].bytes.end()), now_us});
    return mails;
}

// Takes one packet from each open connection that wants to send.
inline std::vector<Mail> packets(Peer &peer, uint64_t now_us)
{
    std::vector<Mail> mails;
    for (ConnectionIndex i = 0; i < peer.endpoint->_limits.connections_max; ++i) {
        if (endpoint::handshake_state(peer.e(), i) != HandshakeState::open) continue;
        Connection &c = endpoint::at(peer.e(), i);
        connection::update(c, now_us);
        for (PacketOutcome outcome; connection::take_packet_outcome(c, outcome);) {
        }
        if (!connection::wants_packet(c, now_us) || !connection::has_budget(c, now_us)) continue;
        Bytes buffer(datagram_bytes_max);
        Packet packet = connection::begin_packet(c, buffer, datagram_bytes_max, now_us);
        const auto sealed = connection::finish_packet(c, packet, now_us);
        if (sealed.empty()) continue;
        mails.push_back(
            {peer.at, connection::address(c), Bytes(sealed.begin(), sealed.end()), now_us});
    }
    return mails;
}

inline std::vector<Mail> everything(Peer &peer, uint64_t now_us)
{
    std::vector<Mail> mails = handshakes(peer, now_us);
    for (Mail &mail : packets(peer, now_us))
        mails.push_back(std::move(mail));
    return mails;
}

inline void say(Peer &peer, ConnectionIndex index, const std::string &text)
{
    EXPECT_TRUE(connection::queue_message(endpoint::at(peer.e(), index), StreamId::world,
                                          std::as_bytes(std::span(text.data(), text.size()))));
}

// The connections whose handshake is done and which are not closed.
inline std::vector<ConnectionIndex> live(Peer &peer)
{
    std::vector<ConnectionIndex> result;
    for (ConnectionIndex i = 0; i < peer.endpoint->_limits.connections_max; ++i)
        if (endpoint::handshake_state(peer.e(), i) == HandshakeState::open &&
            connection::state(endpoint::at(peer.e(), i)) == ConnectionState::open)
            result.push_back(i);
    return result;
}

inline size_t half_open_count(Peer &peer)
{
    size_t count = 0;
    for (uint16_t i = 0; i < half_open_max; ++i) {
        const HalfOpen &entry = half_open::at(peer.endpoint->_half_open, i);
        count += entry.is_used && !entry.is_spent;
    }
    return count;
}

// A network that loses and delays datagrams. Different delays reorder them.
struct Net {
    Random random = random::from_seed(1);
    double loss = 0;
    uint64_t delay_us_min = 10'000, delay_us_max = 10'000;
    uint64_t now_us = 1'000'000;
    std::vector<Peer *> peers;
    std::vector<Mail> flying;
};

inline void post(Net &net, std::vector<Mail> mails)
{
    for (Mail &mail : mails) {
        if (random::chance(net.random, net.loss)) continue;
        const uint64_t spread_us = net.delay_us_max - net.delay_us_min + 1;
        mail.due_us = net.now_us + net.delay_us_min + random::below(net.random, spread_us);
        net.flying.push_back(std::move(mail));
    }
}

// Runs one tick of all peers.
inline void step(Net &net, uint64_t tick_us = 5'000)
{
    net.now_us += tick_us;
    std::stable_sort(net.flying.begin(), net.flying.end(),
                     [](const Mail &a, const Mail &b) { return a.due_us < b.due_us; });
    std::vector<Mail> due;
    while (!net.flying.empty() && net.flying.front().due_us <= net.now_us) {
        due.push_back(std::move(net.flying.front()));
        net.flying.erase(net.flying.begin());
    }
    for (const Mail &mail : due)
        for (Peer *peer : net.peers)
            if (peer->at == mail.to) receive(*peer, mail.from, mail.bytes, net.now_us);
    for (Peer *peer : net.peers)
        post(net, everything(*peer, net.now_us));
}

inline void run(Net &net, uint64_t duration_us)
{
    for (const uint64_t end_us = net.now_us + duration_us; net.now_us < end_us;)
        step(net);
}

// The bytes of an endpoint's whole state, without its counters and its room for a packet.
inline void write_state(Bytes &all, const Peer &peer)
{
    Endpoint copy = *peer.endpoint;
    copy._received = copy._bad = 0;
    copy._handshakes = {};
    std::memset(static_cast<void *>(&copy._room), 0, sizeof copy._room);
    all.clear();
    const auto add = [&all](const void *from, size_t size) {
        all.resize(all.size() + size);
        std::memcpy(all.data() + all.size() - size, from, size);
    };
    add(&copy, sizeof copy);
    add(copy._slots, copy._limits.connections_max * sizeof(ConnectionSlot));
    for (size_t i = 0; i < copy._limits.connections_max; ++i)
        add(copy._blocks + i * copy._block_bytes, connection::size_bytes(copy._limits.connection));
}

inline Bytes state(const Peer &peer)
{
    Bytes all;
    write_state(all, peer);
    return all;
}

}
