// Encodes and decodes the two datagrams of discovery. Formats: docs/wire_format.md, "Discovery".
#pragma once
#include "tern/limits.hpp"
#include "tern/types.hpp"

namespace tern::discovery {

// Both datagrams have this size, so that an announcer cannot be used to amplify traffic.
inline constexpr size_t message_bytes = 168;

struct Query {
    uint64_t nonce;
    char game[name_bytes_max]; // The game to find; empty: all games.
};

struct Answer {
    uint8_t version; // wire_version of the announcer.
    bool open;       // False: port, key and secret are zero.
    uint8_t quorum;
    uint64_t nonce; // Copied from the query.
    char game[name_bytes_max], name[name_bytes_max];
    uint64_t session, types_digest;
    uint16_t players, peers_max; // 1 to peers_max.
    uint16_t port;
    uint8_t key[32], secret[32];
};

using Buffer = std::span<std::byte, message_bytes>;

// The readers return false if the datagram is not valid; the struct is then undefined. A valid
// datagram has exactly one encoding.
void write_query(const Query &query, Buffer buffer);
bool read_query(std::span<const std::byte> datagram, Query &query);
void write_answer(const Answer &answer, Buffer buffer);
bool read_answer(std::span<const std::byte> datagram, Answer &answer);

}
