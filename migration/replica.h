// The rules of ownership and membership of one peer: it takes messages, and produces messages and
// events. It knows nothing of connections. Rules: docs/use/ownership.md and docs/membership.md.
// session/ and the explorer in sim/ call the same functions.
//
// Between two members there is an ordered reliable stream of messages each way (next_message,
// receive, messages_acked), and packets with UPDATEs and snapshots that may be lost (write_updates,
// receive_updates, write_snapshot, receive_snapshot, on_packet_outcome).
#pragma once
#include "migration/replica_types.h"
#include "tern/diagnostics.hpp"

namespace tern {

// The result for a received message. Unless it is ok, nothing has changed;
// receive_updates() and receive_snapshot() are exceptions, see there.
enum class Verdict : uint8_t {
    ok,
    ignored,   // Legitimate, but outdated, or from a fenced peer.
    later,     // No room now, or too early. Pass the same message again in the next tick.
    malformed, // Not in the format.
    forged,    // The sender has no authority to send this.
    over_quota // The sender has created more than its lease allows.
};

enum class Departure : uint8_t { silence, goodbye };

// The kind and the objects of a message, for inspectors and the explorer.
struct Described {
    MessageKind kind; // none: the message is malformed.
    Stamp stamp;      // For migrate, destroy, grant, report_object, relay; 0 for other kinds.
    uint16_t object_count;
    ObjectId objects[grant_objects_max]; // For dead the first ones.
};

namespace replica {

ReplicaSizes sizes(const TypeTable &types, const ReplicaLimits &limits);
size_t size_bytes(const TypeTable &types, const ReplicaLimits &limits); // ReplicaSizes::block_bytes
// Makes a replica in zeroed memory of size_bytes(). `types` must outlive it.
Replica *place(void *memory, const TypeTable &types, const ReplicaLimits &limits);
// Zeroes the memory again, for place(). Pages that are still zero are only read, so the system does
// not need to back them.
void clear(Replica &r);
uint64_t state_hash(const Replica &r);

// --- Membership ---
// Begins a session, as its first peer and host. signing_secret: Ed25519, 64 bytes.
void start(Replica &r, uint64_t session, const uint8_t *signing_secret, const Identity &self);
// Begins as a newcomer, with the host's WELCOME, the first message on its stream. `self`: our
// identity, whose keys the WELCOME must contain.
Verdict welcome(Replica &r, uint64_t session, const uint8_t *signing_secret, const Identity &self,
                std::span<const std::byte> message);
bool room_for_member(const Replica &r);
PeerId next_peer_id(Replica &r); // Only on the host. An id is never given twice.
// Makes a newcomer a member. Only on the host, and only with room_for_member().
void admit(Replica &r, PeerId id, const Identity &newcomer);
// On the host: whether a newcomer waits until this member, which is in, acks the view that lists
// it.
bool keeps_newcomer_out(const Replica &r, MemberSlot slot);
// The member's address has changed. On the host this sends a VIEW; elsewhere only the host's
// address is noted.
void moved(Replica &r, PeerId peer, const Address &address);
// Treats the member as gone. If this peer is the host, or its successor once the host has gone, it
// removes the member, beginning with a query to everybody. If the member was that, this peer
// follows the next successor(), or is it. Otherwise nothing happens.
void peer_gone(Replica &r, PeerId peer, Departure how = Departure::silence);
// On the host or its successor: removes the member, from the next end_receive() on.
void give_up(Replica &r, PeerId peer);
// The member with the lowest id that is not fenced: the host or, when that has gone, its successor.
PeerId successor(const Replica &r);
PeerId host(const Replica &r); // The sender of our view; none when it has gone.
bool is_host(const Replica &r);
// The successor, if a QUERY that waits here names it as gone; else none.
PeerId suspected(const Replica &r);
// The member has broken the rules towards this peer. The game gets `misbehaved`, and in a mesh the
// host gets ACCUSE. A later breach of the same kind changes nothing.
void accuse(Replica &r, PeerId peer, Breach breach);
// Whether this peer has the proof that the member signed two grants with one stamp. A host that did
// must go: report it with peer_gone().
bool has_equivocated(const Replica &r, PeerId peer);
// On the host: whether the breaches of this member are proved well enough to remove it.
bool is_guilty(const Replica &r, MemberSlot slot);
// Whether enough voters of the last view are left for the session to continue.
// Members of the slots for which `away` is not 0 count as if they had gone.
bool has_quorum(const Replica &r, std::span<const uint8_t> away = {});
// On the host, when too few are heard: a member that was lost by silence may have said goodbye to
// another. All members are asked, and nobody is removed.
void ask_about_goodbyes(Replica &r);
// Begins another session with this peer as the only member and host. All
// others count as gone, and their objects become this peer's.
void go_on(Replica &r, uint64_t session);
// Whether this peer and a member exchange messages: in a star only if one of them is the
// host, or its successor once the host has gone.
bool exchanges_objects_with(const Replica &r, PeerId member);
// Whether this peer is the host of a star, which replicates the objects of all clients to all.
bool relays(const Replica &r);
MemberSlot find_member(const Replica &r, PeerId peer); // Also finds fenced ones. no_member: none.
bool is_member(const Replica &r, PeerId peer);         // Not for fenced ones.

// --- The stream to and from each member ---
Verdict receive(Replica &r, PeerId from, std::span<const std::byte> message);
// Writes the next message for a member; returns its size, or 0 if there is none. `buffer` needs
// stream_message_bytes_max, or at least the size of the longest message.
size_t next_message(Replica &r, PeerId to, std::span<std::byte> buffer);
bool has_message(const Replica &r,
                 PeerId to); // False positives: next_message() may still return 0.
// Objects and control messages that wait for the member or are in flight to it.
uint32_t queued_count(const Replica &r, PeerId to);
// The first `count` messages that were pulled for this member, on this connection, have arrived.
void messages_acked(Replica &r, PeerId to, uint32_t count);
Described describe(PeerId from, std::span<const std::byte> message);
const char *name(MessageKind kind); // As in docs/wire_format.md.
// The query that this message answers. 0: it is no REPORT.
uint32_t answered_query(std::span<const std::byte> message);
// The connection to this member was made anew: messages that were not acked are sent again, and
// counted from 1. They may arrive twice. Between two members that are not the host a repeated
// message changes nothing.
void rewind(Replica &r, PeerId to);
// Whether the member has acked everything that this peer has for it, UPDATEs included. False also
// while an error bound suppresses a change.
bool all_acked(const Replica &r, PeerId to);

// --- Unreliable messages between a member and the host: leases.h ---
bool asks_for_leases(const Replica &r);
void write_lease_question(BitWriter &w, const Replica &r);
bool read_lease_question(BitReader &reader, const Replica &r, LeaseQuestion &question);
// On the host. The answer to a question.
void write_leases(BitWriter &w, const Replica &r, const LeaseQuestion &question);
Verdict receive_leases(Replica &r, PeerId from, BitReader reader);

// --- UPDATEs ---
// Applies what publish::read() has read. The result is forged if the update of any object was; the
// other objects have been updated nevertheless.
Verdict receive_updates(Replica &r, PeerId from, const ReadUpdates &read);
// Whether a message or an UPDATE waits for the member in this slot.
bool has_news(const Replica &r, MemberSlot slot);
bool has_updates(const Replica &r, PeerId to);
// Returns false if this peer does not replicate the object to that one.
bool set_priority(Replica &r, ObjectSlot slot, PeerId peer, uint16_t priority);
// Writes an UPDATE message for a packet; returns its size, or 0 if nothing is due. `part` is below
// ReplicaLimits::send_parts; different parts may write to different members at the same time.
size_t write_updates(Replica &r, PeerId to, uint64_t packet, std::span<std::byte> buffer,
                     uint32_t part = 0);
// Snapshots: the same for objects of predicted types. A packet with a refused snapshot must not be
// acked. Every snapshot that is neither refused nor malformed must go to receive_snapshot() before
// the next one is checked.
SnapshotCheck check_snapshot(Replica &r, PeerId from, std::span<const std::byte> message);
Verdict receive_snapshot(Replica &r, PeerId from);
size_t write_snapshot(Replica &r, PeerId to, uint64_t packet, std::span<std::byte> buffer,
                      uint32_t part = 0);
// The outcome of a packet: acked or lost. Call it once for each packet.
void on_packet_outcome(Replica &r, PeerId to, uint64_t packet, bool acked);

// --- Time: call these four in this order in every tick ---
// Clears the events, and frees the objects that were destroyed in the last tick.
void begin_receive(Replica &r, uint64_t now_us = 0);
void end_receive(Replica &r);       // After all messages: departures, answers to claims, grants.
void begin_send(Replica &r);        // Grants to other peers that the game has requested meanwhile.
void end_send(Replica &r);          // Raises world.tick: later changes belong to the next tick.
bool events_room(const Replica &r); // Whether the events of one more message surely fit.

// --- This peer's game. Wrong arguments assert. ---
// Returns none if the type has objects_max objects already, or there is no slot or serial left.
ObjectId create(Replica &r, TypeId type, const void *value);
void destroy(Replica &r, ObjectSlot slot);                // Only an own object.
void set(Replica &r, ObjectSlot slot, const void *value); // Only an own object.
// Asks for the object; true too if a claim is pending. False: impossible id, or too many claims.
bool claim(Replica &r, ObjectId object);
// On the host: requests a transfer. False: unknown object, or `to` cannot own objects yet.
bool migrate(Replica &r, ObjectId object, PeerId to);
void release_ownership(Replica &r, ObjectSlot slot); // An own object is to become the host's.
void lock(Replica &r, ObjectSlot slot, bool locked); // An own object, for this tenure.
void balance(Replica &r, TypeId type); // On the host: spreads the type's objects evenly.
// On the host: the game's answer to claim_asked.
void refuse_claim(Replica &r, ObjectId object, PeerId claimer, ClaimRefusal refusal);

}
}
