// What a picture shows, in columns and lanes: from a History, before anything has a place in it.
#pragma once
#include "sim/picture/picture.h"
#include "sim/picture/picture_ink.h"

namespace tern {

enum class ArrowFate : uint8_t {
    heard,
    ignored,
    lost,
    under_way, // When the history ends.
    unsaid     // Heard, and nobody knows when it was said.
};

struct Spoken {
    MessageKind message;
    Stamp stamp;
    ObjectId object;
};

struct Arrow {              // All that was said together and heard together.
    uint16_t from, to;      // Lanes.
    size_t said_at, end_at; // Columns. The end: where it was heard, or is known to be lost.
    uint64_t said_us, end_us;
    ArrowFate fate;
    bool doubled;
    bool strong; // About an object of the violation.
    std::vector<Spoken> spoken;
};

struct Stretch { // Of a band: what a lane believes of an object for a while.
    uint16_t lane;
    size_t row; // Of the band: index into Plan::objects.
    size_t from, to;
    bool alive;    // Else dead, and remembered.
    bool has_tomb; // It died: alive at its end, else at its beginning.
    PeerId owner;
    Stamp stamp;
};

struct Stay { // A peer in a lane.
    uint16_t lane;
    size_t from, to;
    PeerId peer;
    std::string label; // Of who started here; empty: was there from the beginning.
    MomentKind end;    // crashed, left; else it stays.
};

struct Hatch { // A time in which a lane was paused, or cut off from others.
    uint16_t lane;
    size_t from, to;
    size_t row;       // Cuts lie below one another.
    std::string text; // Empty: paused.
};

struct PictureAct {
    uint16_t lane;
    size_t at;
    std::string text;
    MomentKind kind; // act, started, crashed, left.
};

struct Spots { // Datagrams lost or doubled, between two lanes, about the same time.
    uint16_t from, to;
    size_t after; // This column,
    double part;  // and this part of the way to the next.
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
    bool flag; // A violation has a column of its own, after all else of its time.
};

struct Plan {
    std::vector<Column> columns;   // The first: before all that is drawn.
    std::vector<ObjectId> objects; // With a band.
    std::vector<ObjectId> violated;
    bool narrow;                  // Only what led to the violation is drawn.
    size_t more_objects;          // Without one.
    size_t left_out;              // Moments that are not drawn for they have nothing to do with it.
    uint64_t begins_us;           // Not 0: what was before is not drawn.
    std::vector<PeerId> colours;  // The peers that have one, in this order.
    std::vector<bool> lanes_used; // By lane: something is drawn in it.
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

// Of the last columns_max times at which something is to be drawn.
Plan make(const History &history, const PictureOptions &options, size_t columns_max);
// The last that is not after this.
size_t column(const Plan &plan, uint64_t time_us, bool flag);
size_t row(const Plan &plan, ObjectId object); // no_row: it has no band.
bool is_violated(const Plan &plan, ObjectId object);

const char *message_text(MessageKind kind);
PeerId first_peer(const Plan &plan, uint16_t lane); // Of those drawn. none: it is not known.
// Whether "1 host" is the name of another peer than 1: then it names a place where peers come and
// go.
bool is_place(const History &history, uint16_t lane, PeerId peer);
std::string lane_text(const Plan &plan, const History &history, uint16_t lane);
std::string time_text(const History &history, uint64_t time_us); // "move 3", "12.5 ms".
// What it says: with the objects if there are several, without them, or the kinds alone.
enum class Detail : uint8_t { objects, stamps, kinds };
std::string arrow_text(const Plan &plan, const Arrow &arrow, Detail detail);

}
}
