// The rules of ownership and membership of one peer: messages in, messages out, events, no
// connections. design: docs/use/ownership.md and docs/membership.md. The explorer and session/
// drive it by the same functions.
//
// Between two members there is one ordered reliable stream of messages each way (next_message,
// receive, messages_acked) and a lossy one of UPDATEs (write_updates, receive_updates, fate).
#pragma once
#include "migration/replica_types.h"

namespace tern {

enum class Verdict : uint8_t {
    ok,
    ignored,   // Rightly: of the past, or from a fenced peer.
    later,     // No room now. Nothing changed; the same message again in the next tick.
    malformed, // Against the format. Nothing changed.
    forged     // Against authority: its sender may not say it. Nothing changed.
};

enum class Departure : uint8_t { silence, goodbye };

// What a message is about, for those who watch.
struct Described {
    MessageKind kind; // none: it is against the format.
    Stamp stamp;      // create, migrate, destroy, grant, report_object.
    uint16_t object_count;
    ObjectId objects[grant_objects_max]; // Those whose state it carries. dead: none are listed.
};

namespace replica {

size_t size_bytes(const TypeTable &types, const ReplicaLimits &limits);
// In zeroed memory of size_bytes. types stays the caller's and must outlive it.
Replica *place(void *memory, const TypeTable &types, const ReplicaLimits &limits);
// Zeroed again, for place(). What was never touched is only read, and so takes no memory.
void clear(Replica &r);
uint64_t state_hash(const Replica &r);

// --- Membership ---
// As the first peer, and host. signing_secret: Ed25519, 64 bytes.
void start(Replica &r, uint64_t session, const uint8_t *signing_secret, const Identity &self);
// As a newcomer: with the host's welcome, the first message on its stream. self: what the welcome
// must say of us.
Verdict welcome(Replica &r, uint64_t session, const uint8_t *signing_secret, const Identity &self,
                std::span<const std::byte> message);
bool room_for_member(const Replica &r);
PeerId next_peer_id(Replica &r); // At the host: one that nobody had or will have.
void admit(Replica &r, PeerId id, const Identity &newcomer); // At the host. There must be room.
// At the host: it speaks from there now. Told in a view, so that others can reach it.
void moved(Replica &r, PeerId peer, const Address &address);
// No more is heard from this member. Who leads counts it out; others only who leads, and then the
// next does: the election.
void peer_gone(Replica &r, PeerId peer, Departure how = Departure::silence);
void give_up(Replica &r, PeerId peer); // At the host: it has gone, from the next end_receive() on.
// The lowest id that is not fenced: the host or, when it has gone, who takes its place.
PeerId successor(const Replica &r);
PeerId host(const Replica &r); // Who has opened our view. none: it has gone.
// The successor, if a query that waits says that it has gone; else none.
PeerId suspected(const Replica &r);
bool has_quorum(const Replica &r);
// With Fault::minority: all others are taken for gone, and what they owned is this peer's, the
// host of another session.
void go_on(Replica &r, uint64_t session);
// Whether this peer and a member talk: in a star only if one of them leads.
bool linked(const Replica &r, PeerId member);
bool relays(const Replica &r); // The host of a star: what it hears, it tells all others.
MemberSlot find_member(const Replica &r, PeerId peer); // Fenced ones too.
bool is_member(const Replica &r, PeerId peer);         // Not fenced.

// --- The stream to and from each member ---
Verdict receive(Replica &r, PeerId from, std::span<const std::byte> message);
// The next message for a member, into buffer (stream_message_bytes_max or what it takes). 0: none.
size_t next_message(Replica &r, PeerId to, std::span<std::byte> buffer);
bool has_message(const Replica &r, PeerId to); // May be pointless by the time it is pulled.
bool is_unacked(const Replica &r, PeerId to, MessageKind kind); // Queued, or said and not acked.
// The first `count` messages ever pulled for this member have arrived.
void messages_acked(Replica &r, PeerId to, uint32_t count);
Described describe(PeerId from, std::span<const std::byte> message);
// The connection to this member was made anew: what was not acked is said again, from message 1.
// All messages may arrive twice; between two members of whom none is the host that changes nothing.
void rewind(Replica &r, PeerId to);
bool all_acked(const Replica &r,
               PeerId to); // Nothing is queued, due, held or unacked, no UPDATE either.

// --- UPDATEs ---
// Well-formed for us?
bool check_updates(const Replica &r, PeerId from, std::span<const std::byte> message);
Verdict receive_updates(Replica &r, PeerId from, std::span<const std::byte> message);
bool has_updates(const Replica &r, PeerId to);
// False: this peer does not tell the object to that one.
bool set_priority(Replica &r, Slot slot, PeerId peer, uint16_t priority);
// part, below ReplicaLimits::send_parts: parts may write to different members at once.
size_t write_updates(Replica &r, PeerId to, uint64_t packet, std::span<std::byte> buffer,
                     uint32_t part = 0);
// The same of types that are predicted. What is refused must not be acked; all else that is not
// malformed goes to receive_snapshot() before the next is checked.
SnapshotCheck check_snapshot(Replica &r, PeerId from, std::span<const std::byte> message);
Verdict receive_snapshot(Replica &r, PeerId from, std::span<const std::byte> message);
size_t write_snapshot(Replica &r, PeerId to, uint64_t packet, std::span<std::byte> buffer,
                      uint32_t part = 0);
void fate(Replica &r, PeerId to, uint64_t packet, bool arrived);

// --- Time ---
// Clears the events, frees what died in the last tick.
void begin_receive(Replica &r, uint64_t now_us = 0);
void end_receive(Replica &r); // After all messages: grants, departures.
void begin_send(Replica &r);  // Grants to others that the game wishes.
void end_send(Replica &r);    // Raises world.tick: what is set from here on is of a later tick.
bool events_room(const Replica &r); // For whatever one more message may cause.

// --- This peer's game. Wrong arguments assert. ---
ObjectId create(Replica &r, TypeId type, const void *value); // none: objects_max are alive.
void destroy(Replica &r, Slot slot);
void set(Replica &r, Slot slot, const void *value);
bool claim(Replica &r, ObjectId object);              // False: nothing is asked.
bool migrate(Replica &r, ObjectId object, PeerId to); // At the host.
void release(Replica &r, Slot slot);                  // Of an own one: the host shall have it.
void lock(Replica &r, Slot slot, bool locked);        // Of an own one, for this tenure.
void balance(Replica &r, TypeId type);                // At the host: an even load of this type.
void refuse_claim(Replica &r, ObjectId object, PeerId claimer, ClaimRefusal refusal);

}
}
