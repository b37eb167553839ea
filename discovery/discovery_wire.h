// The two datagrams of discovery, as bytes. Formats: docs/wire_format.md, "Discovery".
#pragma once
#include "tern/types.h"

namespace tern::discovery {

inline constexpr size_t message_bytes = 168; // Of both, so that no answer is larger than its query.

struct Query {
    uint64_t nonce;
    char game[name_bytes_max]; // Empty: all games.
};

struct Answer {
    uint8_t version; // Of the wire.
    bool open;       // Else port, key and secret are zero.
    uint8_t quorum;
    uint64_t nonce; // Of the query.
    char game[name_bytes_max], name[name_bytes_max];
    uint64_t session, types_digest;
    uint16_t players, peers_max; // 1 to peers_max.
    uint16_t port;
    uint8_t key[32], secret[32];
};

using Buffer = std::span<std::byte, message_bytes>;

void write_query(const Query &query, Buffer buffer);
bool read_query(std::span<const std::byte> datagram, Query &query); // False: it is none.
void write_answer(const Answer &answer, Buffer buffer);
bool read_answer(std::span<const std::byte> datagram, Answer &answer);

}
