// The members of an endpoint. For transport/ alone.
#pragma once
#include "transport/connection/connection_ids.h"
#include "transport/endpoint.h"
#include "transport/handshake/allowance.h"
#include "transport/handshake/half_open.h"

namespace tern {

inline constexpr uint32_t connections_limit = 1000;
static_assert(connections_limit + half_open_max < id_places);

// An initiation is repeated after this, and after twice as long each time, up to the second.
inline constexpr uint64_t repeat_us_min = 250'000;
inline constexpr uint64_t repeat_us_max = 1'000'000;
// With a new cookie it is repeated sooner, but not sooner than this after the last time: who sends
// cookies in a stream is not to make a stream of initiations.
inline constexpr uint64_t cookie_repeat_us = 100'000;

// New initiations that are answered without a cookie; beyond, or while the half-open table is
// full, they are answered by cookie replies.
inline constexpr uint32_t initiations_per_second_max = 100;
inline constexpr uint32_t initiations_burst = 200;
// New initiations that are answered because of a cookie; beyond, they are dropped.
inline constexpr uint32_t proven_per_second_max = 100;
inline constexpr uint32_t proven_burst = 200;
inline constexpr uint32_t version_refusals_per_second_max = 10; // Beyond, none is sent.
inline constexpr uint32_t answers_max = 512; // Cookie replies and version refusals that wait to be
                                             // sent; beyond, none is sent.
inline constexpr uint64_t cookie_time_us = 120'000'000; // Then its secret changes; the one before
                                                        // stays good for as long again.

// One connection, or the wish for one.
struct Slot {
    Contact contact;
    bool is_ours;      // We asked.
    uint32_t local_id; // 0 in free, and after a failure.
    uint8_t key[32];   // The peer's.
    uint64_t heard_at; // Count of datagrams when its first authentic packet came; 0: none yet.

    // While connecting.
    Address address;
    Address detour; // Port not 0: it is asked there, too.
    NoiseHandshake noise;
    Initiation initiation;
    MacKeys mac_keys; // Of the peer.
    uint64_t deadline_us;
    uint64_t next_us; // When the initiation is sent next.
    uint64_t sent_us;
    uint64_t repeat_us; // 0 before the first time.
    bool version_refused;
    bool secret_refused;
};

// A datagram that needs no state: it is written when it is sent.
struct Answer {
    DatagramType type; // cookie_reply, version_refusal.
    Address address;
    uint8_t receiver_id[4];
    uint8_t mac1[16]; // cookie_reply: of the initiation.
};

struct Endpoint { // Closed.
    EndpointLimits _limits;
    KeyPair _keys;
    MacKeys _mac_keys; // Of our key.
    Chance _chance;
    uint16_t _ciphers; // Those that it offers and chooses of.
    bool _has_entered;
    handshake::Prologue _prologue;
    uint8_t _secret[32];

    ConnectionIds _ids;
    HalfOpenTable _half_open;
    uint32_t _half_open_count; // Used ones.
    Allowance _strangers, _proven, _refusals;
    Answer _answers[answers_max]; // As a ring.
    uint32_t _answer_first, _answer_count;
    uint8_t _cookie_secrets[2][32]; // The present one, the one before.
    uint64_t _cookie_us;            // When it became present.
    bool _has_cookie_secret;

    Tally _handshakes;  // Sent.
    uint64_t _received; // Datagrams.
    uint64_t _bad;      // Of those.
    std::byte _scratch[datagram_bytes_max];

    // In the same block of memory, behind this struct.
    Slot *_slots;              // connections_max.
    Connection **_connections; // Parallel. Null: not used yet, so its memory is untouched.
    std::byte *_blocks;        // One after the other.
    size_t _block_bytes;       // Of each.
};

namespace endpoint {

// --- endpoint.cpp ---
ConnectionIndex free_slot(const Endpoint &e);                    // no_connection if there is none.
Connection &make_connection(Endpoint &e, ConnectionIndex index); // Or the one that was made.
void fail_contact(Endpoint &e, Slot &slot, Contact contact);
void clear_half_open(Endpoint &e, HalfOpen &entry);

// --- endpoint_respond.cpp: for who is asked ---
Handling receive_initiation(Endpoint &e, const Datagram &datagram, uint64_t now_us);
// The first data datagrams of a half-open handshake.
Arrival promote(Endpoint &e, HalfOpen &entry, const Datagram &datagram, uint64_t now_us);
size_t write_answer(Endpoint &e, const Answer &answer, std::span<std::byte> to, uint64_t now_us);

}
}
