#include "session/join_messages.h"
#include "session/peer_links.h"
#include "session/traffic.h"
#include "tern/limits.hpp"
#include <cstring>

namespace tern::session {

std::span<const std::byte> write_join(const Session &s, std::span<std::byte> buffer)
{
    BitWriter w = bits::writer(buffer);
    bits::write(w, static_cast<uint64_t>(JoinMessage::join), 8);
    bits::write(w, type_table::digest(s.types), 64);
    bits::write(w, s.config.peers_max, 16);
    bits::write(w, static_cast<uint64_t>(s.config.quorum), 8);
    bits::write(w, static_cast<uint64_t>(s.config.topology), 8);
    bits::write_bytes(w, std::as_bytes(std::span(s.secrets.signing_public)));
    const size_t name_bytes = strnlen(s.name, name_bytes_max - 1);
    bits::write(w, name_bytes, 8);
    bits::write_bytes(w, std::as_bytes(std::span(s.name, name_bytes)));
    bits::write(w, s.joining.payload.size(), 16);
    bits::write_bytes(w, s.joining.payload);
    return buffer.first(bits::size_bytes(w));
}

bool read_join(std::span<const std::byte> message, Join &join)
{
    join = {};
    BitReader r = bits::reader(message);
    if (bits::read(r, 8) != static_cast<uint64_t>(JoinMessage::join)) return false;
    join.types_digest = bits::read(r, 64);
    join.peers_max = static_cast<uint16_t>(bits::read(r, 16));
    join.quorum = static_cast<uint8_t>(bits::read(r, 8));
    join.topology = static_cast<uint8_t>(bits::read(r, 8));
    bits::read_bytes(r, std::as_writable_bytes(std::span(join.signing_key)));
    const uint64_t name_bytes = bits::read(r, 8);
    if (name_bytes >= name_bytes_max) return false;
    bits::read_bytes(r, std::as_writable_bytes(std::span(join.name, name_bytes)));
    if (strnlen(join.name, name_bytes) != name_bytes) return false;
    join.payload_bytes = static_cast<uint16_t>(bits::read(r, 16));
    if (join.payload_bytes > payload_bytes_max) return false;
    bits::read_bytes(r, std::span(join.payload, join.payload_bytes));
    return bits::complete(r);
}

bool is_join(std::span<const std::byte> message)
{
    // Every message of a member is asked this, and few begin so.
    if (message.empty() || message[0] != static_cast<std::byte>(JoinMessage::join)) return false;
    Join join;
    return read_join(message, join);
}

std::span<const std::byte> write_meet(const Rank &rank, std::span<std::byte> buffer)
{
    BitWriter w = bits::writer(buffer);
    bits::write(w, static_cast<uint64_t>(JoinMessage::meet), 8);
    bits::write(w, rank.term_number, 16);
    bits::write(w, rank.members, 16);
    return buffer.first(bits::size_bytes(w));
}

bool read_meet(std::span<const std::byte> message, Rank &rank)
{
    BitReader r = bits::reader(message);
    const bool is_meet = bits::read(r, 8) == static_cast<uint64_t>(JoinMessage::meet);
    rank.term_number = static_cast<uint16_t>(bits::read(r, 16));
    rank.members = static_cast<uint16_t>(bits::read(r, 16));
    return bits::complete(r) && is_meet;
}

std::span<const std::byte> write_refused(JoinRefusal refusal, std::span<const char> text,
                                         std::span<std::byte> buffer)
{
    BitWriter w = bits::writer(buffer);
    bits::write(w, static_cast<uint64_t>(JoinMessage::refused), 8);
    bits::write(w, static_cast<uint64_t>(refusal), 8);
    bits::write_bytes(w, std::as_bytes(text));
    return buffer.first(bits::size_bytes(w));
}

Refused read_refused(std::span<const std::byte> message)
{
    if (message.size() < 2 || message[0] != static_cast<std::byte>(JoinMessage::refused)) return {};
    const auto refusal = std::to_integer<uint8_t>(message[1]);
    if (refusal == 0 || refusal > static_cast<uint8_t>(JoinRefusal::limits)) return {};
    const std::span<const std::byte> text = message.subspan(2);
    return {true,
            static_cast<JoinRefusal>(refusal),
            {reinterpret_cast<const char *>(text.data()), text.size()}};
}

bool queue_join_message(Session &s, ConnectionIndex index, std::span<const std::byte> message)
{
    Connection &c = endpoint::at(*s.endpoint, index);
    if (!connection::queue_message(c, StreamId::world, message)) return false;
    wake(s, index);
    charge_bytes(s, TrafficKind::join, message.size());
    return true;
}

static constexpr size_t target_bytes = 32 + 16 + 2;

size_t write_target(const Target &target, std::span<char> buffer)
{
    BitWriter w = bits::writer(std::as_writable_bytes(buffer.first(target_bytes)));
    bits::write_bytes(w, std::as_bytes(std::span(target.key)));
    bits::write_bytes(w, std::as_bytes(std::span(target.address.ip)));
    bits::write(w, target.address.port, 16);
    return bits::size_bytes(w);
}

bool read_target(std::span<const char> text, Target &target)
{
    BitReader r = bits::reader(std::as_bytes(text));
    bits::read_bytes(r, std::as_writable_bytes(std::span(target.key)));
    bits::read_bytes(r, std::as_writable_bytes(std::span(target.address.ip)));
    target.address.port = static_cast<uint16_t>(bits::read(r, 16));
    return bits::complete(r) && target.address.port != 0;
}

}
