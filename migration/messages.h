// Writes and reads the parts of the messages between members. Format: docs/wire_format.md, "The
// world stream". A read function fails its reader if a part is not in the form that is written.
#pragma once
#include "migration/replica_types.h"
#include "tern/limits.hpp"

namespace tern {

// An object's state as a message carries it.
struct ObjectState {
    TypeId type;
    uint32_t tick;          // The owner's tick of the value.
    const std::byte *value; // In Arrived::values.
};

namespace messages {

void write_kind(BitWriter &w, MessageKind kind);
MessageKind read_kind(BitReader &r); // none, and fails, for an unknown kind.

void write_peer(BitWriter &w, PeerId peer);
PeerId read_peer(BitReader &r); // Fails for none and everyone.

void write_object_id(BitWriter &w, ObjectId id);
ObjectId read_object_id(BitReader &r);

void write_stamp(BitWriter &w, Stamp stamp);
Stamp read_stamp(BitReader &r);

uint32_t read_place(BitReader &r); // The number of a place: see places.h.

// Charges the bits to the object's type, as traffic of this kind.
void write_state(BitWriter &w, Replica &r, TrafficKind kind, ObjectSlot slot, uint32_t tick);
// Counts the bits as received for the type. `i`: how many states of the message come before this
// one. Its value stays until another message is read.
void read_state(BitReader &reader, Replica &r, ObjectState &state, uint32_t i = 0);

void write_grant(BitWriter &w, const Grant &grant);
void read_grant(BitReader &r, Grant &grant);

void write_range(BitWriter &w, const DeadRange &range);
DeadRange read_range(BitReader &r);

// The largest WELCOME, which is the longest message: all members, and all former hosts.
inline constexpr size_t welcome_bytes_max =
    64 + members_max * (3 + 32 + 32 + 16 + 2 + name_bytes_max) + former_hosts_max * (2 + 32);

void write_identity(BitWriter &w, const Identity &identity);
void read_identity(BitReader &r, Identity &identity);

// The bytes that a grant's signature covers, written into `buffer` of signed_bytes_max.
inline constexpr size_t signed_bytes_max = 8 + 8 + 8 + 2 + 2 + (8 + 4) * grant_objects_max;
std::span<const std::byte> signed_bytes(uint64_t session, const Grant &grant,
                                        std::span<std::byte> buffer);

}
}
