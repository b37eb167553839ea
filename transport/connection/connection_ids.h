// The connection ids that peers put into datagrams to us, for connections and half-open handshakes.
// The lower bits of an id are its place in a table, so that lookup needs no hash. The upper bits
// are random, so that an attacker who does not see our datagrams cannot guess an id.
#pragma once
#include "transport/handshake/entropy.h"
#include "transport/transport_types.h"

namespace tern {

inline constexpr uint32_t id_place_bits = 11;
inline constexpr uint32_t id_places = 1u << id_place_bits;

enum class IdOwner : uint8_t { none, connection, half_open };

struct IdPlace {
    uint32_t id; // 0: the place is free.
    IdOwner owner;
    uint16_t index; // The index of the connection or the half-open handshake.
};

struct ConnectionIds { // Closed.
    IdPlace _places[id_places];
    uint32_t _count;
};

namespace connection_ids {

// Returns a new id, never 0. Asserts that fewer than id_places are taken.
uint32_t take(ConnectionIds &ids, EntropySource &entropy, IdOwner owner, uint16_t index);
void give_back(ConnectionIds &ids, uint32_t id);
// Gives a taken id to another owner, as when a handshake becomes a connection.
void pass_on(ConnectionIds &ids, uint32_t id, IdOwner owner, uint16_t index);
// All zero for an id that is not taken.
inline IdPlace find(const ConnectionIds &ids, uint32_t id)
{
    const IdPlace &place = ids._places[id % id_places];
    return id != 0 && place.id == id ? place : IdPlace{};
}

}
}
