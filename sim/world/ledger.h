// What the games and the host of a run have truly done: who made, was granted, wrote and destroyed
// what. Filled from each peer's own ticks, before anybody else can have heard of it; the oracles
// hold against it what others believe.
#pragma once
#include "sim/world/simulation_types.h"
#include <map>
#include <set>

namespace tern {

// What one tick did to one object at one peer. A Change whose slot has passed from one object to
// another is two of them.
struct Step {
    ObjectId object;
    Object before, after; // Zero: not there.
    bool value_changed;
    Written value; // After; if alive.
};

struct Tenure {
    Stamp stamp;
    PeerId owner;    // As the owner itself first said.
    uint64_t base;   // Of the value with which it began. 0: it wrote in its first tick.
    Written began;   // That value.
    uint32_t newest; // Sequence of the owner's last write.
    // Of the owner's values at the ends of its ticks, by sequence. 0: not shown.
    std::vector<uint64_t> written;
    std::set<uint64_t> nudged; // Those that had the number of the next one.
};

struct ObjectRecord { // Of one object, since its creator made it.
    bool created;
    TypeId type;
    PeerId destroyed_by;         // Whose game did, or the host by the type's policy.
    std::vector<Tenure> tenures; // As their owners began them; not always with rising stamps.
};

struct GrantRecord {
    PeerId owner;
    PeerId second_owner; // Another grant had the same stamp. none: no.
    std::vector<ObjectId> objects;
};

struct HostLog {
    std::vector<std::pair<Stamp, PeerId>> pool; // As last seen, by index.
};

struct Ledger {
    std::vector<std::vector<ObjectRecord>> objects; // By creator and serial.
    std::map<Stamp, GrantRecord> grants;
    std::vector<Stamp> order_of_grants; // As the hosts gave them.
    std::map<uint16_t, HostLog> hosts;  // By node.
    size_t object_count;
};

namespace ledger {

// Of a Change, one or two.
struct Steps {
    Step steps[2];
    size_t count;
};
Steps steps(const Change &change);

// Of a value; never 0.
uint64_t print(const Written &value);

const ObjectRecord *find(const Ledger &ledger, ObjectId object); // Null: nobody has made it.
const Tenure *tenure(const ObjectRecord &record, Stamp stamp);   // Null: no owner has begun it.

// The host's grants: what is in its pool after its tick.
void record_grants(Ledger &ledger, uint16_t node, const Replica &host);
void granted(Ledger &ledger, Stamp stamp, PeerId owner, std::span<const ObjectId> objects);
// What the peer itself did in this step. To be called before anything else looks at it.
void record(Ledger &ledger, PeerId self, PeerId host, const Step &step);

}
}
