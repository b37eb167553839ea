#include "discovery/discovery_wire.h"
#include "base/bits.h"
#include "tern/limits.hpp"
#include <cstring>

namespace tern::discovery {

enum class Kind : uint8_t { query = 1, answer };

static constexpr char magic[4] = {'t', 'e', 'r', 'n'};

// --- Parts ---

static void write_head(BitWriter &w, Kind kind)
{
    bits::write_bytes(w, std::as_bytes(std::span(magic)));
    bits::write(w, static_cast<uint64_t>(kind), 8);
}

static void read_head(BitReader &r, Kind kind)
{
    char start[sizeof magic] = {};
    bits::read_bytes(r, std::as_writable_bytes(std::span(start)));
    if (std::memcmp(start, magic, sizeof magic) != 0) bits::fail(r);
    if (bits::read(r, 8) != static_cast<uint64_t>(kind)) bits::fail(r);
}

using Text = char[name_bytes_max];

static void write_text(BitWriter &w, const Text &text)
{
    Text padded = {};
    std::memcpy(padded, text, strnlen(text, sizeof text - 1));
    bits::write_bytes(w, std::as_bytes(std::span(padded)));
}

// All bytes behind the text must be zero, so that each text has one encoding.
static void read_text(BitReader &r, Text &text)
{
    bits::read_bytes(r, std::as_writable_bytes(std::span(text)));
    for (size_t i = strnlen(text, sizeof text); i < sizeof text; ++i)
        if (text[i] != '\0') bits::fail(r);
    if (text[sizeof text - 1] != '\0') bits::fail(r);
}

static void write_zeros(BitWriter &w, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        bits::write(w, 0, 8);
}

static void read_zeros(BitReader &r, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (bits::read(r, 8) != 0) bits::fail(r);
}

// --- The datagrams ---

void write_query(const Query &query, Buffer buffer)
{
    BitWriter w = bits::writer(buffer);
    write_head(w, Kind::query);
    write_zeros(w, 3);
    bits::write(w, query.nonce, 64);
    write_text(w, query.game);
    write_zeros(w, message_bytes - bits::size_bytes(w));
    TERN_ASSERT(!bits::overflow(w), "%zu bytes", bits::size_bytes(w));
}

bool read_query(std::span<const std::byte> datagram, Query &query)
{
    query = {};
    if (datagram.size() != message_bytes) return false;
    BitReader r = bits::reader(datagram);
    read_head(r, Kind::query);
    read_zeros(r, 3);
    query.nonce = bits::read(r, 64);
    read_text(r, query.game);
    read_zeros(r, message_bytes - bits::bit_count(r) / 8);
    return bits::complete(r);
}

void write_answer(const Answer &answer, Buffer buffer)
{
    BitWriter w = bits::writer(buffer);
    write_head(w, Kind::answer);
    bits::write(w, answer.version, 8);
    bits::write(w, answer.open, 8);
    bits::write(w, answer.quorum, 8);
    bits::write(w, answer.nonce, 64);
    write_text(w, answer.game);
    write_text(w, answer.name);
    bits::write(w, answer.session, 64);
    bits::write(w, answer.types_digest, 64);
    bits::write(w, answer.players, 16);
    bits::write(w, answer.peers_max, 16);
    bits::write(w, answer.port, 16);
    write_zeros(w, 2);
    bits::write_bytes(w, std::as_bytes(std::span(answer.key)));
    bits::write_bytes(w, std::as_bytes(std::span(answer.secret)));
    TERN_ASSERT(!bits::overflow(w) && bits::size_bytes(w) == message_bytes, "%zu bytes",
                bits::size_bytes(w));
}

static bool is_zero(const uint8_t (&bytes)[32])
{
    uint8_t any = 0;
    for (uint8_t byte : bytes)
        any |= byte;
    return any == 0;
}

// An open session announces port, key and secret; a closed one announces none of them.
static bool has_required_fields(const Answer &answer)
{
    if (answer.open) return answer.port != 0;
    return answer.port == 0 && is_zero(answer.key) && is_zero(answer.secret);
}

bool read_answer(std::span<const std::byte> datagram, Answer &answer)
{
    answer = {};
    if (datagram.size() != message_bytes) return false;
    BitReader r = bits::reader(datagram);
    read_head(r, Kind::answer);
    answer.version = static_cast<uint8_t>(bits::read(r, 8));
    const uint64_t open = bits::read(r, 8);
    if (open > 1) return false;
    answer.open = open == 1;
    answer.quorum = static_cast<uint8_t>(bits::read(r, 8));
    answer.nonce = bits::read(r, 64);
    read_text(r, answer.game);
    read_text(r, answer.name);
    answer.session = bits::read(r, 64);
    answer.types_digest = bits::read(r, 64);
    answer.players = static_cast<uint16_t>(bits::read(r, 16));
    answer.peers_max = static_cast<uint16_t>(bits::read(r, 16));
    answer.port = static_cast<uint16_t>(bits::read(r, 16));
    read_zeros(r, 2);
    bits::read_bytes(r, std::as_writable_bytes(std::span(answer.key)));
    bits::read_bytes(r, std::as_writable_bytes(std::span(answer.secret)));
    if (answer.players == 0 || answer.players > answer.peers_max) return false;
    return bits::complete(r) && has_required_fields(answer);
}

}
