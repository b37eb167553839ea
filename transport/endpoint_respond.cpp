#include "tern/limits.hpp"
#include "transport/connection/connection_types.h"
#include "transport/connection/packet_codec.h"
#include "transport/endpoint.h"
#include "transport/endpoint_types.h"
#include "transport/little_endian.h"
#include <cstring>
#include <sodium.h>

// The responder: answers initiations, and makes connections from half-open handshakes.
namespace tern::endpoint {

namespace {

// --- Cookies ---

void renew_cookie_secret(Endpoint &e, uint64_t now_us)
{
    if (e._has_cookie_secret && now_us - e._cookie_us < cookie_time_us) return;
    const bool is_recent = e._has_cookie_secret && now_us - e._cookie_us < 2 * cookie_time_us;
    if (is_recent)
        std::memcpy(e._cookie_secrets[1], e._cookie_secrets[0], 32);
    else
        entropy::fill(e._entropy, e._cookie_secrets[1]);
    entropy::fill(e._entropy, e._cookie_secrets[0]);
    e._has_cookie_secret = true;
    e._cookie_us = now_us;
}

enum class Proof : uint8_t { none, right, wrong };

Proof proof(Endpoint &e, const Initiation &message, const Address &address, uint64_t now_us)
{
    if (!handshake::has_mac2(message)) return Proof::none;
    renew_cookie_secret(e, now_us);
    for (const auto &secret : e._cookie_secrets)
        if (handshake::is_mac2(message, handshake::make_cookie(secret, address)))
            return Proof::right;
    return Proof::wrong;
}

// --- Stateless answers ---

void queue_answer(Endpoint &e, const HandshakeReply &answer)
{
    if (e._answer_count == answers_max) return;
    e._answers[(e._answer_first + e._answer_count) % answers_max] = answer;
    e._answer_count += 1;
}

void queue_cookie_reply(Endpoint &e, const Initiation &message, const Address &address)
{
    HandshakeReply answer = {};
    answer.type = DatagramType::cookie_reply;
    answer.address = address;
    std::memcpy(answer.receiver_id, message.sender_id, sizeof answer.receiver_id);
    std::memcpy(answer.mac1, message.mac1, sizeof answer.mac1);
    queue_answer(e, answer);
}

// An initiation of another version cannot be authenticated, so its answer is small and rate-limited
// to be useless for amplification.
void queue_version_refusal(Endpoint &e, const Datagram &datagram, uint64_t now_us)
{
    const handshake::PeekedId asker = handshake::peek_id(datagram.bytes);
    if (!asker.ok || !allowance::take(e._refusals, now_us)) return;
    HandshakeReply answer = {};
    answer.type = DatagramType::version_refusal;
    answer.address = datagram.address;
    std::memcpy(answer.receiver_id, asker.bytes, sizeof answer.receiver_id);
    queue_answer(e, answer);
}

// --- Responses ---

// The result of the responder's part of a handshake. Costs Diffie-Hellman operations, so the caller
// must have checked the rate limits.
struct Answered {
    bool ok;
    uint8_t key[32];
    uint32_t incarnation; // The initiator's.
    DataKeys keys;
    Response response;
};

Answered answer(Endpoint &e, const Initiation &message, uint32_t local_id)
{
    Answered answered = {};
    KeyPair ephemeral = noise::make_key_pair(e._entropy);
    NoiseHandshake h = noise::respond(e._prologue.bytes, e._keys, ephemeral);
    sodium_memzero(&ephemeral, sizeof ephemeral);
    const handshake::OpenedOffer opened = handshake::open_initiation(h, message);
    std::memcpy(answered.key, noise::remote_key(h), 32);
    const handshake::ChosenCipher chosen = handshake::choose_cipher(opened.offer, e._ciphers);
    const bool is_self = std::memcmp(answered.key, e._keys.public_key, 32) == 0;
    if (opened.ok && chosen.ok && !is_self) {
        const handshake::WrittenResponse written = handshake::write_response(
            h, e._secret, {local_id, handshake::id(message.sender_id)},
            {handshake::bit(chosen.cipher), 0, e._incarnation}, handshake::mac_keys(answered.key));
        answered.ok = written.ok;
        answered.incarnation = opened.offer.incarnation;
        answered.response = written.message;
        answered.keys = noise::split(h);
        answered.keys.cipher = chosen.cipher;
    }
    noise::wipe(h);
    return answered;
}

Handling respond(Endpoint &e, const Initiation &message, const Address &address, uint64_t now_us)
{
    const uint16_t index = half_open::next_place(e._half_open);
    const uint32_t local_id = connection_ids::take(e._ids, e._entropy, IdOwner::half_open, index);
    Answered answered = answer(e, message, local_id);
    if (!answered.ok) {
        connection_ids::give_back(e._ids, local_id);
        sodium_memzero(&answered, sizeof answered);
        return Handling::bad;
    }
    HalfOpen &entry = half_open::at(e._half_open, index);
    clear_half_open(e, entry);
    entry.is_used = true;
    e._half_open_count += 1;
    entry.response_due = true;
    entry.local_id = local_id;
    entry.remote_id = handshake::id(message.sender_id);
    entry.address = address;
    std::memcpy(entry.key, answered.key, sizeof entry.key);
    entry.incarnation = answered.incarnation;
    entry.keys = answered.keys;
    std::memcpy(entry.mac1, message.mac1, sizeof entry.mac1);
    entry.response = answered.response;
    entry.made_us = now_us;
    entry.made_at = e._received;
    sodium_memzero(&answered, sizeof answered);
    return Handling::handled;
}

// --- Promotion ---

// Whether the holder of the handshake's keys has sealed this datagram, as one of its first 2^32.
// Checked before a connection is made, which costs far more.
bool is_authentic(const HalfOpen &entry, const Datagram &datagram, std::span<std::byte> scratch)
{
    const std::span<const std::byte> bytes = datagram.bytes;
    if (bytes.size() > datagram_bytes_max) return false;
    AeadKey key = aead::key(entry.keys.receive, entry.keys.cipher);
    const bool ok = aead::open(key, little_endian::load32(&bytes[5]), bytes, scratch);
    sodium_memzero(&key, sizeof key);
    return ok;
}

// Whether the handshake and our open connection crossed: both peers connected to each other at the
// same time. Both then keep the connection that the lower key has started, without a message about
// it. They agree because a crossed initiation arrives before the first packet on our connection. An
// initiation that arrives after that packet is one that the peer sent because it has lost the
// connection.
bool is_crossed(const ConnectionSlot &slot, const HalfOpen &entry)
{
    return slot.is_ours && (slot.first_packet_at == 0 || entry.made_at < slot.first_packet_at);
}

struct Rivals {
    bool survive;               // An open connection survives; the new one is dropped.
    ConnectionIndex connecting; // Our own attempt to connect to the same peer; or no_connection.
};

Rivals find_rivals(const Endpoint &e, const HalfOpen &entry)
{
    Rivals rivals = {false, no_connection};
    const bool is_ours_lower = std::memcmp(e._keys.public_key, entry.key, 32) < 0;
    for (ConnectionIndex i = 0; i < e._limits.connections_max; i += 1) {
        const ConnectionSlot &slot = e._slots[i];
        if (std::memcmp(slot.key, entry.key, 32) != 0) continue;
        if (slot.state == HandshakeState::connecting) rivals.connecting = i;
        if (slot.state == HandshakeState::open && is_ours_lower && is_crossed(slot, entry) &&
            connection::state(*e._connections[i]) == ConnectionState::open)
            rivals.survive = true;
    }
    return rivals;
}

// Gives the slot to the half-open handshake, with its connection id. The caller has already opened
// the connection.
void take_over(Endpoint &e, ConnectionIndex index, HalfOpen &entry)
{
    ConnectionSlot &slot = e._slots[index];
    if (slot.local_id != 0) connection_ids::give_back(e._ids, slot.local_id);
    set_state(e, slot, HandshakeState::free);
    sodium_memzero(&slot, sizeof slot);
    set_state(e, slot, HandshakeState::open);
    slot.local_id = entry.local_id;
    std::memcpy(slot.key, entry.key, sizeof slot.key);
    slot.incarnation = entry.incarnation;
    slot.first_packet_at = e._received;
    connection_ids::pass_on(e._ids, slot.local_id, IdOwner::connection, index);
    half_open::spend(entry);
}

// Ends all other connections and attempts with the peer of the new connection at `index`.
void end_rivals(Endpoint &e, ConnectionIndex index, uint64_t now_us)
{
    for (ConnectionIndex i = 0; i < e._limits.connections_max; i += 1) {
        ConnectionSlot &slot = e._slots[i];
        if (i == index || std::memcmp(slot.key, e._slots[index].key, 32) != 0) continue;
        if (slot.state == HandshakeState::connecting)
            fail_handshake(e, slot, HandshakeState::unreachable);
        if (slot.state == HandshakeState::open)
            connection::close(*e._connections[i], CloseReason::replaced, now_us);
    }
}

}

Handling receive_initiation(Endpoint &e, const Datagram &datagram, uint64_t now_us)
{
    const Read<Initiation> read = handshake::read_initiation(datagram.bytes, e._mac_keys);
    if (read.reading == Reading::other_version) queue_version_refusal(e, datagram, now_us);
    if (read.reading != Reading::ok) return Handling::bad;
    const Initiation &message = read.message;
    const Proof proven = proof(e, message, datagram.address, now_us);
    if (proven == Proof::wrong) return Handling::bad;
    HalfOpen *repeated = half_open::find(e._half_open, datagram.address, message.mac1);
    if (repeated) {
        repeated->response_due = !repeated->is_spent;
        return Handling::handled;
    }
    if (proven == Proof::none &&
        (half_open::is_full(e._half_open) || !allowance::take(e._strangers, now_us))) {
        queue_cookie_reply(e, message, datagram.address);
        return Handling::handled;
    }
    if (proven == Proof::right && !allowance::take(e._proven, now_us)) return Handling::handled;
    return respond(e, message, datagram.address, now_us);
}

Arrival promote(Endpoint &e, HalfOpen &entry, const Datagram &datagram, uint64_t now_us)
{
    Arrival arrival = {};
    const bool is_here = datagram.address == entry.address && !half_open::is_over(entry, now_us);
    if (!is_here || !is_authentic(entry, datagram, e._room.content)) return arrival;
    const Rivals rivals = find_rivals(e, entry);
    const ConnectionIndex index =
        rivals.connecting != no_connection ? rivals.connecting : free_slot(e);
    arrival.handling = Handling::handled;
    if (rivals.survive || index == no_connection) return arrival;

    Connection &c = make_connection(e, index);
    connection::open(c, entry.keys, entry.remote_id, entry.address, now_us);
    arrival.packet = connection::open_packet(c, datagram.bytes, e._room);
    if (arrival.packet.opening != Opening::ok) { // Authentic, but malformed.
        connection::wipe(c);
        clear_half_open(e, entry);
        arrival.handling = Handling::bad;
        return arrival;
    }
    take_over(e, index, entry);
    end_rivals(e, index, now_us);
    arrival.answered_us = entry.made_us;
    arrival.handling = Handling::opened;
    arrival.connection = index;
    return arrival;
}

size_t write_answer(Endpoint &e, const HandshakeReply &answer, std::span<std::byte> to,
                    uint64_t now_us)
{
    if (answer.type == DatagramType::version_refusal) {
        const VersionRefusal message =
            handshake::write_version_refusal(answer.receiver_id, e._mac_keys);
        std::memcpy(to.data(), &message, sizeof message);
        return sizeof message;
    }
    renew_cookie_secret(e, now_us);
    const Cookie cookie = handshake::make_cookie(e._cookie_secrets[0], answer.address);
    const CookieReply message = handshake::write_cookie_reply(e._entropy, answer.receiver_id,
                                                              cookie, answer.mac1, e._mac_keys);
    std::memcpy(to.data(), &message, sizeof message);
    return sizeof message;
}

}
