// Snapshots: UPDATEs of types that are predicted, coded against states that the receiver has, also
// such as are still on their way to it. Format: docs/wire_format.md, "SNAPSHOT"; why it is so:
// docs/decisions.md, "Snapshots".
//
// A snapshot tells values of one tick. It names its base, an earlier one, and so has a lineage: the
// base, the base of that, and so on. What an object looks like as of a snapshot is what the newest
// of its lineage says that tells of it. Both sides know that of each snapshot by its lineage alone,
// whatever else has arrived, and so code an object against its states as of the lineage.
//
// A base that is known to be lost, or that was built on such a one, is never named again. What is
// built on it arrives in vain: it is acked like everything else, and both sides know, each by
// itself, that it did not count.
#pragma once
#include "replication/sampling/motion.h"
#include "replication/update/published.h"
#include "replication/world/world.h"

namespace tern {

inline constexpr uint32_t snapshots_kept = 64;
// By how many numbers what a snapshot is coded against may lie behind it.
inline constexpr uint32_t snapshot_reach = 56;
inline constexpr uint32_t snapshot_entries_max = 1024; // Objects of one owner; others: UPDATE.
inline constexpr uint32_t snapshot_base_ticks_max = 16384;
inline constexpr uint32_t snapshot_tick_far = 7; // In the head: the tick follows whole.

enum class SnapshotFate : uint8_t {
    none,
    in_flight,
    arrived, // Its base is still in flight.
    usable,
    useless // Lost, or built on such a one; at the receiver: given up, as what builds on it was.
};

struct Snapshot { // 0: none.
    uint32_t number;
    uint32_t base; // 0: none; then all is told whole.
    uint32_t tick;
    SnapshotFate fate;
    uint8_t zero[3]; // No padding: the block is hashed.
    uint32_t turn;   // Of what is sent: at how many ticks something was told, this one among them.
};

// What a snapshot says of one entry: in so many states of its lineage it is told in a row, and
// whether in itself; in so many more it is among those that are listed.
struct EntryMark {
    uint8_t bits;
};
inline constexpr uint8_t mark_depth = 31, mark_told = 32, mark_listed = 192;

// An own object. Entries are numbers that sender and receiver use instead of ids.
struct SentEntry {
    ObjectId id;
    Stamp stamp;
    Slot slot;
    uint32_t tick; // Of its last change, or of its end.
    TypeId type;
    bool ended; // Its number waits until nobody can mean it any more.
    uint8_t zero[5];
};

inline constexpr uint32_t loss_one = 1u << 24;

struct SnapshotPeer { // To one peer, and from it.
    uint32_t sent_number, got_number;
    uint32_t loss;           // Of snapshots, of loss_one: a running mean. 0: nothing is known.
    uint32_t arrived_number; // The newest that was told to have arrived.
    uint32_t was_cut;        // Not 0: the last one had no room for all that was to be told.
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
    uint8_t states;      // Of its history; 0: told whole.
    uint8_t listed_told; // And the presence class, from bit 2 on.
    uint16_t changes[history_max];
    uint16_t ages[history_max]; // Of what may repeat.
};
inline constexpr uint8_t item_listed = 1, item_told = 2;

struct Snapshots {             // Open to publish.
    uint32_t entry_count;      // Of each peer.
    uint32_t word_count;       // Of the largest state.
    uint32_t entries_used;     // Numbers that were ever used.
    uint32_t tick;             // Of the last begin().
    uint32_t full_tick;        // The last at which no number was free for an object.
    uint32_t trail_count;      // Of a lineage; 0: no state repeats.
    Flat<StateLayout> layouts; // By type. Constant.
    Flat<SnapshotPeer> peers;

    // The owner's, of all peers together.
    Flat<SentEntry> entries;
    Flat<uint16_t> entry_of; // By slot: entry + 1.
    Flat<uint64_t> active;   // Entries that changed lately.
    Flat<uint16_t> change;   // By entry: number of its last change, 15 bits.
    Flat<uint32_t> changes;  // [(entry * snapshots_kept + change) * word_count]
    // [peer * kept + number], and [that * entry_count + entry].
    Flat<Snapshot> sent;
    Flat<EntryMark> sent_marks;
    Flat<uint16_t> sent_changes; // Which change it was told as of. change_lost: it is gone.

    // The receiver's.
    Flat<ReceivedEntry> got_entries; // [peer * entry_count + entry]
    Flat<Snapshot> got;
    Flat<EntryMark> got_marks;
    Flat<uint32_t> got_words; // [... * word_count]
};

inline constexpr uint16_t change_lost = 0x8000;
inline constexpr size_t snapshot_bytes_max = datagram_bytes_max;
inline constexpr size_t snapshot_codes_max = 8;

// What the publisher knows of a peer, by slot.
struct SnapshotWish {
    std::span<const Published> published;
    std::span<const Interest> interests; // Empty: none.
    std::span<const uint64_t> due;       // A bit each.
    uint32_t told_max;
};

// What was written in this send, for peers that need the same.
struct SnapshotCode {
    uint32_t ages[history_max], age_count;
    uint32_t first, count; // Of the plan, in SnapshotScratch::cached.
    uint32_t size_bytes;
    std::byte bytes[snapshot_bytes_max];
};

// Not state.
struct SnapshotScratch {
    Flat<PlanItem> plan;
    Flat<PlanItem> cached;
    Flat<SnapshotCode> codes;
    Flat<uint16_t> plan_bits; // What each took.
    Flat<uint64_t> plan_urgency;
    Flat<uint64_t> told_urgency;
    Flat<uint16_t> cached_bits;
    Flat<Slot> told; // The objects of the last write(), and what they took.
    Flat<uint16_t> told_bits;
    Flat<Slot> same;  // Those that are due, but its lineage has said it.
    Flat<Slot> stray; // The same; but since then they were told otherwise. An UPDATE's to say.
    // What check() has read, until receive().
    Flat<ReceivedEntry> read_entries; // Of what is told.
    Flat<uint16_t> read_numbers;
    Flat<uint16_t> read_bits;
    Snapshot read;
    uint32_t read_peer;
};

enum class SnapshotCheck : uint8_t {
    usable,
    useless,  // Its base never came. It counts as arrived, and says nothing.
    refused,  // It must not count as arrived.
    malformed // Against the format.
};

namespace snapshots {

void place(flat::Builder &builder, Snapshots &s, const TypeTable &types, uint32_t slot_count,
           uint32_t peer_count);
void place(flat::Builder &builder, SnapshotScratch &scratch, const TypeTable &types);

// What a receiver keeps of all others, of any type table that type_table::problem() takes.
uint64_t received_bytes_max(std::span<const Type> types, uint32_t peer_count);

// --- The owner ---
// Both before the first write() at a tick. What has changed since the last, a bit for each slot,
// has its values of this tick.
void begin(Snapshots &s, const World &world, const TypeTable &types, PeerId self,
           std::span<const uint64_t> changed);
void begin(SnapshotScratch &scratch);
void forget_object(Snapshots &s, Slot slot);
void forget_peer(Snapshots &s, uint32_t peer);
// Whether write() tells of it, now or as soon as there is room.
bool takes(const Snapshots &s, Slot slot);
// A snapshot of objects that have changed since what it is coded against, as many as fit, but at
// most wish.told_max; of those that the peer has been announced, and whose turn it is; those that
// have waited longest first. 0: nothing to say. scratch.told, same and stray say of what.
size_t write(Snapshots &s, SnapshotScratch &scratch, const World &world, uint32_t peer,
             const SnapshotWish &wish, std::span<std::byte> buffer);
uint32_t last_number(const Snapshots &s, uint32_t peer); // Of the last that was written.
void fate(Snapshots &s, uint32_t peer, uint32_t number, bool arrived);
SnapshotFate fate_of(const Snapshots &s, uint32_t peer, uint32_t number);
void lose_all(Snapshots &s, uint32_t peer); // All that is in flight.

// --- The receiver ---
// Reads it; receive() of the same message then takes it.
SnapshotCheck check(Snapshots &s, SnapshotScratch &scratch, const TypeTable &types, uint32_t peer,
                    std::span<const std::byte> message);
// False: there is nothing to apply; or it was not the last that check() has read.
bool receive(Snapshots &s, const SnapshotScratch &scratch, uint32_t peer,
             std::span<const std::byte> message);
const uint32_t *words(const Snapshots &s, uint32_t peer, uint32_t number, uint16_t entry);

}
}
