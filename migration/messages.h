// The parts of which the messages between members are made: write and read side by side.
// Format: docs/wire_format.md, "The world stream".
#pragma once
#include "migration/replica_types.h"

namespace tern {

// An object's state as a message carries it.
struct ObjectState {
    TypeId type;
    uint32_t tick; // The owner's, of the value.
    alignas(16) std::byte value[struct_bytes_max];
};

namespace messages {

void write_kind(BitWriter &w, MessageKind kind);
MessageKind read_kind(BitReader &r); // none for an unknown one; the reader has failed then.

void write_peer(BitWriter &w, PeerId peer);
PeerId read_peer(BitReader &r); // Fails for none and everyone.

void write_object_id(BitWriter &w, ObjectId id);
ObjectId read_object_id(BitReader &r);

void write_stamp(BitWriter &w, Stamp stamp);
Stamp read_stamp(BitReader &r);

// Charged to the type, in a message of this kind.
void write_state(BitWriter &w, Replica &r, TrafficKind kind, Slot slot, uint32_t tick);
// Counts for the statistics of the type.
void read_state(BitReader &reader, Replica &r, ObjectState &state);

void write_grant(BitWriter &w, const Grant &grant);
void read_grant(BitReader &r, Grant &grant);

void write_range(BitWriter &w, const DeadRange &range);
DeadRange read_range(BitReader &r);

// Of a WELCOME, the longest message: all members, and the former hosts.
inline constexpr size_t welcome_bytes_max =
    64 + members_max * (3 + 32 + 32 + 16 + 2 + name_bytes_max) + former_hosts_max * (2 + 32);

void write_identity(BitWriter &w, const Identity &identity);
void read_identity(BitReader &r, Identity &identity);

// What a grant's signature covers; the bytes lie in `buffer`.
inline constexpr size_t signed_bytes_max = 8 + 8 + 8 + 2 + 2 + 8 * grant_objects_max;
std::span<const std::byte> signed_bytes(uint64_t session, const Grant &grant,
                                        std::span<std::byte> buffer);

}
}
