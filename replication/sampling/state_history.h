// State history: the last states that arrived for each object of another owner, and an estimate of
// each owner's clock. sample() interpolates and extrapolates with both. Kept for predicted types
// and types with a bounded field. None of it is part of the hashed state.
#pragma once
#include "replication/world/world.h"

namespace tern {

inline constexpr uint32_t states_kept = 16; // States kept of each object.

struct StateRing { // The ring of states_kept states of one object in one tenure.
    ObjectId id;
    Stamp stamp;
    uint32_t first, count;
};

struct ClockSample { // An owner's tick, and the local time at which its update arrived.
    uint64_t us;
    uint32_t tick;
};

// The corners of the lower envelope of samples over (tick, arrival time). When full, the oldest is
// dropped.
inline constexpr uint32_t envelope_samples_max = 32;
struct ClockEnvelope {
    uint32_t count;
    ClockSample samples[envelope_samples_max];
};

// Estimates which tick an owner has at a local time, as seen through the fastest datagrams: the
// longest side of the envelope gives the rate and the offset. If even the fastest datagram of a
// window is further than clock_drift_us_max from that line, the owner has paused or jumped, and
// only the samples of that window count. So both are forgotten after two windows. While the owner
// sends no updates, a window lasts on: the estimate then stays wrong until 4 s after they go on.
// docs/decisions.md, "Error bounds".
inline constexpr uint64_t clock_window_us = 4'000'000;
inline constexpr double clock_drift_us_max = 4000;
struct OwnerClockEstimate {
    PeerId owner;
    ClockEnvelope envelope;
    ClockEnvelope window; // It holds the samples of the present window only.
};

struct StateHistory {                // Open to migration.
    uint32_t size_bytes;             // The largest struct of a type that is kept; 0: none is.
    Flat<bool> kept;                 // Indexed by type; empty if size_bytes is 0.
    Flat<StateRing> states;          // Indexed by slot.
    Flat<uint32_t> ticks;            // [slot * states_kept + ...]
    Flat<std::byte> values;          // [... * size_bytes]
    Flat<OwnerClockEstimate> clocks; // Indexed by member slot.
};

namespace state_history {

void place(flat::Builder &builder, StateHistory &t, const TypeTable &types, uint32_t slot_count,
           uint32_t peer_count);
inline bool keeps(const StateHistory &t, TypeId type)
{
    return t.size_bytes != 0 && t.kept[type];
}
// An update of an object's owner, who is in this member slot.
struct HeardUpdate {
    ObjectSlot slot;
    uint32_t member;
    uint64_t now_us;
};
// Stores the object's present value in the history. Call it after the update was applied to
// `world`.
void push(StateHistory &t, const World &world, const TypeTable &types, const HeardUpdate &heard);
void add_sample(OwnerClockEstimate &clock, uint32_t tick, uint64_t now_us);
// The owner's estimated tick at a local time, with a fraction; 0 before the first sample.
double tick_at(const OwnerClockEstimate &clock, uint64_t at_us);
// Writes the struct at a tick of its owner into `value`. Returns false, and leaves `value` alone,
// if no state of the present tenure is kept.
struct StatePlace {
    ObjectSlot slot;
    double tick;
};
bool state_at(const StateHistory &t, const World &world, const TypeTable &types,
              const StatePlace &place, void *value);

}
}
