// Whole sessions over the network of tern/sim.hpp, which tick together; the caller plays their
// games. Measurements use a group, because the faults and oracles of a Simulation would disturb
// them. A run depends on the seed alone.
#pragma once
#include "base/random.h"
#include "session/inspect.h"
#include "tern/sim.hpp"
#include "tern/tern.hpp"
#include <vector>

namespace tern {

struct GroupMember { // A place in the network. One peer may follow another there.
    Address address;
    Socket *socket;                // Belongs to the network.
    Session *session;              // Null: the place is free.
    std::span<const Event> events; // The events of the last receive().
};

struct Group {
    Config config = {};
    SimNetwork *network = nullptr;
    Random random = {};
    uint64_t now_us = 0;
    uint64_t tick_us = 0;
    std::vector<GroupMember> members; // Indexed by place. The first one starts the session.

    Group() = default;
    Group(const Group &) = delete;
    Group &operator=(const Group &) = delete;
    ~Group(); // Destroys the sessions and the network.
};

struct GroupOptions {
    Config config; // config.types must outlive the group.
    Impairment impairment;
    uint64_t seed;
    uint64_t tick_us;
};

namespace group {

void make(Group &group, const GroupOptions &options);
// Adds a peer at a free place or a new one. It joins through an open member; if there is none, it
// starts the session. Returns the place.
size_t enter(Group &group);
void end(Group &group, size_t place); // Destroys the session without a goodbye, as in a crash.
// A tick of all members is receive(), then the caller's games, then send().
void receive(Group &group); // Advances the time by tick_us.
void send(Group &group);
bool is_open(const Group &group, size_t place);
size_t open_count(const Group &group);
// True if all sessions are open and have the same view, equal worlds and equal tombstones, and no
// message, claim or departure is pending between them.
bool at_rest(const Group &group);

}
}
