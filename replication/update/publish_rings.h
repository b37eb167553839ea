// Access to the tables of a Publisher, for the files of publish: what a peer has acked, what is due
// to it, and the rings of what is in flight.
#pragma once
#include "replication/update/publish.h"
#include <algorithm>
#include <bit>

namespace tern::publish {

inline uint32_t words(uint32_t slot_count)
{
    return (slot_count + 63) / 64;
}

inline AckedState &acked_state_at(Publisher &p, uint32_t peer, ObjectSlot slot)
{
    return p.acked_states[size_t{peer} * p.slot_count + slot];
}

inline Interest &interest_at(Publisher &p, uint32_t peer, ObjectSlot slot)
{
    return p.interests[size_t{peer} * p.slot_count + slot];
}

inline uint64_t &due_word(Publisher &p, uint32_t peer, ObjectSlot slot)
{
    return p.due[size_t{peer} * words(p.slot_count) + slot / 64];
}

inline void set_due(Publisher &p, uint32_t peer, ObjectSlot slot)
{
    uint64_t &word = due_word(p, peer, slot);
    p.rings[peer].due_count += (word >> slot % 64 & 1) == 0;
    word |= uint64_t{1} << slot % 64;
}

inline void clear_due(Publisher &p, uint32_t peer, ObjectSlot slot)
{
    uint64_t &word = due_word(p, peer, slot);
    p.rings[peer].due_count -= (word >> slot % 64 & 1) != 0;
    word &= ~(uint64_t{1} << slot % 64);
}

// Up to 64 words of which some are zero, and the places of those that are not.
struct NonzeroWords {
    uint32_t count;
    uint8_t places[64];
};

// Without a branch for each word: where few objects change, none would be predicted.
inline NonzeroWords nonzero_words(std::span<const uint64_t> words)
{
    NonzeroWords found;
    found.count = 0;
    for (size_t i = 0; i < words.size(); ++i) {
        found.places[found.count] = static_cast<uint8_t>(i);
        found.count += words[i] != 0;
    }
    return found;
}

// The first due slot at or after `from`; slot_count: none.
inline ObjectSlot next_due(const Publisher &p, uint32_t peer, ObjectSlot from)
{
    const size_t first_word = size_t{peer} * words(p.slot_count);
    for (uint32_t i = from / 64; i < words(p.slot_count); ++i) {
        uint64_t word = p.due[first_word + i];
        if (i == from / 64) word &= ~uint64_t{0} << from % 64;
        if (word != 0) return i * 64 + static_cast<uint32_t>(std::countr_zero(word));
    }
    return p.slot_count;
}

inline bool is_own(const Publisher &p, const KnownObject &object)
{
    return p.ticks == Ticks::one || static_cast<uint32_t>(object.owner) == p.self;
}

// A mask of the fields that changed after the tick that the peer has acked.
uint64_t needed(const World &world, const TypeTable &types, ObjectSlot slot,
                const AckedState &acked_state);

// --- In flight ---

// place % max without a division; `place` must be less than 2 * max.
inline uint32_t in_ring(uint32_t place, uint32_t max)
{
    return place < max ? place : place - max;
}

inline SentUpdates &packet_at(Publisher &p, uint32_t peer, uint32_t i)
{
    const uint32_t place = in_ring(p.rings[peer].packet_first + i, p.packets_max);
    return p.sent_packets[size_t{peer} * p.packets_max + place];
}

inline SentRun &run_at(Publisher &p, uint32_t peer, uint32_t place)
{
    return p.sent_runs[size_t{peer} * p.runs_max + in_ring(place, p.runs_max)];
}

// The id of object i of the run.
inline ObjectId id_in(const SentRun &run, uint32_t i)
{
    return static_cast<ObjectId>(static_cast<uint64_t>(run.id) + i);
}

// Adds the object to the last run if it continues it, else begins a run. `message_runs`: the runs
// of this message so far.
inline void remember_object(const PublishTo &to, ObjectSlot slot, uint32_t tick,
                            uint32_t &message_runs)
{
    Publisher &p = to.p;
    const uint32_t peer = to.peer;
    const KnownObject &object = to.world.slots[slot];
    PeerRing &ring = p.rings[peer];
    if (message_runs > 0) {
        SentRun &last = run_at(p, peer, ring.run_first + ring.run_count - 1);
        if (slot == last.slot + last.count && tick == last.tick && object.stamp == last.stamp &&
            object.id == id_in(last, last.count)) {
            last.count += 1;
            return;
        }
    }
    run_at(p, peer, ring.run_first + ring.run_count) = {object.id, object.stamp, slot, tick, 1, 0};
    ring.run_count += 1;
    message_runs += 1;
}

inline void remember_packet(const PublishTo &to, uint64_t packet, uint32_t run_count,
                            SentMessage snapshot)
{
    Publisher &p = to.p;
    const uint32_t peer = to.peer;
    PeerRing &ring = p.rings[peer];
    TERN_ASSERT(ring.packet_count == 0 ||
                    packet >= packet_at(p, peer, ring.packet_count - 1).packet,
                "packet %llu is not a new one", static_cast<unsigned long long>(packet));
    const uint32_t first = in_ring(ring.run_first + ring.run_count - run_count, p.runs_max);
    packet_at(p, peer, ring.packet_count) = {packet, to.world.tick, first, run_count, snapshot, 0};
    ring.packet_count += 1;
}

}
