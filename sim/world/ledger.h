// The truth about a run: which peer created, was granted, wrote and destroyed which object. Each
// act is recorded in the tick of the peer that does it, before it can reach any other peer. The
// oracles compare the state of all peers with this record.
#pragma once
#include "sim/world/simulation_types.h"
#include <map>
#include <set>

namespace tern {

// The effect of one tick on one object at one peer. A Change in which a slot passes from one object
// to another makes two Steps.
struct Step {
    ObjectId object;
    KnownObject before, after; // Zero: the peer does not know the object.
    bool value_changed;
    Written value; // The value after the tick, if the object is alive.
};

// The value that an owner had at the end of a tick in which it began its tenure or wrote.
struct OwnerWrite {
    uint64_t us; // World time.
    uint64_t print;
    uint32_t tick;     // The owner's tick.
    uint32_t sequence; // 0: the tenure began with the value.
    float position[3];
};

struct Tenure {
    Stamp stamp;
    PeerId owner;    // The peer that first held the object as its owner with this stamp.
    uint64_t base;   // Print of the value with which the tenure began. 0: the owner wrote at once.
    Written began;   // That value.
    uint32_t newest; // Sequence of the owner's last write.
    // For each sequence, the print of the owner's value at the end of a tick. 0: no tick ended
    // with it.
    std::vector<uint64_t> written;
    // Prints of earlier values with a sequence that was used again: a nudge does not count it up.
    std::set<uint64_t> nudged;
    std::vector<OwnerWrite> writes; // In the order of ticks.
    // The owner's last tick with a write. Two writes of one tick may leave the value as it was.
    uint32_t last_tick;
};

struct ObjectRecord { // One object, from its creation on.
    bool created;
    TypeId type;
    // The peer whose game destroyed the object, or the host that did so because of the type's
    // policy for orphans. none: it was not destroyed.
    PeerId destroyed_by;
    // In the order in which the owners began them, which need not be the order of stamps.
    std::vector<Tenure> tenures;
};

struct GrantRecord {
    PeerId owner;
    PeerId second_owner; // The owner of another grant with the same stamp. none: there is none.
    std::vector<ObjectId> objects;
};

struct HostLog {
    std::vector<std::pair<Stamp, PeerId>> pool; // The grants of Granting::all after its last tick.
};

struct Ledger {
    std::vector<std::vector<ObjectRecord>> objects; // Indexed by creator and serial.
    std::map<Stamp, GrantRecord> grants;
    std::vector<Stamp> order_of_grants; // In the order in which the hosts made them.
    std::map<uint16_t, HostLog> hosts;  // Indexed by node.
    // The replicated value of an object when its owner had received the grant of this stamp and its
    // game had not acted yet.
    std::map<std::pair<ObjectId, Stamp>, Written> firsts;
    uint64_t now_us; // World time of the present tick.
    size_t object_count;
};

namespace ledger {

struct Steps { // The steps of one Change: one or two, or none of an empty Change.
    Step steps[2];
    size_t count;
};
Steps steps(const Change &change);

// A hash of the value; never 0.
uint64_t print(const Written &value);

const ObjectRecord *find(const Ledger &ledger, ObjectId object); // Null: it was never created.
const Tenure *tenure(const ObjectRecord &record, Stamp stamp);   // Null: no owner has begun it.

// Records the grants that a host has made in its last tick: the new ones in Granting::all.
void record_grants(Ledger &ledger, uint16_t node, const Replica &host);
void granted(Ledger &ledger, Stamp stamp, PeerId owner, std::span<const ObjectId> objects);
// Records what the peer itself did in this step. Call it before any oracle checks the step.
void record(Ledger &ledger, PeerId self, PeerId host, const Step &step);

}
}
