// The history of a run: the explorer, the simulator and the player of recordings write it.
// history::json() writes it down for other tools, and picture.h draws it.
#pragma once
#include "migration/replica.h"
#include <string>
#include <vector>

namespace tern {

enum class MomentKind : uint8_t {
    said,    // lane sent a message to `other`; `heard` has the same link.
    heard,   // lane received a message from `other`.
    object,  // lane changed its belief about object. Neither alive nor dead: it knows nothing.
    act,     // lane's game did something; label describes it.
    doubled, // A datagram from lane to `other` was duplicated. link names a message in it.
    lost,    // A datagram from lane to `other` was lost. link names a message in it.
    crashed,
    started, // A new peer is in this lane.
    left,
    paused,
    resumed,
    cut, // No datagram gets from lane to `other` until healed.
    healed,
    violation
};

struct Moment {
    uint64_t time_us; // The explorer writes 1000 times the number of the move.
    MomentKind kind;
    MessageKind message; // said, heard. none: UPDATE.
    bool alive, dead;    // object.
    bool ignored;        // heard: it changed nothing.
    uint16_t lane, other;
    PeerId owner;    // object. In all other kinds: the peer in the lane, if it is known.
    uint64_t link;   // said, heard: equal in both, unique otherwise.
    ObjectId object; // none: the moment is about no object.
    Stamp stamp;
    std::string label; // act, started, crashed, left, violation ("I3: what is wrong").
};

struct History {
    std::string title;
    std::vector<std::string> lanes; // Names, as "peer 1 host".
    std::vector<PeerId> peers;      // The first peer of each lane. none: it starts later.
    std::vector<Moment> moments;    // history::sorted() brings them into the order of time.
    bool steps;                     // Time is a number of moves.
};

// A broken invariant.
struct Violation {
    std::string invariant; // "I3"; docs/testing.md lists them. Empty: no violation.
    std::string text;      // Names the peers, objects and values, for people.
    ObjectId object = ObjectId::none;
    uint16_t lane = 0;
    explicit operator bool() const { return !invariant.empty(); }
};

enum class MessageOutcome : uint8_t {
    received,
    ignored, // It was received and changed nothing.
    lost,
    in_flight, // It is neither received nor known to be lost when the history ends.
    unsent     // It was received, and the history does not show when it was sent.
};

inline constexpr uint64_t history_end_us = UINT64_MAX; // The time after the last moment.

struct HistoryMessage {
    uint16_t from, to; // Lanes.
    MessageKind kind;  // none: UPDATE.
    ObjectId object;   // none: the message is about no object.
    Stamp stamp;
    uint64_t sent_us, end_us; // The message was received or lost at end_us.
    MessageOutcome outcome;
    bool duplicated; // A datagram of it was duplicated, or it was received more than once.
};

// One peer in a lane. Another peer may follow.
struct HistoryStay {
    uint16_t lane;
    PeerId peer;             // none: the history does not name it.
    uint64_t from_us, to_us; // from_us is 0 if the peer is there when the history begins.
    MomentKind end;          // crashed, left, or started if another peer takes the lane.
};

// A period in which one peer believes the same about one object.
struct HistoryObject {
    uint16_t lane;
    ObjectId object;
    uint64_t from_us, to_us;
    bool alive;     // false: the peer remembers the object as destroyed.
    bool destroyed; // The period ends (alive) or begins (not alive) with the object's destruction.
    PeerId owner;
    Stamp stamp;
};

namespace history {

// The moments in the order of time, without those in lanes that do not exist. The three functions
// below need such a history.
History sorted(History history);
std::vector<HistoryMessage> messages(const History &history);
std::vector<HistoryStay> stays(const History &history);
std::vector<HistoryObject> objects(const History &history);

// Splits the label of a violation: "I3: text" has the invariant "I3". Without one it is empty.
Violation violation(const Moment &moment);
const char *text(MessageKind kind);       // "MIGRATE".
const char *text(MessageOutcome outcome); // "in flight".
const char *text(MomentKind kind);        // "crashed".
// The whole history, for any bytes in names and labels. docs/testing.md describes the format.
std::string json(const History &raw);

}
}
