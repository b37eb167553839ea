// Snapshots: updates of predicted types, coded against states that the receiver has or that are
// still in flight to it. Format: docs/wire_format.md, "SNAPSHOT"; design: docs/decisions.md,
// "Snapshots".
//
// An object of a predicted type has an entry, a number that sender and receiver share. 64 entries
// are a group. A snapshot carries values of one group at one tick. It names its baseline, an
// earlier snapshot of the group called its base, and so has a lineage: the base, the base of that,
// and so on. As of a snapshot, an object has the state that the newest carrier among the snapshot
// and its lineage gave it. The lineage alone determines that state, whatever else has arrived, so
// both sides code an object against the same states.
//
// A message carries the snapshots of several groups. All messages of a tick have the same number,
// and none of them is built on another one; only a group that does not fit in one message goes on
// under a new number.
//
// A base that is known to be lost, or whose own base is, is never named again. A message that is
// built on it is acked without effect; both sides know, each by itself, that it does not count.
#pragma once
#include "replication/sampling/motion.h"
#include "replication/update/acked_state.h"
#include "replication/world/world.h"
#include "tern/limits.hpp"

namespace tern {

inline constexpr uint32_t snapshots_kept = 64;
// The largest distance, in numbers, from a snapshot back to any state that it is coded against.
inline constexpr uint32_t snapshot_reach = 56;
// Objects of one owner; further ones are sent as UPDATE.
inline constexpr uint32_t snapshot_entries_max = 1024;
inline constexpr uint32_t group_entries = 64;
inline constexpr uint32_t groups_max = snapshot_entries_max / group_entries;
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

struct Snapshot { // A snapshot belongs to one group. Number 0: none.
    uint32_t number;
    uint32_t base; // 0: none; every object is then sent whole.
    uint32_t tick;
    DecodeState decode_state;
    uint8_t zero[3];     // Explicit padding: the block is hashed.
    uint32_t send_index; // Only at the sender: SnapshotPeer::send_index of its tick.
    uint32_t groups;     // Only at the sender: a bit for each group in its message.
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
    bool ended;  // The entry is reused only when no snapshot can mean the old object any more.
    uint8_t gap; // Ticks between the last two changes, at most 255.
    uint8_t zero[4];
};

inline constexpr uint32_t loss_one = 1u << 24;

// A message, as the sender remembers it.
struct SentMessage {
    uint32_t number;
    uint32_t groups; // A bit for each group in it.
};

struct SnapshotPeer { // State of the exchange with one peer, both directions.
    uint32_t sent_number, got_number;
    uint32_t sent_groups;    // A bit for each group of the last message.
    uint32_t sent_tick;      // The tick of the last message.
    uint32_t send_index;     // The count of ticks with a message, that one included.
    uint32_t loss;           // Running mean of lost messages, in 1/loss_one; 0 before the first.
    uint32_t reordered;      // Running mean of messages that were acked after a later one.
    uint32_t arrived_number; // The highest number that was acked.
    uint32_t settled_number; // No snapshot up to this one is in_flight or arrived.
    uint32_t planned_tick;   // The last tick with a plan.
    uint32_t carried_count;  // The objects that went in that tick,
    uint32_t unsent_count;   // and those of the plan that did not.
    uint32_t carried_before; // The objects that went in the tick of the plan before.
    uint32_t was_short;      // Not 0: objects of the plan before had no room.
    uint32_t next_group;     // The first group that had no room in that tick.
    // A bit for each group that only an acked base may serve while none is acked. UPDATEs carry its
    // objects meanwhile.
    uint32_t awaits_ack;
};

struct ReceivedEntry {
    ObjectId id;
    Stamp stamp;
    TypeId type;
    uint16_t zero;
    uint32_t named; // The snapshot that gave the entry to this object.
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
    uint32_t group_count;  // Groups for each peer.
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
    // --- The sender's, for each peer and group: [stream * snapshots_kept + number %
    // snapshots_kept]; see stream_of() ---
    Flat<Snapshot> sent;
    // --- The sender's, for each peer: [(peer * snapshots_kept + number % snapshots_kept) *
    // entry_count + entry] ---
    Flat<EntryPresence> sent_presences;
    // The change that the entry's state in this snapshot has; with change_lost if it is not kept.
    Flat<uint16_t> sent_changes;

    // --- The receiver's, indexed in the same way ---
    Flat<ReceivedEntry> got_entries; // [peer * entry_count + entry]
    Flat<Snapshot> got;
    Flat<uint32_t> got_renamed; // [stream]: the newest one that gave an entry to another object.
    Flat<EntryPresence> got_presences;
    Flat<uint32_t> got_words; // [... * word_count]
};

inline constexpr uint16_t change_lost = 0x8000;
inline constexpr size_t snapshot_bytes_max = datagram_bytes_max;
inline constexpr size_t snapshot_codes_max = 32;

inline constexpr uint32_t trail_max = 24;

// The ancestors that a snapshot is coded against: the base, the next one behind it, and the first
// two that lie at least 2 and 4 times as many ticks behind the base as that one does.
struct Lineage {
    uint32_t numbers[history_max];
    uint32_t ages[history_max];  // In ticks, from the snapshot back.
    uint8_t depths[history_max]; // The depth that an entry needs in the base to have a
                                 // state there.
    uint32_t count;
    bool is_kept; // False: an ancestor is no longer kept, and the rest means nothing.
    Horizon horizons[history_max]; // horizons[i] has i + 1 states.
    // All ancestors, the base first, to find the states of entries that are carried rarely. Filled
    // only if the table has types whose states may repeat.
    uint32_t trail[trail_max], trail_ages[trail_max];
    uint32_t trail_count;
};

// The publisher's knowledge of a peer; each span is indexed by slot.
struct SnapshotInputs {
    std::span<const AckedState> acked_states;
    std::span<const Interest> interests; // Empty: the game has set no priorities.
    std::span<const uint64_t> due;       // A bit for each slot.
    uint32_t carried_max;
    uint32_t peer;
};

// A group in the plan of a tick.
struct PlanGroup {
    uint32_t group, base;
    uint32_t first, count;  // Its items, in SnapshotScratch::plan.
    uint32_t carried_count; // Items with item_carried. A group without any is not sent.
    Lineage lineage;
};

// A group of a body that was encoded in this send. Peers that need equal ones get a copy.
struct CodedGroup {
    uint32_t group, base_distance; // 0: without a base.
    uint32_t ages[history_max], age_count;
    uint32_t first, count; // In SnapshotScratch::cached.
};

struct SnapshotCode {
    uint32_t first, count; // In SnapshotScratch::coded_groups.
    uint32_t carried_count;
    uint32_t room_bytes; // The room that there was for the body.
    uint32_t size_bytes;
    std::byte bytes[snapshot_bytes_max];
};

// The results of check(), kept for receive().
struct ReadSnapshot {
    uint32_t peer, tick;
    uint32_t number; // 0: there are none, or receive() has taken them.
    uint32_t message_bytes;
    uint32_t first, last; // The groups that the message may have,
    uint32_t groups;      // and a bit for each one that it has.
    DecodeState decode_state;
    uint32_t missing_group; // If useless: a group whose base did not arrive.
    uint32_t bases[groups_max];
};

// Working memory, not part of the hashed state.
struct SnapshotScratch {
    uint32_t planned_peer, planned_tick; // The plan is for this peer and tick. Tick 0: none.
    uint32_t planned_number;
    uint32_t next;   // The first group of the plan that is still to be sent.
    bool is_limited; // Objects were cut off the plan.
    Flat<PlanGroup> groups;
    Flat<PlanItem> plan;
    Flat<uint16_t> plan_bits; // Bits that each item of the plan took.
    Flat<uint64_t> plan_urgency;
    Flat<uint64_t> carried_urgency;
    Flat<SnapshotCode> codes;
    Flat<CodedGroup> coded_groups;
    Flat<PlanItem> cached;
    Flat<uint16_t> cached_bits;
    // The objects that the last write() sent, and the bits that each took.
    Flat<ObjectSlot> carried;
    Flat<uint16_t> carried_bits;
    // Objects that are due, but whose present state the lineage has already sent.
    Flat<ObjectSlot> same;
    // Like `same`, but another chain or an UPDATE has sent another state since. These objects need
    // an UPDATE.
    Flat<ObjectSlot> stray;
    Flat<ReceivedEntry> read_entries; // The objects that the message carries.
    Flat<uint16_t> read_numbers;
    Flat<uint16_t> read_bits;
    Flat<std::byte> read_values; // Their structs, [i * value_bytes].
    uint32_t value_bytes;        // The size of the largest struct.
    ReadSnapshot read;
};

// One object of a snapshot that has arrived.
struct CarriedObject {
    const ReceivedEntry &entry;
    uint32_t tick;
    uint32_t bit_count;
    const std::byte *value; // Its struct.
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
// Writes a message to `buffer` and returns its size in bytes; 0: there is nothing to send, or
// nothing fits. It carries the objects that differ from their state in the lineage, whose
// announcement the peer has acked and whose wait has reached their priority's interval, at most
// inputs.carried_max, group by group. If a tick had no room for all, those with the longest wait go
// first in the next one. scratch.carried lists them afterwards; even if the result is 0,
// scratch.same and scratch.stray are set.
size_t write(Snapshots &s, SnapshotScratch &scratch, const World &world,
             const SnapshotInputs &inputs, std::span<std::byte> buffer);
SentMessage last_message(const Snapshots &s, uint32_t peer); // The last one written.
void on_packet_outcome(Snapshots &s, uint32_t peer, SentMessage message, bool acked);
DecodeState decode_state_of(Snapshots &s, uint32_t peer, SentMessage message);
void lose_all(Snapshots &s, uint32_t peer); // All snapshots in flight count as lost.

// --- The receiver ---
// Decodes a message without effect on the world. If the packet is accepted, receive() must follow
// before the next check().
SnapshotCheck check(Snapshots &s, SnapshotScratch &scratch, const TypeTable &types, uint32_t peer,
                    std::span<const std::byte> message);
// Takes the snapshot that check() has decoded into the lineage. False: there is nothing to apply,
// because it has no effect.
bool receive(Snapshots &s, SnapshotScratch &scratch, uint32_t peer);
// Object i of the message that check() decoded last.
inline CarriedObject carried_object(const SnapshotScratch &scratch, uint32_t i)
{
    return {scratch.read_entries[i], scratch.read.tick, scratch.read_bits[i],
            scratch.read_values.begin() + size_t{i} * scratch.value_bytes};
}

}
}
