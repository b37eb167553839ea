// Three endpoints connect over a network that the input controls; two share a secret, the third has
// another. Only a peer with the secret is admitted. A message on a connection comes from the holder
// of its key. An address that is not validated is sent no more bytes than it sent (as in RFC 9000,
// 8.1). Once loss stops, the two with the same secret get connected.
#include "fuzz/support/endpoints.h"
#include "fuzz/support/input.h"
#include "fuzz/targets.h"
#include "tern/limits.hpp"
#include <cstring>

namespace tern::fuzz {

namespace {

constexpr size_t peer_count = 3; // The last has another secret.
constexpr size_t wire_max = 32;

struct Mail {
    Address from;
    size_t to;
    size_t size_bytes;
    std::byte bytes[datagram_bytes_max];
};

struct Peer {
    KeyPair keys;
    Address address;
    Endpoint *endpoint;
    bool synced[fuzz_connections_max]; // Connections on which its name has been sent.
    // Bytes received from each peer, and bytes of handshakes sent in answer to it.
    size_t bytes_in[peer_count], bytes_out[peer_count];
};

struct World {
    Peer peers[peer_count];
    Mail wire[wire_max];
    size_t wire_count;
    uint64_t now_us;
    size_t heard; // Names that arrived.
};

size_t holder(const World &w, const uint8_t *key)
{
    for (size_t i = 0; i < peer_count; ++i)
        if (std::memcmp(w.peers[i].keys.public_key, key, 32) == 0) return i;
    TERN_ASSERT(false, "a connection with nobody, key %02x", key[0]);
    return 0;
}

size_t at_address(const World &w, const Address &address)
{
    size_t i = 0;
    while (i < peer_count && !(w.peers[i].address == address))
        ++i;
    return i;
}

World &fresh()
{
    static World w;
    static bool made = false;
    if (!made) {
        made = true;
        seed_chance(1);
        for (size_t i = 0; i < peer_count; ++i) {
            Peer &p = w.peers[i];
            p.keys = noise::make_key_pair();
            p.address = numbered_address(static_cast<uint8_t>(i + 1));
            p.endpoint = make_fuzz_endpoint(p.keys, i == 2 ? wrong_secret : right_secret);
        }
        w.now_us = 1'000'000;
    }
    uint64_t later_us = w.now_us;
    for (Peer &p : w.peers) {
        later_us = std::max(later_us, forget_all(*p.endpoint, w.now_us));
        for (bool &synced : p.synced)
            synced = false;
        for (size_t i = 0; i < peer_count; ++i)
            p.bytes_in[i] = p.bytes_out[i] = 0;
    }
    seed_chance(1);
    w.now_us = later_us;
    w.wire_count = 0;
    w.heard = 0;
    return w;
}

void post(World &w, size_t from, const Datagram &datagram)
{
    const size_t to = at_address(w, datagram.address);
    if (to == peer_count || w.wire_count == wire_max) return;
    Mail &mail = w.wire[w.wire_count];
    mail.from = w.peers[from].address;
    mail.to = to;
    mail.size_bytes = datagram.bytes.size();
    std::memcpy(mail.bytes, datagram.bytes.data(), mail.size_bytes);
    w.wire_count += 1;
}

// --- Connections ---

bool is_live(const Endpoint &e, ConnectionIndex i)
{
    return endpoint::handshake_state(e, i) == HandshakeState::open &&
           connection::state(endpoint::at(e, i)) == ConnectionState::open;
}

void say_name(Peer &p, size_t who, ConnectionIndex i)
{
    if (p.synced[i]) return;
    const auto name = static_cast<std::byte>(who);
    p.synced[i] = connection::queue_message(endpoint::at(*p.endpoint, i), StreamId::world,
                                            std::span(&name, 1));
}

void hear_names(World &w, size_t at, ConnectionIndex i)
{
    Endpoint &e = *w.peers[at].endpoint;
    Connection &c = endpoint::at(e, i);
    const size_t other = holder(w, endpoint::key(e, i));
    for (;;) {
        const std::span<const std::byte> name = connection::peek_message(c, StreamId::world);
        if (name.empty()) return;
        TERN_ASSERT(name.size() == 1 && std::to_integer<size_t>(name[0]) == other,
                    "%zu hears %d from %zu", at, std::to_integer<int>(name[0]), other);
        w.heard += 1;
        connection::consume_message(c, StreamId::world);
    }
}

void check_connections(const World &w)
{
    for (size_t at = 0; at < peer_count; ++at)
        for (ConnectionIndex i = 0; i < fuzz_connections_max; ++i) {
            const Endpoint &e = *w.peers[at].endpoint;
            if (endpoint::handshake_state(e, i) != HandshakeState::open) continue;
            const size_t other = holder(w, endpoint::key(e, i));
            TERN_ASSERT(at != 2 && other != 2 && other != at, "%zu is connected to %zu", at, other);
        }
}

void send(World &w, size_t from)
{
    Peer &p = w.peers[from];
    for (const Datagram &datagram : handshakes_due(*p.endpoint, w.now_us)) {
        const size_t to = at_address(w, datagram.address);
        const bool asks = std::to_integer<int>(datagram.bytes[0]) == 1;
        if (to < peer_count && !asks) p.bytes_out[to] += datagram.bytes.size();
        TERN_ASSERT(to == peer_count || p.bytes_out[to] <= p.bytes_in[to],
                    "%zu answers %zu for %zu", from, p.bytes_out[to], p.bytes_in[to]);
        post(w, from, datagram);
    }
    for (ConnectionIndex i = 0; i < fuzz_connections_max; ++i) {
        if (endpoint::handshake_state(*p.endpoint, i) != HandshakeState::open) continue;
        Connection &c = endpoint::at(*p.endpoint, i);
        connection::update(c, w.now_us);
        for (PacketOutcome outcome; connection::take_packet_outcome(c, outcome);) {
        }
        const ConnectionState state = connection::state(c);
        if (state != ConnectionState::open && state != ConnectionState::closing) {
            endpoint::free_connection(*p.endpoint, i);
            p.synced[i] = false;
            continue;
        }
        if (state == ConnectionState::open) say_name(p, from, i);
        if (!connection::wants_packet(c, w.now_us) || !connection::has_budget(c, w.now_us))
            continue;
        std::byte buffer[datagram_bytes_max];
        Packet packet = connection::begin_packet(c, buffer, datagram_bytes_max, w.now_us);
        const std::span<const std::byte> sealed = connection::finish_packet(c, packet, w.now_us);
        if (!sealed.empty()) post(w, from, {connection::address(c), sealed});
    }
}

void arrive(World &w, const Mail &mail)
{
    Peer &p = w.peers[mail.to];
    const size_t from = at_address(w, mail.from);
    if (from < peer_count) p.bytes_in[from] += mail.size_bytes;
    const Arrival arrival = endpoint::receive(
        *p.endpoint, {mail.from, std::span(mail.bytes).first(mail.size_bytes)}, w.now_us);
    if (arrival.handling == Handling::opened) p.synced[arrival.connection] = false;
    check_connections(w);
    if (arrival.handling != Handling::opened && arrival.handling != Handling::packet) return;
    connection::accept(endpoint::at(*p.endpoint, arrival.connection), arrival.packet, w.now_us);
    hear_names(w, mail.to, arrival.connection);
}

void take_off(World &w, size_t i)
{
    w.wire_count -= 1;
    std::memmove(&w.wire[i], &w.wire[i + 1], (w.wire_count - i) * sizeof(Mail));
}

void connect(World &w, size_t from, size_t to)
{
    Peer &p = w.peers[from];
    const ConnectionIndex i =
        endpoint::connect(*p.endpoint, w.peers[to].keys.public_key, w.peers[to].address, w.now_us);
    if (i != no_connection) p.synced[i] = false;
}

void release_failures(World &w)
{
    for (Peer &p : w.peers)
        for (ConnectionIndex i = 0; i < fuzz_connections_max; ++i)
            if (endpoint::handshake_state(*p.endpoint, i) > HandshakeState::open)
                endpoint::free_connection(*p.endpoint, i);
}

void step(World &w, Input &in)
{
    const uint8_t what = input::u8(in);
    const size_t at = (what >> 3) % peer_count;
    switch (what & 7) {
    case 0: return connect(w, at, (at + 1 + (what >> 6) % 2) % peer_count);
    case 1:
        w.now_us += input::u8(in) * 20'000ull;
        for (size_t i = 0; i < peer_count; ++i)
            send(w, i);
        release_failures(w);
        return;
    case 2: return send(w, at);
    default: break;
    }
    if (w.wire_count == 0) return;
    const size_t i = (what >> 3) % w.wire_count;
    const Mail mail = w.wire[i];
    Mail changed = mail;
    if ((what & 7) == 5) { // Changes one byte.
        changed.bytes[input::u8(in) % mail.size_bytes] ^= static_cast<std::byte>(input::u8(in));
        return arrive(w, changed);
    }
    if ((what & 7) == 6) { // Changes the source address.
        changed.from = numbered_address(static_cast<uint8_t>(1 + input::u8(in) % 8));
        return arrive(w, changed);
    }
    if ((what & 7) != 7) take_off(w, i);  // Otherwise it is duplicated.
    if ((what & 7) != 4) arrive(w, mail); // Otherwise it is lost.
}

// Drops all connections; then one or both of the two peers with the same secret connect.
void come_together(World &w, bool both)
{
    w.wire_count = 0;
    for (Peer &p : w.peers)
        w.now_us = std::max(w.now_us, forget_all(*p.endpoint, w.now_us));
    for (Peer &p : w.peers)
        for (bool &synced : p.synced)
            synced = false;
    connect(w, 0, 1);
    if (both) connect(w, 1, 0);
    connect(w, 2, 0);
    for (int ticks = 0; ticks < 100; ++ticks) {
        w.now_us += 50'000;
        for (size_t i = 0; i < peer_count; ++i)
            send(w, i);
        while (w.wire_count > 0) {
            const Mail mail = w.wire[0];
            take_off(w, 0);
            arrive(w, mail);
        }
        size_t live[2] = {};
        for (size_t i = 0; i < 2; ++i)
            for (ConnectionIndex k = 0; k < fuzz_connections_max; ++k)
                live[i] += is_live(*w.peers[i].endpoint, k);
        if (ticks > 8 && live[0] == 1 && live[1] == 1) return;
    }
    TERN_ASSERT(false, "they did not come together, both asked: %d", both);
}

}

void fuzz_handshake(std::span<const uint8_t> data)
{
    Input in = {data};
    World &w = fresh();
    const uint8_t how = input::u8(in);
    for (int steps = 0; steps < 64 && !input::empty(in); ++steps)
        step(w, in);
    // Not for every input: two handshakes take longer than all the steps.
    if (how % 4 == 0) come_together(w, how % 8 == 0);
}

}
