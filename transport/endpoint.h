// The endpoint: all connections of one session, their handshakes and connection ids. It assigns
// each received datagram to a connection.
//
// The handshake is Noise_IKpsk2_25519_ChaChaPoly_SHA256 with mac1, and with cookies under load, as
// in WireGuard. A stranger cannot use this endpoint for amplification, because no answer is larger
// than the datagram that it answers. A responder keeps a small half-open entry for each handshake
// and makes a connection from it when the first authentic data datagram arrives; under load only a
// stranger that has proved its address by a cookie gets an entry. Formats: docs/wire_format.md,
// "Handshake".
#pragma once
#include "transport/connection/connection.h"
#include "transport/handshake/entropy.h"

namespace tern {

struct Endpoint; // Opaque.

using ConnectionIndex = uint16_t;
inline constexpr ConnectionIndex no_connection = 0xffff;

struct EndpointLimits {
    uint16_t connections_max; // 1000 at most.
    ConnectionLimits connection;
    uint32_t handshake_timeout_us; // How long connect() keeps trying.
    Allocator allocator;
};

// Datagrams to be sent in this tick, in one fixed buffer.
struct DatagramBuffer {
    std::span<std::byte> bytes;    // datagrams.size() * datagram_bytes_max bytes.
    std::span<Datagram> datagrams; // The capacity; the first `count` are filled.
    size_t count;                  // When full, the rest waits for the next tick.
};

enum class HandshakeState : uint8_t {
    free,
    connecting, // We have sent an initiation, and no response has arrived yet.
    open,       // See connection::state() for the state of the connection.
    // A connect() of ours has failed after handshake_timeout_us:
    unreachable,     // No answer. (At once if `key` is no proper key, if another incarnation of the
                     // peer answers, or if another connection with the peer was opened first.)
    version_refused, // The peer uses another wire version.
    secret_refused   // The peer answered, but with another session secret.
};

enum class Handling : uint8_t {
    bad,     // Malformed, forged, replayed or for no connection here. Counted in bad_datagrams();
             // otherwise without effect, except that an initiation of another version may be
             // answered by a version refusal.
    handled, // A handshake datagram, completely handled.
    opened,  // The peer has opened `connection`, and `packet` is its first packet. If we were
             // connecting to the same key, the connection keeps that index. An older connection
             // with the same key is being closed, with CloseReason::replaced.
    packet,  // `packet` arrived on `connection`.
    breach   // The peer of `connection` has sealed what is not in the format. Otherwise as bad.
};

struct Arrival {
    Handling handling;
    ConnectionIndex connection; // opened, packet; otherwise no_connection.
    OpenedPacket packet;        // opened, packet: decrypted, not yet accepted.
    uint64_t answered_us = 0;   // opened: when we answered the handshake first.
};

namespace endpoint {

size_t size_bytes(const EndpointLimits &limits); // What make_endpoint() allocates.
// Null: the system gives no memory.
Endpoint *make_endpoint(const EndpointLimits &limits, const KeyPair &keys);
void destroy_endpoint(Endpoint *endpoint);
// Sets the source of keys, nonces and ids. Without it, libsodium's random source.
void set_entropy(Endpoint &e, const EntropySource &entropy);
// Limits the ciphers that this endpoint offers and chooses to this set (see handshake::bit()),
// which must contain ciphers_everywhere. Without it, all ciphers of this machine.
void set_ciphers(Endpoint &e, uint16_t ciphers);
void draw(Endpoint &e, std::span<uint8_t> bytes); // Fills `bytes` from the source of set_entropy().
// Sets the session id and its secret, which both go into every handshake. Call it before all that
// follows. A further call moves the endpoint to another session, and half-open handshakes of the
// former one are dropped.
void enter(Endpoint &e, uint64_t session, const uint8_t (&secret)[32]);
// A peer that joins again has the same key and another incarnation, a random number. Each side of a
// handshake names its own to the other, so that a connection of the former incarnation is not taken
// for one of the present. Half-open handshakes of the former one are dropped. Without this call: 0.
void set_incarnation(Endpoint &e, uint32_t incarnation);

// Starts a handshake with the peer that holds the private key of `key`. no_connection if all places
// are in use. If both peers of a pair connect at the same time, the connection that the peer with
// the lower key (bytewise) has started survives.
// incarnation: fails, as unreachable, if a peer of another incarnation answers; 0 accepts any.
ConnectionIndex connect(Endpoint &e, const uint8_t (&key)[32], const Address &address,
                        uint64_t now_us, uint32_t incarnation = 0);
// While connecting: also sends the initiation to this relay address, at once and with each repeat.
// The connection gets the address whose response arrives first.
void add_relay_candidate(Endpoint &e, ConnectionIndex index, const Address &relay_candidate,
                         uint64_t now_us);
void free_connection(Endpoint &e,
                     ConnectionIndex index); // Frees the place at once and wipes its keys.
HandshakeState handshake_state(const Endpoint &e, ConnectionIndex index);
Connection &at(Endpoint &e, ConnectionIndex index); // Asserts that it is open.
const Connection &at(const Endpoint &e, ConnectionIndex index);
const uint8_t *key(const Endpoint &e, ConnectionIndex index);   // Public key of the peer, 32 bytes.
uint32_t incarnation(const Endpoint &e, ConnectionIndex index); // The peer's, once it is open.
// The connection with this peer: an open one, otherwise one that is connecting, or no_connection.
ConnectionIndex find(const Endpoint &e, const uint8_t (&key)[32]);

// Takes one datagram. The packet in the result is valid until the next call.
Arrival receive(Endpoint &e, const Datagram &datagram, uint64_t now_us);
// Call it once per tick. Writes the handshake datagrams that are due: initiations, repeats, and
// answers. Cookie replies and version refusals take at most half of the outbox. Handshakes also
// time out here. (The caller writes data packets itself, through connection::begin_packet().)
void send_handshakes(Endpoint &e, DatagramBuffer &datagram_buffer, uint64_t now_us);
uint64_t received_datagrams(const Endpoint &e); // All since it entered a session, bad ones too.
uint64_t bad_datagrams(const Endpoint &e);
Tally handshakes(const Endpoint &e); // Datagrams that send_handshakes() has written.
// The connection of this index, open or not, for its tallies. Null if the index was never used.
const Connection *ever_at(const Endpoint &e, ConnectionIndex index);
void count_bad_datagram(Endpoint &e); // Counts a packet that the caller did not accept.

// A free place of datagram_bytes_max in the outbox; empty if the outbox is full. Write a datagram
// there and call push().
std::span<std::byte> place(DatagramBuffer &datagram_buffer);
void push(DatagramBuffer &datagram_buffer, const Address &address, size_t size_bytes);

}
}
