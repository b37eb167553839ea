// What happened in a run, as far as a person wants to see it: the explorer, the simulator and the
// player of recordings write it, picture.h draws it.
#pragma once
#include "migration/replica.h"
#include <string>
#include <vector>

namespace tern {

enum class MomentKind : uint8_t {
    said,    // lane said a message to `other`; link pairs it with the one heard.
    heard,   // lane heard what `other` said. Said and not heard: it is lost, or still under way.
    object,  // What lane now believes of object: stamp, owner, alive; or dead; or neither: nothing.
    act,     // lane's game did something: label.
    doubled, // A datagram from lane to `other` was duplicated; with the link of a message: that.
    lost,    // A datagram from lane to `other` was lost; with the link of a message: that.
    crashed,
    started, // A new peer in this lane: label.
    left,
    paused,
    resumed,
    cut,    // From here on nothing gets from lane to `other`.
    healed, // ... and now it does.
    violation
};

struct Moment {
    uint64_t time_us; // Never goes back. Of the explorer: 1000 times the number of the move.
    MomentKind kind;
    MessageKind message; // said, heard. none: UPDATEs.
    bool alive, dead;    // object.
    bool ignored;        // heard: it changed nothing.
    uint16_t lane, other;
    PeerId owner;    // object. Of all others: who is in the lane, if that is known.
    uint64_t link;   // said, heard: equal in both, unique otherwise.
    ObjectId object; // said, heard: none if it is about no object.
    Stamp stamp;
    std::string label; // act, started, crashed, left, violation ("I3: what is wrong").
};

struct History {
    std::string title;
    std::vector<std::string> lanes; // Names, as "1 host".
    std::vector<PeerId> peers;      // By lane: who is there at first; none: nobody yet.
    std::vector<Moment> moments;    // In order of time; picture.h puts them in order.
    bool steps;                     // Time is a number of moves, and drawn as such.
};

// Something that may never be and is, or must be and is not.
struct Violation {
    std::string invariant; // As in docs/testing.md: "I3". Empty: none.
    std::string text;      // Peers, objects and values; for people.
    ObjectId object = ObjectId::none;
    uint16_t lane = 0;
    explicit operator bool() const { return !invariant.empty(); }
};

}
