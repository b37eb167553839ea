// The contents of a picture, made from a History: columns, lanes and what they show, without
// positions.
#pragma once
#include "sim/picture/picture.h"
#include "sim/picture/picture_ink.h"

namespace tern {

enum class ArrowOutcome : uint8_t {
    heard,
    ignored,
    lost,
    under_way, // In flight when the history ends.
    unsaid     // Received, but the history does not show when it was sent.
};

struct Spoken {
    MessageKind message;
    Stamp stamp;
    ObjectId object;
};

struct Arrow {              // Messages that were sent together and received together.
    uint16_t from, to;      // Lanes.
    size_t said_at, end_at; // Columns: sent; received or known to be lost.
    uint64_t said_us, end_us;
    ArrowOutcome outcome;
    bool doubled;
    bool strong; // A message is about an object of the violation.
    std::vector<Spoken> spoken;
};

struct Stretch { // A part of a band, in which a lane's state of the object stays the same.
    uint16_t lane;
    size_t row; // The row of the band: an index into Plan::objects.
    size_t from, to;
    bool alive;    // Else the lane has a tombstone of the object.
    bool has_tomb; // The object dies: at the end if alive, else at the beginning.
    PeerId owner;
    Stamp stamp;
};

struct Stay { // The time of a peer in a lane.
    uint16_t lane;
    size_t from, to;
    PeerId peer;
    std::string label; // The label of its start. Empty: the peer was there from the beginning.
    MomentKind end;    // crashed or left; else the peer is there at the end.
};

struct Hatch { // A time in which a lane was paused, or cut off from others.
    uint16_t lane;
    size_t from, to;
    size_t row;       // Cuts at the same time have rows of their own.
    std::string text; // Empty: paused.
};

struct PictureAct {
    uint16_t lane;
    size_t at;
    std::string text;
    MomentKind kind; // One of act, started, crashed and left.
};

struct Spots { // Datagrams between two lanes that were lost or doubled at about the same time.
    uint16_t from, to;
    size_t after; // The spot lies behind this column,
    double part;  // ... by this part (0 to 1) of the distance to the next one.
    MomentKind kind;
    uint32_t count;
};

struct Flag { // The violation.
    uint16_t lane;
    size_t at;
    std::string id, text;
    ObjectId object;
};

struct Column {
    uint64_t time_us;
    bool flag; // A violation has a column of its own, behind all else of its time.
};

struct Plan {
    std::vector<Column> columns;   // The first one lies before all moments.
    std::vector<ObjectId> objects; // The objects that have a band.
    std::vector<ObjectId> violated;
    bool narrow;                  // Only what may have led to the violation is drawn.
    size_t more_objects;          // How many objects have no band.
    size_t left_out;              // How many moments are not drawn, not counting datagrams.
    uint64_t begins_us;           // Earlier moments are not drawn. 0: all are.
    std::vector<PeerId> colours;  // The peers in the order in which they get colours.
    std::vector<bool> lanes_used; // For each lane, whether anything is drawn in it.
    std::vector<Stay> stays;
    std::vector<Stretch> stretches;
    std::vector<Arrow> arrows;
    std::vector<Hatch> hatches;
    std::vector<PictureAct> acts;
    std::vector<Spots> spots;
    std::vector<Flag> flags;
};

namespace plan {

inline constexpr size_t no_row = static_cast<size_t>(-1);

// Plans at most the last columns_max times at which something is to be drawn.
Plan make(const History &history, const PictureOptions &options, size_t columns_max);
// The last column that is not after this time.
size_t column(const Plan &plan, uint64_t time_us, bool flag);
size_t row(const Plan &plan, ObjectId object); // no_row: the object has no band.
bool is_violated(const Plan &plan, ObjectId object);

const char *message_text(MessageKind kind);
PeerId first_peer(const Plan &plan, uint16_t lane); // The first one drawn. none: not known.
// Whether a lane's number names a place, where peers come and go: a lane "1 host" with another peer
// than 1.
bool is_place(const History &history, uint16_t lane, PeerId peer);
std::string lane_text(const Plan &plan, const History &history, uint16_t lane);
std::string time_text(const History &history, uint64_t time_us); // The move, or milliseconds.
// The label of an arrow: kinds of messages with stamps and objects, with stamps, or alone.
enum class Detail : uint8_t { objects, stamps, kinds };
std::string arrow_text(const Plan &plan, const Arrow &arrow, Detail detail);

}
}
