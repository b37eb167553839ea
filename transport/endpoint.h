// All connections of one session: handshakes, connection ids, and which datagram is whose.
//
// Handshake: Noise_IKpsk2_25519_ChaChaPoly_SHA256 with mac1, and cookies under load, as in
// WireGuard. A stranger gets no state and no answer larger than its question before it has proved
// its address: a responder keeps a small half-open entry, and makes a connection of it with the
// first authentic data datagram. Formats: docs/wire_format.md, "Handshake".
#pragma once
#include "transport/connection/connection.h"
#include "transport/handshake/chance.h"

namespace tern {

struct Endpoint; // Opaque.

using ConnectionIndex = uint16_t;
inline constexpr ConnectionIndex no_connection = 0xffff;

struct EndpointLimits {
    uint16_t connections_max; // At most 1000.
    ConnectionLimits connection;
    uint32_t handshake_timeout_us; // Of connect().
};

// Datagrams on their way out, in one fixed buffer.
struct Outbox {
    std::span<std::byte> bytes;    // count_max * datagram_bytes_max.
    std::span<Datagram> datagrams; // count_max.
    size_t count;                  // Full: the rest waits for the next tick.
};

enum class Contact : uint8_t {
    free,
    connecting, // We asked; no answer yet.
    open,       // See connection::link().
    // We asked, and handshake_timeout_us later:
    unreachable,     // no answer (or, at once: `key` is none, or another connection came first)
    version_refused, // it speaks another version
    secret_refused   // it answered, but has another secret
};

enum class Handling : uint8_t {
    bad,     // Malformed, forged, replayed, or for nobody here. Counted; nothing else changed, but
             // that an initiation of another version may be told so.
    handled, // A handshake datagram, done.
    opened,  // `connection` is new, made by a peer; `packet` is its first. If we were connecting to
             // the same key, it has the index of that. An older one with the same key is being
             // closed, with CloseReason::replaced.
    packet   // `packet` arrived at `connection`.
};

struct Arrival {
    Handling handling;
    ConnectionIndex connection; // opened, packet.
    OpenedPacket packet;        // opened, packet: not yet accepted.
};

namespace endpoint {

Endpoint *make_endpoint(const EndpointLimits &limits, const KeyPair &keys);
void destroy_endpoint(Endpoint *endpoint);
void set_chance(Endpoint &e, const Chance &chance); // Where it draws from; else the random source.
// Offers and chooses only of these (handshake::bit()), the first among them; else of what this
// machine can do.
void set_ciphers(Endpoint &e, uint16_t ciphers);
void draw(Endpoint &e, std::span<uint8_t> bytes); // From there.
// Before anything else: whose session, and its secret. Both go into every handshake. Once more: for
// another session. Handshakes that were answered in the one before come to nothing.
void enter(Endpoint &e, uint64_t session, const uint8_t (&secret)[32]);

// Asks for a connection to who holds `key`. no_connection if all are in use. Of two connections
// that a pair makes at the same time, the one that the lower key (bytewise) asked for survives.
ConnectionIndex connect(Endpoint &e, const uint8_t (&key)[32], const Address &address,
                        uint64_t now_us);
// While connecting: it is asked at this address as well, at once and with each repeat. The
// connection gets the address that answers first.
void add_detour(Endpoint &e, ConnectionIndex index, const Address &detour, uint64_t now_us);
void release(Endpoint &e, ConnectionIndex index); // Forgets it at once, keys and all.
Contact contact(const Endpoint &e, ConnectionIndex index);
Connection &at(Endpoint &e, ConnectionIndex index); // When open.
const Connection &at(const Endpoint &e, ConnectionIndex index);
const uint8_t *key(const Endpoint &e, ConnectionIndex index);      // The peer's, 32 bytes.
ConnectionIndex find(const Endpoint &e, const uint8_t (&key)[32]); // Open, else connecting.

// One datagram. The packet in the answer is valid until the next call.
Arrival receive(Endpoint &e, const Datagram &datagram, uint64_t now_us);
// Handshake datagrams that are due: first tries, repeats, answers; those to strangers without a
// cookie take at most half of the outbox. Once per tick: here handshakes run out of time, too.
// (Data packets are made by the caller through connection::begin_packet.)
void send_handshakes(Endpoint &e, Outbox &outbox, uint64_t now_us);
uint64_t bad_datagrams(const Endpoint &e);
Tally handshakes(const Endpoint &e); // Datagrams that send_handshakes() made.
// Of this index, open or not, for its tallies. Null: there never was one.
const Connection *ever_at(const Endpoint &e, ConnectionIndex index);
void count_bad_datagram(Endpoint &e); // For one that the caller did not accept.

// A free place in the outbox, datagram_bytes_max; empty if it is full. push() fills it.
std::span<std::byte> place(Outbox &outbox);
void push(Outbox &outbox, const Address &address, size_t size_bytes);

}
}
