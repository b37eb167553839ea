// Handshakes that were answered and not yet confirmed: each waits a few seconds for its first data
// datagram. A repeated initiation finds its old answer here.
#pragma once
#include "transport/handshake/handshake.h"

namespace tern {

inline constexpr uint32_t half_open_max = 256; // Full: who proves its address ousts the oldest.
inline constexpr uint64_t half_open_time_us = 5'000'000;

struct HalfOpen {
    bool is_used;
    bool is_spent;     // There is a connection now, or there will be none: only kept so that a
                       // late copy of the initiation is known. It has no id and no keys.
    bool response_due; // For the last copy of the initiation that came.
    uint32_t local_id; // 0 when spent.
    uint32_t remote_id;
    Address address;
    uint8_t key[32]; // Whose it is.
    DataKeys keys;
    uint8_t mac1[16]; // Of the initiation; names it.
    Response response;
    uint64_t made_us;
    uint64_t made_at; // Count of datagrams received by then.
};

struct HalfOpenTable { // Closed.
    HalfOpen _entries[half_open_max];
};

namespace half_open {

HalfOpen &at(HalfOpenTable &table, uint16_t index);
// The one for the same initiation from the same address; null if there is none.
HalfOpen *find(HalfOpenTable &table, const Address &address, const uint8_t (&mac1)[16]);
// Every place holds a handshake that waits.
bool is_full(const HalfOpenTable &table);
// Where a new one goes: a free place, else a spent one, else the oldest. It is the caller's to
// clear.
uint16_t next_place(const HalfOpenTable &table);
void spend(HalfOpen &entry);                          // Its id is the caller's.
bool is_over(const HalfOpen &entry, uint64_t now_us); // Used, and its time is over.

}
}
