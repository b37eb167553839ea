// The messages and datagrams between the peers of the page in the last seconds, for swim lanes.
#pragma once
#include "session/inspect.h"
#include "tern/tern.hpp"
#include <vector>

namespace page {

using namespace tern;

inline constexpr uint32_t lane_count = 4;              // One peer at a time is in each lane.
inline constexpr uint64_t line_age_us_max = 3'000'000; // Older lines are forgotten.

// update: a datagram with UPDATEs.
enum class LineKind : uint32_t { datagram, create, migrate, destroy, claim, membership, update };
enum class LineEnd : uint32_t { in_flight, received, ignored, lost };

// The page reads it as bytes: common.js has the layout.
struct Line {
    double sent_ms, end_ms; // end_ms is 0 while it is in flight.
    double object;          // The id; 0: the line is about none.
    uint32_t from, to;      // Lanes.
    LineKind kind;
    LineEnd end;
    uint32_t size_bytes; // datagram, update.
    uint32_t unused;
};
static_assert(sizeof(Line) == 48);

struct OpenLine {         // A line that is in flight.
    uint64_t key, number; // datagram: a hash of its bytes, and 0. Else as in Note.
    ObjectId object;
    size_t line; // The number among all lines that have ever been.
};

struct Lanes {
    std::vector<Line> lines = {}; // They are in the order of time.
    size_t forgotten = 0;         // Lines that were before these.
    std::vector<OpenLine> open = {};
};

namespace lanes {

// A datagram leaves a lane. `is_lost`: the network has dropped it already.
void add_sent(Lanes &lanes, uint32_t from, uint32_t to, const Datagram &datagram, bool is_lost,
              uint64_t now_us);
// A datagram arrives.
void add_received(Lanes &lanes, uint32_t to, const Datagram &datagram, uint64_t now_us);
// What has arrived in this lane now has changed an object that the lane `from` owns.
void mark_updates(Lanes &lanes, uint32_t from, uint32_t to, uint64_t now_us);
// A message was queued for a lane, or taken by it: a note of the lane's journal.
void add_note(Lanes &lanes, uint32_t lane, uint32_t other, const Note &note, uint64_t now_us);
// A peer is dead: what was on its way to it will never arrive.
void close(Lanes &lanes, uint32_t lane, uint64_t now_us);
// Forgets old lines.
void forget(Lanes &lanes, uint64_t now_us);

}
}
