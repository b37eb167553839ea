// UPDATE: which fields each peer still needs, for eventual consistency. Of packets it knows only
// their numbers and outcomes.
//
// The owner keeps the tick of the last change of each field (World), and for each peer and object
// the newest tick that the peer has acked. An UPDATE at tick T names the tenure and carries every
// field that changed after the acked tick, even if an UPDATE in flight carries it too. It is due
// when a field has changed after the last UPDATE sent, or when one that was sent is lost. The
// receiver applies it if the tenure is the present one and T is newer than its own tick of the
// object. Format: docs/wire_format.md, "UPDATE".
#pragma once
#include "replication/snapshot/bounds.h"
#include "replication/snapshot/snapshots.h"
#include "replication/update/charges.h"
#include "replication/update/encode_cache.h"

namespace tern {

struct SentUpdates { // One message of UPDATEs, or one snapshot.
    uint64_t packet;
    // 0: the outcome is known, but the ring still holds earlier packets whose outcome is not.
    uint32_t tick;
    uint32_t first, count; // A range of sent_runs, as ring positions.
    SentMessage snapshot;  // Its number is 0: this is an UPDATE message.
    uint32_t zero;
};

// Objects of one message whose ids and slots are both consecutive. Slots are reused, so a run also
// names id and stamp.
struct SentRun {
    ObjectId id; // The id of the first object; the others follow.
    Stamp stamp;
    ObjectSlot slot;
    uint32_t tick; // The tick that the message gives for the values.
    uint32_t count;
    uint32_t zero;
};

struct PeerRing { // Where one peer's parts of the two rings begin, and how long they are.
    uint32_t packet_first, packet_count;
    uint32_t run_first, run_count;
    ObjectSlot
        cursor; // Where the next packet starts its search, so that every object gets its turn.
    uint32_t due_count; // Bits set in this peer's part of `due`.
    uint32_t interests; // 0: the game has set no priority for this peer.
    uint32_t zero;
};

// one: the sender's own objects, all at the tick of the message. each: objects of any owner, each
// at its owner's tick; the host of a star sends those.
enum class Ticks : uint8_t { one, each };

struct Publisher { // Open to migration.
    uint32_t slot_count, peer_count;
    uint32_t peers_used; // The peers in use, set by the caller; at most peer_count.
    // Capacity of each peer's rings. When one is full, nothing is written until outcomes arrive.
    uint32_t packets_max, runs_max;
    // The sender's PeerId. Its own objects are sent at the present tick, those of others at the
    // tick that came with their values.
    uint32_t self;
    Ticks ticks;      // each: objects of other owners are sent too.
    uint8_t gap_bits; // Of the messages of this tick; see update_codec::writer().
    uint8_t zero[2];
    uint32_t more_zero;
    Flat<AckedState> acked_states; // [peer * slot_count + slot]
    Flat<Interest> interests;      // [peer * slot_count + slot]
    Flat<uint64_t> due;            // [peer * words + slot / 64], a bit for each slot.
    // Like `due`: the peer has acked the announcement and the object is not hidden from it, so
    // changes are due to it.
    Flat<uint64_t> visible;
    Flat<PeerRing> rings;           // [peer]
    Flat<SentUpdates> sent_packets; // [peer * packets_max + ...]
    Flat<SentRun> sent_runs;        // [peer * runs_max + ...]
    Snapshots snapshots;
    Bounds bounds;
};

// The order in which due objects are sent to one peer at one tick: by slot from PeerRing::cursor
// on, or the most urgent first if the game has set priorities.
struct SendOrderEntry {
    uint64_t urgency; // 0 without priorities.
    ObjectSlot slot;
};
struct SendOrder { // Not part of the hashed state.
    Flat<SendOrderEntry> order;
    uint32_t peer, tick; // The arguments of the last write(); tick 0: none.
    uint32_t next;       // Entries before this one are done in this tick.
    uint32_t due_count;  // PeerRing::due_count after the last write().
};

// Caches for one part of a send(); see Parallel. They only save work: every part writes the same
// bytes.
struct SendScratch {
    Charges *charges; // Outside of the block. Null: nothing is charged.
    bool is_begun;    // The caches were emptied in this tick.
    EncodeCache cache;
    SendOrder send_order;
    SnapshotScratch snapshots;
};

// A publisher's part for one peer; `peer` is the caller's index of it.
struct PublishTo {
    Publisher &p;
    const World &world;
    const TypeTable &types;
    uint32_t peer;
};

// Capacities of a Publisher.
struct PublishLimits {
    uint32_t slots, peers, packets_max, runs_max;
};

// One object's part of an UPDATE message, read and checked, but not applied yet.
struct Update {
    ObjectId object;
    Stamp stamp;
    uint32_t tick;
    uint32_t message_tick;   // The tick of the message.
    TypeId type;             // The type that the message names.
    bool hides;              // The object is hidden from now on; no fields follow.
    uint64_t mask;           // The fields that follow.
    const std::byte *values; // These fields, one after another.
    uint32_t value_bytes;
    uint32_t bit_count; // All bits of the part, its head included.
};

// The parts of all UPDATE messages of one packet. Its owner gives it memory: see read_room().
struct ReadUpdates {
    std::span<Update> parts;
    std::span<std::byte> values;
    uint32_t count;       // `parts` has so many.
    uint32_t value_bytes; // `values` has so many.
    uint32_t message_count, message_bytes;
};
struct ReadRoom {
    size_t parts, value_bytes;
};

struct PreviousUpdate { // What the next object of the message is coded relative to.
    ObjectId object;
    Stamp stamp;
    uint64_t mask;
    uint32_t tick;
    TypeId type;
};

struct UpdateReader { // Closed.
    BitReader _reader;
    const TypeTable *_types;
    bool _each_tick;
    uint8_t _gap_bits;
    uint32_t _message_tick;
    uint32_t _count; // Objects read so far.
    PreviousUpdate _previous;
};

// The bits of UpdateWriter::_gap_bits on the wire.
inline constexpr unsigned gap_field_bits = 4;
inline constexpr unsigned gap_bits_max = (1u << gap_field_bits) - 1;

// Objects in one message. Further due objects wait for the next message; a longer message is
// malformed.
inline constexpr uint32_t updates_per_message_max = 256;

enum class Applied : uint8_t {
    changed,
    repeated, // Applied, and the tick with it, but all values are equal.
    // Ignored as the rules demand: the object is unknown, the tenure another, or the tick not
    // newer.
    unchanged,
    forged // The sender does not own this tenure.
};

enum class VisibilityChange : uint8_t { same, hidden, shown };

struct AppliedUpdate {
    Applied result;
    VisibilityChange visibility; // How the part changed the visibility.
    ObjectSlot slot;
    uint64_t changed_fields;
};

namespace publish {

void place(flat::Builder &builder, Publisher &publisher, const TypeTable &types,
           const PublishLimits &limits);
void place(flat::Builder &builder, SendOrder &send_order, uint32_t slot_count);

// --- The sender; `peer` is the caller's index of a peer ---
// After the last write() of a tick the caller must raise world.tick before the next world::write():
// a change at a tick that was already sent would never be sent.
// Call it when a tenure of this peer has begun.
void began(Publisher &p, const World &world, const TypeTable &types, ObjectSlot slot);
// Call it before the first write() and write_snapshot() of a tick: it makes the changes due, and
// forgets them.
void begin(Publisher &p, World &world, const TypeTable &types, PeerId self);
// Call it when the peer has acked an announcement that carried the value of `tick`. From then on it
// gets UPDATEs.
void announced(const PublishTo &to, ObjectSlot slot, uint32_t tick);
// Call it when the object is destroyed or its tenure changes.
void forget_object(Publisher &p, World &world, ObjectSlot slot);
void forget_peer(Publisher &p, uint32_t peer);
void forget_interests(Publisher &p); // For all objects and peers.
// `priority` is in 1/priority_one. 0 hides the object from the peer: an UPDATE announces that, and
// no more follow until another priority shows the object again.
void set_priority(Publisher &p, const World &world, uint32_t peer, ObjectSlot slot,
                  uint16_t priority);
bool has_due(const Publisher &p, const World &world, uint32_t peer);
bool is_due(const Publisher &p, const World &world, uint32_t peer, ObjectSlot slot);
// The due slots from 64 * word on, a bit for each, over all peers.
uint64_t due_to_any(const Publisher &p, const World &world, uint32_t word);
// Writes one message of due objects, as many as fit, and returns its size in bytes; 0: nothing to
// send. Packet numbers never decrease; a packet may hold several messages. Call
// encode_cache::begin() before the first message of a tick. scratch.snapshots: as write_snapshot()
// of the same peer and packet left it, if the table has predicted types.
size_t write(const PublishTo &to, SendScratch &scratch, uint64_t packet,
             std::span<std::byte> buffer);
// Writes predicted objects as a snapshot. Returns what write() returns. Call it before write() for
// the same packet; write() leaves these objects out. Call snapshots::begin() of the scratch before
// the first snapshot of a tick.
size_t write_snapshot(const PublishTo &to, SendScratch &scratch, uint64_t packet,
                      std::span<std::byte> buffer);
// Takes the outcome of a packet: once for each, in any order. Packets without messages of this
// module are ignored.
void on_packet_outcome(const PublishTo &to, uint64_t packet, bool acked);

// Counts all packets in flight to the peer as lost; for a connection that was replaced.
void lose_all(const PublishTo &to);

// --- The receiver: update_codec.cpp ---
UpdateReader reader(const TypeTable &types, PeerId sender, std::span<const std::byte> message);
// False at the end, and if the message is malformed. `values` has room for struct_bytes_max, and
// must stay in place while the update is in use.
bool next(UpdateReader &r, Update &update, std::byte *values);
bool malformed(const UpdateReader &r); // Call it after next() returned false.
// The messages of any packet fit into so much.
ReadRoom read_room(const TypeTable &types);
void clear(ReadUpdates &read);
// Adds the parts of a message. False: it is malformed, or contradicts the types that are known
// here; the messages before count for nothing, too.
bool read(ReadUpdates &read, const World &world, const TypeTable &types, PeerId sender,
          std::span<const std::byte> message);
// `slot`: the object's, or no_slot if it is unknown here.
AppliedUpdate apply(World &world, const TypeTable &types, PeerId from, ObjectSlot slot,
                    const Update &update);
// Applies an object of the snapshot that snapshots::receive() took last.
AppliedUpdate apply_carried(World &world, const TypeTable &types, PeerId from, ObjectSlot slot,
                            const CarriedObject &carried);

}
}
