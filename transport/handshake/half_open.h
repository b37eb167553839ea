// Half-open handshakes: those that the responder has answered and that wait for their first data
// datagram. A repeated initiation gets its former response from here.
#pragma once
#include "transport/handshake/handshake.h"

namespace tern {

// When the table is full, an initiation with a right cookie replaces the oldest entry.
inline constexpr uint32_t half_open_max = 256;
inline constexpr uint64_t half_open_time_us = 5'000'000; // Lifetime of an entry.

struct HalfOpen {
    bool is_used;
    // The handshake has become a connection. The entry has no id and no keys any more, and stays
    // only to recognize late copies of the initiation.
    bool is_spent;
    bool response_due; // A copy of the initiation has arrived and is not answered yet.
    uint32_t local_id; // Connection id on our side; 0 when spent.
    uint32_t remote_id;
    Address address;
    uint8_t key[32];      // Public key of the initiator.
    uint32_t incarnation; // The initiator's.
    DataKeys keys;
    uint8_t mac1[16]; // mac1 of the initiation, which identifies it.
    Response response;
    uint64_t made_us;
    uint64_t made_at; // Endpoint::_received when the entry was made.
};

struct HalfOpenTable { // Closed.
    HalfOpen _entries[half_open_max];
};

namespace half_open {

HalfOpen &at(HalfOpenTable &table, uint16_t index);
// The entry for the initiation with this mac1 from this address; null if there is none.
HalfOpen *find(HalfOpenTable &table, const Address &address, const uint8_t (&mac1)[16]);
// Whether every entry is in use and not spent.
bool is_full(const HalfOpenTable &table);
// The index for a new entry: a free one, otherwise the oldest spent one, otherwise the oldest. The
// caller must clear the former entry.
uint16_t next_place(const HalfOpenTable &table);
// Marks the entry as spent and wipes its keys. The caller takes over its connection id.
void spend(HalfOpen &entry);
bool is_over(const HalfOpen &entry, uint64_t now_us); // In use, and half_open_time_us have passed.

}
}
