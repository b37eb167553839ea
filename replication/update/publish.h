// UPDATE: which fields each peer still needs, by the rule of eventual consistency. Knows nothing of
// packets but their numbers and that they arrived or were lost.
//
// Per field the owner keeps the tick of its last change (World), per peer and object the newest
// tick that the peer has acked. An UPDATE at tick T names the tenure and carries every field
// changed since that acked tick, whatever is in flight. It is due when a field has changed after
// the last UPDATE sent, or when a sent one is lost. The receiver applies it if the tenure is the
// present one and T is newer than what it has. Format: docs/wire_format.md, "UPDATE".
#pragma once
#include "replication/snapshot/bounds.h"
#include "replication/snapshot/snapshots.h"
#include "replication/update/charges.h"
#include "replication/update/written_cache.h"

namespace tern {

struct SentUpdates { // One packet's.
    uint64_t packet;
    uint32_t tick;         // 0: its fate is known; it waits for those before it.
    uint32_t first, count; // In sent_runs, as a ring.
    uint32_t snapshot;     // Its number, if it is one; 0: an UPDATE message.
};

// Objects in one message that lie one behind the other, in ids as in slots. Slots are used again,
// so their tenure is named whole.
struct SentRun {
    ObjectId id; // Of the first.
    Stamp stamp;
    Slot slot;
    uint32_t tick; // Of the values that were sent.
    uint32_t count;
    uint32_t zero;
};

struct PeerRing { // Where one peer's parts of the rings below begin and end.
    uint32_t packet_first, packet_count;
    uint32_t run_first, run_count;
    Slot cursor;        // Where the next packet starts looking, so that all get their turn.
    uint32_t due_count; // Bits set in its part of `due`.
    uint32_t interests; // 0: the game has said nothing of what it is told.
    uint32_t zero;
};

// Whose objects a message tells: its sender's own, all of one tick, or, by the host of a star,
// anybody's, each of its owner's tick.
enum class Ticks : uint8_t { one, each };

struct Publisher { // Open to migration.
    uint32_t slot_count, peer_count;
    uint32_t peers_used;            // Of peer_count, the caller's: from here on there is nobody.
    uint32_t packets_max, runs_max; // Of each peer's ring. Full: nothing is written until
                                    // fates come.
    uint32_t self;                  // Who sends. Its objects are told as of now, those of others
                                    // as of the tick that came with them.
    Ticks ticks;                    // each: those of others are told too.
    uint8_t zero[3];
    uint32_t changed_count;         // Bits set in `changed`.
    Flat<Published> published;      // [peer * slot_count + slot]
    Flat<Interest> interests;       // The same.
    Flat<uint64_t> due;             // [peer * words + slot / 64]: one bit per object.
    Flat<uint64_t> seen;            // The same: it has acked that it is there, and it is not hidden
                                    // from it. So a change is due to it.
    Flat<uint64_t> changed;         // [slot / 64]: since the last begin().
    Flat<PeerRing> rings;           // [peer]
    Flat<SentUpdates> sent_packets; // [peer * packets_max + ...]
    Flat<SentRun> sent_runs;        // [peer * runs_max + ...]
    Snapshots snapshots;
    Bounds bounds;
};

// Whose turn it is, of what is due to one peer at one tick; where the game has given priorities.
struct Turn {
    uint64_t urgency;
    Slot slot;
};
struct Turns {           // Not state.
    Flat<Turn> order;    // The most urgent first.
    uint32_t peer, tick; // Of the last write(); tick 0: none.
    uint32_t next;       // Those before it have been written, or told to be nothing.
};

// One object's part of an UPDATE message, read and not yet applied.
struct Update {
    ObjectId object;
    Stamp stamp;
    uint32_t tick;
    uint32_t told_tick; // Of the message.
    TypeId type;        // As it is told.
    bool hides;         // It is hidden from now on; then there are no fields.
    uint64_t mask;      // Of the fields that it tells.
    BitReader values;   // At the first of them.
    uint32_t bit_count; // Of all of it in the message.
};

// unchecked: whatever bytes they are. checked: check() has said that they are well-formed.
enum class UpdateTrust : uint8_t { unchecked, checked };

struct UpdateReader { // Closed.
    BitReader _reader;
    const TypeTable *_types;
    UpdateTrust _trust;
    bool _each_tick;
    uint32_t _told_tick;
    uint32_t _count; // Items so far.
    Update _previous;
};

// Objects in one message. What is due beyond waits for the next; a longer message is malformed.
inline constexpr uint32_t updates_per_message_max = 256;

enum class Applied : uint8_t {
    changed,
    repeated,  // Taken, its tick with it, though all values were the same already.
    unchanged, // Rightly ignored: unknown, of another tenure, or not newer.
    forged,    // By a peer that does not own this tenure.
    malformed
};

enum class Sight : uint8_t { same, hidden, shown };

struct AppliedUpdate {
    Applied result;
    Sight sight; // What it has become with this.
    Slot slot;
    uint64_t changed_fields;
};

namespace publish {

void place(flat::Builder &builder, Publisher &publisher, const TypeTable &types,
           uint32_t slot_count, uint32_t peer_count, uint32_t packets_max, uint32_t runs_max);
void place(flat::Builder &builder, Turns &turns, uint32_t slot_count);

// --- The owner. `peer` is a small index, the caller's. ---
// Between the last write() at a tick and the next world::write the caller raises world.tick: a
// change at a tick that has been sent already would never be.
void changed(Publisher &p, Slot slot); // After world::write changed something.
// Before the first write() and write_snapshot() at a tick: what has changed is due now.
void begin(Publisher &p, const World &world, const TypeTable &types, PeerId self);
// The peer has acked an announcement that carried the value as of `tick`.
void announced(Publisher &p, const World &world, const TypeTable &types, uint32_t peer, Slot slot,
               uint32_t tick);
void forget_object(Publisher &p, Slot slot); // It died, or is another's, or is of a new tenure.
void forget_peer(Publisher &p, uint32_t peer);
void forget_interests(Publisher &p); // Of all objects and peers.
// Of priority_one; 0 hides it from the peer: it is told so, and no more until it is shown again.
void set_priority(Publisher &p, const World &world, uint32_t peer, Slot slot, uint16_t priority);
bool has_due(const Publisher &p, uint32_t peer);
bool is_due(const Publisher &p, uint32_t peer, Slot slot);
// The slots from 64 * word on that are due to anybody, bit by bit.
uint64_t due_to_any(const Publisher &p, uint32_t word);
// Writes what is due, and fits, into one message of `packet`; its size. 0: nothing. Numbers of
// packets never fall; one packet may hold several messages. written_cache::begin() before the first
// at a tick. `scratch`: of write_snapshot() of the same peer and packet, if it has any such types.
size_t write(Publisher &p, const World &world, WrittenCache &written, Turns &turns,
             const SnapshotScratch &scratch, const TypeTable &types, uint32_t peer, uint64_t packet,
             std::span<std::byte> buffer, Charges *charges = nullptr);
// The same as a snapshot, of objects of types that are predicted; write() leaves those to it.
// Before the first of a tick snapshots::begin() of the scratch.
size_t write_snapshot(Publisher &p, const World &world, SnapshotScratch &scratch,
                      const TypeTable &types, uint32_t peer, uint64_t packet,
                      std::span<std::byte> buffer, Charges *charges = nullptr);
// Told once of each packet, in any order; of one that held no UPDATE nothing happens.
void fate(Publisher &p, const World &world, const TypeTable &types, uint32_t peer, uint64_t packet,
          bool arrived);

// All that is in flight to this peer counts as lost: its connection was made anew.
void lose_all(Publisher &p, const World &world, const TypeTable &types, uint32_t peer);

// --- The receiver ---
UpdateReader reader(const TypeTable &types, PeerId sender, std::span<const std::byte> message,
                    UpdateTrust trust = UpdateTrust::unchecked);
bool next(UpdateReader &r, Update &update); // False at the end, or if malformed.
bool malformed(const UpdateReader &r);      // After next() said false.
// Whether the whole message could be applied; changes nothing.
bool check(const World &world, const TypeTable &types, PeerId sender,
           std::span<const std::byte> message);
// `slot` is the object's, no_slot if it is unknown here.
AppliedUpdate apply(World &world, const TypeTable &types, PeerId from, Slot slot,
                    const Update &update);
// The i-th object that the snapshot told which was read last.
AppliedUpdate apply_told(World &world, const TypeTable &types, const Snapshots &s,
                         const SnapshotScratch &scratch, PeerId from, Slot slot, uint32_t i);

}
}
