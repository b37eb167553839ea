#include "transport/endpoint.h"
#include "transport/endpoint_types.h"
#include "transport/little_endian.h"
#include "transport/sockets/addresses.h"
#include <algorithm>
#include <cstring>
#include <sodium.h>

// Received datagrams: assigns them to connections, and handles the answers that an initiator gets.
namespace tern::endpoint {

namespace {

// The slot that is connecting under this connection id; null if there is none.
ConnectionSlot *find_asking(Endpoint &e, const uint8_t (&id)[4])
{
    const IdPlace place = connection_ids::find(e._ids, handshake::id(id));
    if (place.owner != IdOwner::connection) return nullptr;
    ConnectionSlot &slot = e._slots[place.index];
    return slot.state == HandshakeState::connecting ? &slot : nullptr;
}

Handling receive_response(Endpoint &e, const Datagram &datagram, uint64_t now_us)
{
    const Read<Response> read = handshake::read_response(datagram.bytes, e._mac_keys);
    if (read.reading != Reading::ok) return Handling::bad;
    ConnectionSlot *slot = find_asking(e, read.message.receiver_id);
    if (!slot) return Handling::bad;

    NoiseHandshake tried = slot->noise; // A forged response must not spoil the real one.
    const handshake::OpenedChoice choice =
        handshake::open_response(tried, e._secret, read.message, {e._ciphers, 0, e._incarnation});
    if (!choice.ok) {
        // An attacker that saw our initiation may have forged it. The flag only selects the error
        // that a timeout reports; the right response may still arrive.
        slot->secret_refused = true;
        noise::wipe(tried);
        return Handling::handled;
    }
    if (slot->incarnation != 0 && slot->incarnation != choice.incarnation) {
        noise::wipe(tried);
        fail_handshake(e, *slot, HandshakeState::unreachable);
        return Handling::handled;
    }
    slot->incarnation = choice.incarnation;
    DataKeys keys = noise::split(tried);
    keys.cipher = choice.cipher;
    noise::wipe(tried);
    noise::wipe(slot->noise);
    // A response through any relay may set the address, because only members relay. A direct
    // source is not taken over: the connection starts at the address that was asked.
    const bool by_relay_candidate = address::is_bridged(datagram.address);
    Connection &c = make_connection(e, static_cast<ConnectionIndex>(slot - e._slots));
    connection::open(c, keys, handshake::id(read.message.sender_id),
                     by_relay_candidate ? datagram.address : slot->address, now_us);
    set_state(e, *slot, HandshakeState::open);
    sodium_memzero(&keys, sizeof keys);
    return Handling::handled;
}

Handling receive_cookie_reply(Endpoint &e, const Datagram &datagram, uint64_t now_us)
{
    const Read<CookieReply> read = handshake::read_cookie_reply(datagram.bytes);
    if (read.reading != Reading::ok) return Handling::bad;
    ConnectionSlot *slot = find_asking(e, read.message.receiver_id);
    if (!slot) return Handling::bad;
    const handshake::OpenedCookie opened =
        handshake::open_cookie_reply(read.message, slot->initiation.mac1, slot->mac_keys);
    if (!opened.ok) return Handling::bad;
    handshake::write_mac2(slot->initiation, opened.cookie);
    const uint64_t soon_us = std::max(now_us, slot->sent_us + cookie_repeat_us);
    slot->next_us = std::min(slot->next_us, soon_us);
    return Handling::handled;
}

Handling receive_version_refusal(Endpoint &e, const Datagram &datagram)
{
    const handshake::PeekedId peeked = handshake::peek_id(datagram.bytes);
    ConnectionSlot *slot = peeked.ok ? find_asking(e, peeked.bytes) : nullptr;
    if (!slot) return Handling::bad;
    const Read<VersionRefusal> read =
        handshake::read_version_refusal(datagram.bytes, slot->mac_keys);
    if (read.reading != Reading::ok) return Handling::bad;
    slot->version_refused = true;
    return Handling::handled;
}

// The packet is built in place in the result, because copying it shows in profiles.
Arrival receive_packet(Endpoint &e, ConnectionIndex index, const Datagram &datagram)
{
    Arrival arrival = {Handling::packet, index,
                       connection::open_packet(*e._connections[index], datagram.bytes, e._room)};
    if (arrival.packet.opening == Opening::malformed)
        arrival.handling = Handling::breach;
    else if (arrival.packet.opening != Opening::ok)
        arrival.handling = Handling::bad;
    else if (e._slots[index].first_packet_at == 0)
        e._slots[index].first_packet_at = e._received;
    return arrival;
}

Arrival receive_data(Endpoint &e, const Datagram &datagram, uint64_t now_us)
{
    if (datagram.bytes.size() < data_header_bytes + tag_bytes) return {};
    const uint32_t id = little_endian::load32(&datagram.bytes[1]);
    const IdPlace place = connection_ids::find(e._ids, id);
    if (place.owner == IdOwner::none) return {};
    if (place.owner == IdOwner::half_open)
        return promote(e, half_open::at(e._half_open, place.index), datagram, now_us);
    if (e._slots[place.index].state != HandshakeState::open) return {};
    return receive_packet(e, place.index, datagram);
}

Arrival dispatch(Endpoint &e, const Datagram &datagram, uint64_t now_us)
{
    if (datagram.bytes.empty() || !e._has_entered) return {};
    switch (static_cast<DatagramType>(datagram.bytes[0])) {
    case DatagramType::none: break;
    case DatagramType::initiation: return {receive_initiation(e, datagram, now_us), {}, {}};
    case DatagramType::response: return {receive_response(e, datagram, now_us), {}, {}};
    case DatagramType::cookie_reply: return {receive_cookie_reply(e, datagram, now_us), {}, {}};
    case DatagramType::data: return receive_data(e, datagram, now_us);
    case DatagramType::version_refusal: return {receive_version_refusal(e, datagram), {}, {}};
    }
    return {};
}

}

Arrival receive(Endpoint &e, const Datagram &datagram, uint64_t now_us)
{
    static_assert(Handling{} == Handling::bad);
    e._received += 1;
    Arrival arrival = dispatch(e, datagram, now_us);
    if (arrival.handling == Handling::bad || arrival.handling == Handling::breach) e._bad += 1;
    if (arrival.handling == Handling::bad || arrival.handling == Handling::handled)
        arrival.connection = no_connection;
    return arrival;
}

}
