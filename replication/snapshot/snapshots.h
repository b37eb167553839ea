// Snapshots: updates of predicted types, coded against states that the receiver has or that are
// still in flight to it. Format: docs/wire_format.md, "SNAPSHOT"; design: docs/decisions.md,
// "Snapshots".
//
// A snapshot carries values of one tick. It names its baseline, an earlier snapshot called its
// base, and so has a lineage: the base, the base of that, and so on. As of a snapshot, an object
// has the state that the newest carrier among the snapshot and its lineage gave it. The lineage
// alone determines that state, whatever else has arrived, so both sides code an object against the
// same states.
//
// A base that is known to be lost, or whose own base is, is never named again. A snapshot that is
// built on it is acked without effect; both sides know, each by itself, that it does not count.
#pragma once
#include "replication/sampling/motion.h"
#include "replication/update/acked_state.h"
#include "replication/world/world.h"

namespace tern {

inline constexpr uint32_t snapshots_kept = 64;
// The largest distance, in numbers, from a snapshot back to any state that it is coded against.
inline constexpr uint32_t snapshot_reach = 56;
// Objects of one owner; further ones are sent as UPDATE.
inline constexpr uint32_t snapshot_entries_max = 1024;
inline constexpr uint32_t snapshot_base_ticks_max = 16384;
// A value of `since` in the head: the full tick follows.
inline constexpr uint32_t snapshot_tick_far = 7;

enum class DecodeState : uint8_t {
    none,
    in_flight,
    arrived, // Acked, but its base is still in flight.
    usable,
    // Lost, or its base is. At the receiver: given up, because its base is missing or a snapshot
    // that is built on this one was given up.
    useless
};

struct Snapshot { // Number 0: none.
    uint32_t number;
    uint32_t base; // 0: none; every object is then sent whole.
    uint32_t tick;
    DecodeState decode_state;
    uint8_t part;    // Only at the sender: how many snapshots of its tick came before, at most 255.
    uint8_t zero[2]; // Explicit padding: the block is hashed.
    // Only at the sender: the count of ticks with a snapshot to this peer, this one included.
    uint32_t send_index;
};

// The knowledge of one entry as of a snapshot, in one byte.
struct EntryPresence {
    // The number of snapshots, from this one back along the lineage, in which the entry has a
    // state; presence_depth_max means that many or more.
    uint8_t depth : 5;
    uint8_t carried : 1; // This snapshot carries the entry.
    uint8_t listed : 2;  // For how many more snapshots without the entry it stays listed.
};
inline constexpr uint8_t presence_depth_max = 31, presence_listed_max = 3;

// An object that this peer owns. Sender and receiver name objects by entry numbers, not by ids.
struct SentEntry {
    ObjectId id;
    Stamp stamp;
    ObjectSlot slot;
    uint32_t tick; // The tick of the last change, or of the end.
    TypeId type;
    bool ended; // The entry is reused only when no snapshot can mean the old object any more.
    uint8_t zero[5];
};

inline constexpr uint32_t loss_one = 1u << 24;

struct SnapshotPeer { // State of the exchange with one peer, both directions.
    uint32_t sent_number, got_number;
    uint32_t loss;           // Running mean of lost snapshots, in 1/loss_one; 0 before the first.
    uint32_t reordered;      // Running mean of snapshots that were acked after a later one.
    uint32_t arrived_number; // The highest number that was acked.
    uint32_t was_cut;        // Not 0: the last snapshot had no room for all of its objects.
    uint32_t cut_bits;       // Bits for each object of the last one that had none. 0: none had.
    uint32_t renamed_number; // The newest one that gave an entry to another object than before.
    uint32_t awaits_ack;     // Not 0: the last write() had no acked base, and left all to UPDATEs.
};

struct ReceivedEntry {
    ObjectId id;
    Stamp stamp;
    TypeId type;
    uint16_t zero[3];
};

// One object in a snapshot that is being written.
struct PlanItem {
    uint16_t entry;
    uint8_t states; // States in its history; 0: it is sent whole.
    uint8_t flags;  // item_listed and item_carried; from bit 2 on the presence_class().
    uint16_t changes[history_max];
    uint16_t ages[history_max]; // Set in types whose states may repeat.
};
inline constexpr uint8_t item_listed = 1, item_carried = 2;

struct Snapshots {         // Open to publish.
    uint32_t entry_count;  // Entries for each peer.
    uint32_t word_count;   // Words of the largest state.
    uint32_t entries_used; // Entries that were ever used: 0 to entries_used - 1.
    uint32_t tick;         // The tick of the last begin().
    uint32_t full_tick;    // The last tick at which an object needed an entry and none was free.
    uint32_t trail_count;  // Ancestors that a lineage lists; 0: no type may repeat a state.
    Flat<StateLayout> layouts; // Indexed by type, constant.
    Flat<SnapshotPeer> peers;

    // --- The sender's, shared by all peers ---
    Flat<SentEntry> entries;
    Flat<uint16_t> entry_of; // Indexed by slot: entry + 1; 0: none.
    Flat<uint64_t> active;   // A bit for each entry that changed recently.
    Flat<uint16_t> change;   // Indexed by entry: the number of its last change, 15 bits.
    Flat<uint32_t> changes;  // [(entry * snapshots_kept + change) * word_count]
    // --- The sender's, for each peer: [peer * snapshots_kept + number % snapshots_kept], for the
    // latter two [that * entry_count + entry] ---
    Flat<Snapshot> sent;
    Flat<EntryPresence> sent_presences;
    // The change that the entry's state in this snapshot has; with change_lost if it is not kept.
    Flat<uint16_t> sent_changes;

    // --- The receiver's, indexed in the same way ---
    Flat<ReceivedEntry> got_entries; // [peer * entry_count + entry]
    Flat<Snapshot> got;
    Flat<EntryPresence> got_presences;
    Flat<uint32_t> got_words; // [... * word_count]
};

inline constexpr uint16_t change_lost = 0x8000;
inline constexpr size_t snapshot_bytes_max = datagram_bytes_max;
inline constexpr size_t snapshot_codes_max = 8;

// The publisher's knowledge of a peer; each span is indexed by slot.
struct SnapshotInputs {
    std::span<const AckedState> acked_states;
    std::span<const Interest> interests; // Empty: the game has set no priorities.
    std::span<const uint64_t> due;       // A bit for each slot.
    uint32_t carried_max;
};

// A body that was encoded in this send, to be copied for peers that need the same bytes.
struct SnapshotCode {
    uint32_t ages[history_max], age_count;
    uint32_t first, count; // The plan before anything was cut off, in SnapshotScratch::cached.
    uint32_t room_bytes;   // The room that there was for the body.
    // The limit that it began with, and the number that it was cut to: see code_body().
    uint32_t limit, carried_max;
    uint32_t size_bytes;
    std::byte bytes[snapshot_bytes_max];
};

// Working memory, not part of the hashed state.
struct SnapshotScratch {
    Flat<PlanItem> plan;
    Flat<PlanItem> cached;
    Flat<SnapshotCode> codes;
    Flat<uint16_t> plan_bits; // Bits that each item of the plan took.
    Flat<uint64_t> plan_urgency;
    Flat<uint64_t> carried_urgency;
    Flat<uint64_t> cached_urgency;
    Flat<uint16_t> cached_bits; // Those of the plan after the cut.
    Flat<ObjectSlot>
        carried; // The objects that the last write() sent; carried_bits: the bits that each took.
    Flat<uint16_t> carried_bits;
    // Objects that are due, but whose present state the lineage has already sent.
    Flat<ObjectSlot> same;
    // Like `same`, but another chain or an UPDATE has sent another state since. These objects need
    // an UPDATE.
    Flat<ObjectSlot> stray;
    // Results of check(), kept for receive().
    Flat<ReceivedEntry> read_entries; // The objects that the snapshot carries.
    Flat<uint16_t> read_numbers;
    Flat<uint16_t> read_bits;
    Snapshot read;
    uint32_t read_peer;
};

enum class SnapshotCheck : uint8_t {
    usable,
    useless,  // The base did not arrive. Ack the packet; the snapshot has no effect.
    refused,  // Do not ack the packet.
    malformed // Breaks the format.
};

namespace snapshots {

void place(flat::Builder &builder, Snapshots &s, const TypeTable &types, uint32_t slot_count,
           uint32_t peer_count);
void place(flat::Builder &builder, SnapshotScratch &scratch, const TypeTable &types);

// An upper bound of the bytes that received states take, from `peer_count` peers. `types` must have
// passed type_table::problem().
uint64_t received_bytes_max(std::span<const Type> types, uint32_t peer_count);

// --- The sender ---
// Call both begin() before the first write() at a tick. `changed` has a bit for each slot that
// changed since the last call; the world has the values of this tick.
void begin(Snapshots &s, const World &world, const TypeTable &types, PeerId self,
           std::span<const uint64_t> changed);
void begin(SnapshotScratch &scratch);
void forget_object(Snapshots &s, ObjectSlot slot);
void forget_peer(Snapshots &s, uint32_t peer);
// Whether the object goes by snapshot: write() sends it now, or as soon as there is room. UPDATE
// messages then leave it out.
bool takes(const Snapshots &s, uint32_t peer, ObjectSlot slot);
// Writes a snapshot to `buffer` and returns its size in bytes; 0: there is nothing to send, or
// nothing fits. It carries the objects that differ from their state in the lineage, whose
// announcement the peer has acked and whose wait has reached their priority's interval, at most
// inputs.carried_max. If not all fit, those with the longest wait go first. scratch.carried lists
// them afterwards; even if the result is 0, scratch.same and scratch.stray are set.
size_t write(Snapshots &s, SnapshotScratch &scratch, const World &world, uint32_t peer,
             const SnapshotInputs &inputs, std::span<std::byte> buffer);
uint32_t last_number(const Snapshots &s, uint32_t peer); // The number of the last one written.
void on_packet_outcome(Snapshots &s, uint32_t peer, uint32_t number, bool acked);
DecodeState decode_state_of(const Snapshots &s, uint32_t peer, uint32_t number);
void lose_all(Snapshots &s, uint32_t peer); // All snapshots in flight count as lost.

// --- The receiver ---
// Decodes a message without effect on the world. If the packet is accepted, receive() of the same
// message must follow before the next check().
SnapshotCheck check(Snapshots &s, SnapshotScratch &scratch, const TypeTable &types, uint32_t peer,
                    std::span<const std::byte> message);
// Takes the snapshot into the lineage. False: there is nothing to apply, because the snapshot has
// no effect or is not the one that check() decoded last.
bool receive(Snapshots &s, const SnapshotScratch &scratch, uint32_t peer,
             std::span<const std::byte> message);
const uint32_t *words(const Snapshots &s, uint32_t peer, uint32_t number, uint16_t entry);

}
}
