// The history of a run, for people. The explorer, the simulator and the player of recordings write
// it; picture.h draws it.
#pragma once
#include "migration/replica.h"
#include <string>
#include <vector>

namespace tern {

enum class MomentKind : uint8_t {
    said,  // lane sent a message to `other`. The message received has the same link.
    heard, // lane received a message from `other`. Without this moment, it is lost or in flight.
    // lane's state of object has changed. It is alive with owner and stamp, or dead, or (if
    // neither) unknown.
    object,
    act,     // lane's game did something, which label describes.
    doubled, // The message `link` from lane to `other` was duplicated. link 0: some datagram was.
    lost,    // The message `link` from lane to `other` was lost. link 0: some datagram was.
    crashed,
    started, // A new peer starts in this lane; label describes it.
    left,
    paused,
    resumed,
    cut,    // From now on no datagram gets from lane to `other`.
    healed, // From now on datagrams get from lane to `other` again.
    violation
};

struct Moment {
    uint64_t time_us; // The explorer uses 1000 times the number of the move.
    MomentKind kind;
    MessageKind message; // Used by said and heard. none: an UPDATE.
    bool alive, dead;    // Used by object.
    bool ignored;        // Used by heard: the message changed nothing.
    uint16_t lane, other;
    PeerId owner;    // Used by object: its owner. Else the peer in the lane; none: not known.
    uint64_t link;   // Pairs said and heard, and is unique otherwise.
    ObjectId object; // none for a message that is about no object.
    Stamp stamp;
    std::string label; // Used by act, started, crashed, left, violation ("I3: what is wrong").
};

struct History {
    std::string title;
    std::vector<std::string> lanes; // Names such as "1 host".
    std::vector<PeerId> peers;      // For each lane its first peer. none: the lane is empty.
    std::vector<Moment> moments;    // In order of time, except that a writer may know ends early.
    bool steps;                     // Time counts moves, and is drawn as such.
};

// An invariant that does not hold.
struct Violation {
    std::string invariant; // A name from docs/testing.md, such as "I3". Empty: no violation.
    std::string text;      // The peers, objects and values, for people.
    ObjectId object = ObjectId::none;
    uint16_t lane = 0;
    explicit operator bool() const { return !invariant.empty(); }
};

}
