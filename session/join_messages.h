// The messages between peers that are not members of one session: JOIN, its refusal, and MEET.
// Formats: docs/wire_format.md, "Joining".
#pragma once
#include "session/session_types.h"
#include "tern/limits.hpp"

namespace tern::session {

struct Join {
    uint64_t types_digest;
    uint16_t peers_max;
    uint8_t quorum, topology;
    uint8_t signing_key[32];
    char name[name_bytes_max];
    uint16_t payload_bytes;
    std::byte payload[payload_bytes_max];
};

struct Refused {
    bool ok;
    JoinRefusal refusal;
    std::span<const char> text;
};

// When two sessions of one origin meet, the one with the lower rank ends.
struct Rank {
    uint16_t term_number;
    uint16_t members; // Compared if the terms are equal.
};

// Each write function fills the front of `buffer`, which holds stream_message_bytes_max, and
// returns the part it has written.
std::span<const std::byte> write_join(const Session &s, std::span<std::byte> buffer);
bool read_join(std::span<const std::byte> message, Join &join); // False: not a valid JOIN.
bool is_join(std::span<const std::byte> message);
std::span<const std::byte> write_meet(const Rank &rank, std::span<std::byte> buffer);
bool read_meet(std::span<const std::byte> message, Rank &rank); // False: not a valid MEET.
// text: for by_game the reason, for types the host's description of its table, for limits what
// differs, for not_host what write_target() has written, or nothing if no host is known.
std::span<const std::byte> write_refused(JoinRefusal refusal, std::span<const char> text,
                                         std::span<std::byte> buffer);
// Queues such a message. False: there is no room in the stream.
bool queue_join_message(Session &s, ConnectionIndex index, std::span<const std::byte> message);
// Not ok: not a valid refusal. `text` points into the message.
Refused read_refused(std::span<const std::byte> message);
size_t write_target(const Target &target, std::span<char> buffer); // Returns the bytes written.
bool read_target(std::span<const char> text, Target &target);      // False: no peer is named.

}
