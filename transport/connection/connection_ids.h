// The ids by which others name our connections and half-open handshakes. The lower bits of an id
// are its place in a table and the upper ones are random, so that finding needs no hash and who
// does not see our datagrams cannot guess one.
#pragma once
#include "transport/handshake/chance.h"
#include "transport/transport_types.h"

namespace tern {

inline constexpr uint32_t id_place_bits = 11;
inline constexpr uint32_t id_places = 1u << id_place_bits;

enum class IdOwner : uint8_t { none, connection, half_open };

struct IdPlace {
    uint32_t id; // 0: free.
    IdOwner owner;
    uint16_t index; // Of the connection or the half-open handshake.
};

struct ConnectionIds { // Closed.
    IdPlace _places[id_places];
    uint32_t _count;
};

namespace connection_ids {

// Never 0. Asserts that fewer than id_places are taken.
uint32_t take(ConnectionIds &ids, Chance &chance, IdOwner owner, uint16_t index);
void give_back(ConnectionIds &ids, uint32_t id);
void pass_on(ConnectionIds &ids, uint32_t id, IdOwner owner, uint16_t index);
IdPlace find(const ConnectionIds &ids, uint32_t id); // All zero for an id that is not taken.

}
}
