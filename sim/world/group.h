// Whole sessions over the pretend network that is installed, ticking together, with games of the
// caller's: for what is measured, where the faults and oracles of the simulation would be in the
// way. The same seed, the same run.
#pragma once
#include "base/random.h"
#include "session/inspect.h"
#include "tern/sim.h"
#include "tern/tern.h"
#include <vector>

namespace tern {

struct GroupMember { // A place in the network; its peer may go, and another come.
    Address address;
    Socket *socket;                // The network's.
    Session *session;              // Null: nobody.
    std::span<const Event> events; // Of the last receive().
};

struct Group {
    Config config = {};
    SimNetwork *network = nullptr;
    Random random = {};
    uint64_t now_us = 0;
    uint64_t tick_us = 0;
    std::vector<GroupMember> members; // By place; the first starts the session.

    Group() = default;
    Group(const Group &) = delete;
    Group &operator=(const Group &) = delete;
    ~Group(); // Ends all.
};

struct GroupOptions {
    Config config; // Its types live as long as the group.
    Impairment impairment;
    uint64_t seed;
    uint64_t tick_us;
};

namespace group {

void make(Group &group, const GroupOptions &options);
// A new peer in a new place, or where nobody is, joins through a member that is open. The place.
size_t enter(Group &group);
void end(Group &group, size_t place); // At once: of its session nothing is left.
// A tick of all is receive(), what their games do, send().
void receive(Group &group); // Time goes on by tick_us.
void send(Group &group);
bool is_open(const Group &group, size_t place);
size_t open_count(const Group &group);
// All are open and of one view, their worlds and memories of the dead are equal, and nothing is
// under way between them.
bool at_rest(const Group &group);

}
}
