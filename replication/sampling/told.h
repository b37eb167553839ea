// The last states that the owners of others' objects told, and when: what sample() shows between
// and beyond them. Of types that are predicted or have a bounded field. Not state of the protocol.
#pragma once
#include "replication/world/world.h"

namespace tern {

inline constexpr uint32_t told_kept = 16; // Of an object.

struct ToldStates { // Of one tenure of one object: told_kept, as a ring.
    ObjectId id;
    Stamp stamp;
    uint32_t first, count;
};

struct HeardTick { // A tick of an owner's, and when it was heard of here.
    uint64_t us;
    uint32_t tick;
};

// Which local time a tick of an owner's is: when it was heard of, had it come as fast as the
// fastest. Of what was heard in the last seconds those are kept that none below lies between: the
// lower hull, whose longest side is the line from ticks to times.
inline constexpr uint32_t hull_max = 32; // Full: the oldest goes.
inline constexpr uint64_t hull_us = 8'000'000;

struct OwnerClock {
    PeerId owner;
    uint32_t count;
    HeardTick hull[hull_max];
};

struct Told {                // Open to migration.
    uint32_t size_bytes;     // Of the largest struct.
    Flat<ToldStates> states; // By slot.
    Flat<uint32_t> ticks;    // [slot * told_kept + ...]
    Flat<std::byte> values;  // [... * size_bytes]
    Flat<OwnerClock> clocks; // By member slot.
};

namespace told {

void place(flat::Builder &builder, Told &t, const TypeTable &types, uint32_t slot_count,
           uint32_t peer_count);
bool keeps(const Type &type);
// After the owner, in member slot `member`, has told the value that the world now has.
void note(Told &t, const World &world, const TypeTable &types, Slot slot, uint32_t member,
          uint64_t now_us);
void hear(OwnerClock &clock, uint32_t tick, uint64_t now_us);
// The tick that an owner has at a local time; 0: nothing is known.
double tick_at(const OwnerClock &clock, uint64_t at_us);
// The struct as of a tick. False: nothing was told in this tenure, as far as is kept.
bool state_at(const Told &t, const World &world, const TypeTable &types, Slot slot, double tick,
              void *value);

}
}
