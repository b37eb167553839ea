// The members of an endpoint. Only files of transport/ may include this header.
#pragma once
#include "tern/limits.hpp"
#include "transport/connection/connection_ids.h"
#include "transport/endpoint.h"
#include "transport/handshake/allowance.h"
#include "transport/handshake/half_open.h"

namespace tern {

inline constexpr uint32_t connections_limit = 1000;
static_assert(connections_limit + half_open_max < id_places);

// An initiation is repeated after the first interval, which doubles up to the second.
inline constexpr uint64_t repeat_us_min = 250'000;
inline constexpr uint64_t repeat_us_max = 1'000'000;
// A new cookie repeats the initiation sooner, but not before this time since the last one.
// Otherwise a stream of cookie replies would make us send a stream of initiations.
inline constexpr uint64_t cookie_repeat_us = 100'000;

// New initiations that get a response without a cookie. Further ones, and all while the half-open
// table is full, get a cookie reply.
inline constexpr uint32_t initiations_per_second_max = 100;
inline constexpr uint32_t initiations_burst = 200;
// New initiations with a right cookie that get a response. Further ones are dropped.
inline constexpr uint32_t proven_per_second_max = 100;
inline constexpr uint32_t proven_burst = 200;
inline constexpr uint32_t version_refusals_per_second_max = 10; // Further ones are not sent.
// Cookie replies and version refusals that wait to be sent. Further ones are dropped.
inline constexpr uint32_t answers_max = 512;
// Lifetime of a cookie secret (WireGuard, 5.4.7). The previous one stays valid for as long again.
inline constexpr uint64_t cookie_time_us = 120'000'000;

// The place of one connection, or of an attempt to connect.
struct ConnectionSlot {
    HandshakeState state;
    bool is_ours;      // We have started the handshake.
    uint32_t local_id; // Connection id on our side; 0 while free and after a failure.
    uint8_t key[32];   // Public key of the peer.
    // The incarnation of the peer; while connecting, the one that must answer, 0 for any.
    uint32_t incarnation;
    uint64_t first_packet_at; // Endpoint::_received at its first authentic packet; 0 before that.

    // Only while connecting.
    Address address;
    Address relay_candidate; // Relay address that the initiation is also sent to; port 0: none.
    NoiseHandshake noise;
    Initiation initiation;
    MacKeys mac_keys; // Derived from the peer's key.
    uint64_t deadline_us;
    uint64_t next_us; // When the initiation is sent next.
    uint64_t sent_us;
    uint64_t repeat_us; // Present interval; 0 before the first initiation.
    bool version_refused;
    bool secret_refused;
};

// An answer that needs no handshake state. Its datagram is written only when it is sent.
struct HandshakeReply {
    DatagramType type; // cookie_reply, version_refusal.
    Address address;
    uint8_t receiver_id[4];
    uint8_t mac1[16]; // cookie_reply: mac1 of the initiation.
};

struct Endpoint { // Closed.
    EndpointLimits _limits;
    // These lie behind this struct in the same block of memory.
    ConnectionSlot *_slots;    // connections_max of them.
    Connection **_connections; // Parallel to _slots. Null until first used, so that the memory of
                               // unused connections is never touched.
    std::byte *_blocks;        // Memory of the connections.
    size_t _block_bytes;       // Memory of each connection.
    bool _has_entered;
    uint16_t _ciphers;          // The set that it offers and chooses from.
    uint32_t _connecting_count; // Slots that are connecting.
    uint32_t _half_open_count;  // Used entries of the table.
    uint32_t _answer_first, _answer_count;
    Tally _handshakes; // Handshake datagrams sent.
    // Datagrams received; serves as a logical clock for first_packet_at and made_at.
    uint64_t _received;
    uint64_t _bad; // Bad datagrams received.

    // What is large or rarely used lies behind, so that a tick touches few pages.
    ConnectionIds _ids;
    PacketRoom _room;
    KeyPair _keys;
    MacKeys _mac_keys; // Derived from our public key.
    EntropySource _entropy;
    handshake::Prologue _prologue;
    uint32_t _incarnation;
    uint8_t _secret[32];
    HalfOpenTable _half_open;
    Allowance _strangers, _proven, _refusals;
    HandshakeReply _answers[answers_max]; // A ring.
    uint8_t _cookie_secrets[2][32];       // The present secret and the previous one.
    uint64_t _cookie_us;                  // When the present secret was made.
    bool _has_cookie_secret;
};

namespace endpoint {

// --- endpoint.cpp ---
ConnectionIndex free_slot(const Endpoint &e); // no_connection if there is none.
// The connection of this place; makes it at the first call.
Connection &make_connection(Endpoint &e, ConnectionIndex index);
void set_state(Endpoint &e, ConnectionSlot &slot, HandshakeState state);
void fail_handshake(Endpoint &e, ConnectionSlot &slot, HandshakeState state);
void clear_half_open(Endpoint &e, HalfOpen &entry);

// --- endpoint_respond.cpp: the responder ---
Handling receive_initiation(Endpoint &e, const Datagram &datagram, uint64_t now_us);
// Takes a data datagram for a half-open handshake; an authentic one makes it a connection.
Arrival promote(Endpoint &e, HalfOpen &entry, const Datagram &datagram, uint64_t now_us);
size_t write_answer(Endpoint &e, const HandshakeReply &answer, std::span<std::byte> to,
                    uint64_t now_us);

}
}
