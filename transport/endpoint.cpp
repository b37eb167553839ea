#include "transport/endpoint.h"
#include "base/assert.h"
#include "base/memory.h"
#include "transport/endpoint_types.h"
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <sodium.h>

// Creation, connect() and queries. Received datagrams: endpoint_receive.cpp for the initiator and
// for data, endpoint_respond.cpp for the responder. Sent datagrams: endpoint_send.cpp.
namespace tern::endpoint {

namespace {

constexpr size_t aligned(size_t size_bytes, size_t alignment = connection::memory_alignment)
{
    return (size_bytes + alignment - 1) / alignment * alignment;
}

const ConnectionSlot &slot_at(const Endpoint &e, ConnectionIndex index)
{
    TERN_ASSERT(index < e._limits.connections_max, "connection %u of %u", index,
                e._limits.connections_max);
    return e._slots[index];
}

ConnectionSlot &slot_at(Endpoint &e, ConnectionIndex index)
{
    return const_cast<ConnectionSlot &>(slot_at(static_cast<const Endpoint &>(e), index));
}

void forget_id(Endpoint &e, ConnectionSlot &slot)
{
    if (slot.local_id != 0) connection_ids::give_back(e._ids, slot.local_id);
    slot.local_id = 0;
}

}

// --- Creation ---

struct Places { // Where the parts of the block begin, without what aligns the connections.
    size_t slots, pointers, connections;
    size_t connection_bytes;
    size_t size_bytes;
};

static Places places(const EndpointLimits &limits)
{
    const size_t count = limits.connections_max;
    Places p = {};
    p.slots = aligned(sizeof(Endpoint));
    p.pointers = p.slots + aligned(count * sizeof(ConnectionSlot));
    p.connections = p.pointers + aligned(count * sizeof(Connection *));
    p.connection_bytes =
        aligned(connection::size_bytes(limits.connection), connection::block_alignment);
    p.size_bytes = p.connections + connection::block_alignment + count * p.connection_bytes;
    return p;
}

size_t size_bytes(const EndpointLimits &limits)
{
    return places(limits).size_bytes;
}

Endpoint *make_endpoint(const EndpointLimits &limits, const KeyPair &keys)
{
    TERN_ASSERT(limits.connections_max <= connections_limit, "%u connections",
                limits.connections_max);
    const int initialized = sodium_init();
    TERN_ASSERT(initialized >= 0, "libsodium cannot be initialized: %d", initialized);

    const Places at = places(limits);
    auto *block = static_cast<std::byte *>(memory::allocate(limits.allocator, at.size_bytes));
    if (!block) return nullptr;
    const auto unaligned = reinterpret_cast<uintptr_t>(block + at.connections);

    auto *e = reinterpret_cast<Endpoint *>(block);
    e->_limits = limits;
    e->_keys = keys;
    e->_ciphers = handshake::ciphers_here();
    e->_mac_keys = handshake::mac_keys(keys.public_key);
    e->_strangers = allowance::make(initiations_per_second_max, initiations_burst);
    e->_proven = allowance::make(proven_per_second_max, proven_burst);
    e->_refusals =
        allowance::make(version_refusals_per_second_max, version_refusals_per_second_max);
    e->_slots = reinterpret_cast<ConnectionSlot *>(block + at.slots);
    e->_connections = reinterpret_cast<Connection **>(block + at.pointers);
    e->_blocks =
        block + at.connections + (aligned(unaligned, connection::block_alignment) - unaligned);
    e->_block_bytes = at.connection_bytes;
    return e;
}

void destroy_endpoint(Endpoint *endpoint)
{
    if (!endpoint) return;
    for (ConnectionIndex i = 0; i < endpoint->_limits.connections_max; i += 1)
        free_connection(*endpoint, i);
    const Allocator allocator = endpoint->_limits.allocator;
    sodium_memzero(endpoint, sizeof *endpoint);
    memory::release(allocator, endpoint);
}

void set_entropy(Endpoint &e, const EntropySource &entropy)
{
    e._entropy = entropy;
}

void set_ciphers(Endpoint &e, uint16_t ciphers)
{
    TERN_ASSERT((ciphers & handshake::ciphers_everywhere) &&
                    (ciphers & ~handshake::ciphers_here()) == 0,
                "ciphers %u", ciphers);
    e._ciphers = ciphers;
}

void draw(Endpoint &e, std::span<uint8_t> bytes)
{
    entropy::fill(e._entropy, bytes);
}

static void drop_half_open(Endpoint &e)
{
    for (uint16_t i = 0; i < half_open_max; i += 1)
        if (half_open::at(e._half_open, i).is_used)
            clear_half_open(e, half_open::at(e._half_open, i));
}

void enter(Endpoint &e, uint64_t session, const uint8_t (&secret)[32])
{
    drop_half_open(e);
    e._has_entered = true;
    e._prologue = handshake::prologue(session);
    std::memcpy(e._secret, secret, sizeof e._secret);
}

void set_incarnation(Endpoint &e, uint32_t incarnation)
{
    drop_half_open(e);
    e._incarnation = incarnation;
}

// --- Connecting ---

ConnectionIndex connect(Endpoint &e, const uint8_t (&key)[32], const Address &address,
                        uint64_t now_us, uint32_t incarnation)
{
    TERN_ASSERT(e._has_entered, "connect() before enter()");
    const ConnectionIndex index = free_slot(e);
    if (index == no_connection) return index;
    ConnectionSlot &slot = e._slots[index];
    set_state(e, slot, HandshakeState::connecting);
    slot.is_ours = true;
    slot.local_id = connection_ids::take(e._ids, e._entropy, IdOwner::connection, index);
    std::memcpy(slot.key, key, sizeof slot.key);
    slot.incarnation = incarnation;
    slot.address = address;
    slot.mac_keys = handshake::mac_keys(key);
    slot.deadline_us = now_us + e._limits.handshake_timeout_us;
    slot.next_us = now_us;

    KeyPair ephemeral = noise::make_key_pair(e._entropy);
    slot.noise = noise::initiate(e._prologue.bytes, e._keys, ephemeral, key);
    sodium_memzero(&ephemeral, sizeof ephemeral);
    const Offer offer = {e._ciphers, 0, e._incarnation};
    const handshake::WrittenInitiation written =
        handshake::write_initiation(slot.noise, slot.local_id, offer, slot.mac_keys);
    slot.initiation = written.message;
    // A key of low order, from a hostile invite or roster. It has no proper private key.
    if (!written.ok) fail_handshake(e, slot, HandshakeState::unreachable);
    return index;
}

void add_relay_candidate(Endpoint &e, ConnectionIndex index, const Address &relay_candidate,
                         uint64_t now_us)
{
    ConnectionSlot &slot = slot_at(e, index);
    if (slot.state != HandshakeState::connecting) return;
    slot.relay_candidate = relay_candidate;
    slot.next_us = std::min(slot.next_us, now_us);
}

void free_connection(Endpoint &e, ConnectionIndex index)
{
    ConnectionSlot &slot = slot_at(e, index);
    if (slot.state == HandshakeState::open) connection::wipe(*e._connections[index]);
    forget_id(e, slot);
    set_state(e, slot, HandshakeState::free);
    sodium_memzero(&slot, sizeof slot);
}

ConnectionIndex free_slot(const Endpoint &e)
{
    for (ConnectionIndex i = 0; i < e._limits.connections_max; i += 1)
        if (e._slots[i].state == HandshakeState::free) return i;
    return no_connection;
}

Connection &make_connection(Endpoint &e, ConnectionIndex index)
{
    Connection *&made = e._connections[index];
    if (!made)
        made =
            connection::place_in_zeroed(e._blocks + index * e._block_bytes, e._limits.connection);
    return *made;
}

void set_state(Endpoint &e, ConnectionSlot &slot, HandshakeState state)
{
    e._connecting_count -= slot.state == HandshakeState::connecting;
    e._connecting_count += state == HandshakeState::connecting;
    slot.state = state;
}

void fail_handshake(Endpoint &e, ConnectionSlot &slot, HandshakeState state)
{
    forget_id(e, slot);
    noise::wipe(slot.noise);
    set_state(e, slot, state);
}

// --- Queries ---

HandshakeState handshake_state(const Endpoint &e, ConnectionIndex index)
{
    return slot_at(e, index).state;
}

Connection &at(Endpoint &e, ConnectionIndex index)
{
    TERN_ASSERT(handshake_state(e, index) == HandshakeState::open, "connection %u is not open",
                index);
    return *e._connections[index];
}

const Connection &at(const Endpoint &e, ConnectionIndex index)
{
    TERN_ASSERT(handshake_state(e, index) == HandshakeState::open, "connection %u is not open",
                index);
    return *e._connections[index];
}

const uint8_t *key(const Endpoint &e, ConnectionIndex index)
{
    return slot_at(e, index).key;
}

uint32_t incarnation(const Endpoint &e, ConnectionIndex index)
{
    return slot_at(e, index).incarnation;
}

ConnectionIndex find(const Endpoint &e, const uint8_t (&key)[32])
{
    ConnectionIndex found = no_connection;
    for (ConnectionIndex i = 0; i < e._limits.connections_max; i += 1) {
        const ConnectionSlot &slot = e._slots[i];
        if (std::memcmp(slot.key, key, sizeof slot.key) != 0) continue;
        if (slot.state == HandshakeState::connecting && found == no_connection) found = i;
        if (slot.state == HandshakeState::open &&
            connection::state(*e._connections[i]) == ConnectionState::open)
            return i;
    }
    return found;
}

Tally handshakes(const Endpoint &e)
{
    return e._handshakes;
}

const Connection *ever_at(const Endpoint &e, ConnectionIndex index)
{
    TERN_ASSERT(index < e._limits.connections_max, "connection %u", index);
    return e._connections[index];
}

uint64_t received_datagrams(const Endpoint &e)
{
    return e._received;
}

uint64_t bad_datagrams(const Endpoint &e)
{
    return e._bad;
}

void count_bad_datagram(Endpoint &e)
{
    e._bad += 1;
}

// --- Half-open handshakes ---

void clear_half_open(Endpoint &e, HalfOpen &entry)
{
    if (entry.local_id != 0) connection_ids::give_back(e._ids, entry.local_id);
    if (entry.is_used) e._half_open_count -= 1;
    sodium_memzero(&entry, sizeof entry);
}

}
