// A room: one session with its own UDP socket, hosted by this process. Without a script it has no
// game logic: it owns the objects that no member owns, admits newcomers, and transfers all of its
// objects to members before it ends.
#pragma once
#include "host/log.h"
#include "host/script.h"
#include "host/watch.h"
#include <cstdio>
#include <deque>
#include <tern/diagnostics.hpp>
#include <tern/io.hpp>
#include <unordered_map>

namespace dedicated {

enum class RoomPhase : uint8_t {
    open,
    giving,  // Draining: transfers its objects to the members.
    leaving, // Leaves the session: it owns nothing any more, or there are no members.
    left,    // The drain is over and the session is closed.
    lost     // The session failed: removed, overflow, or cut off while draining.
};

// An object that a draining room has granted to a member.
struct Gift {
    tern::PeerId to;
    uint64_t stamp; // The object's stamp before the grant; a different one voids this record.
};

// A member that broke the rules of the protocol.
struct NotedBreach {
    uint64_t time_us;            // On the clock of HostStatus::now_us.
    tern::PeerId peer, reporter; // reporter: the member that found it. none: the host itself did.
    std::string name;            // The peer had this name; it may have gone since.
    tern::Breach breach;
};
inline constexpr size_t breaches_noted_max = 100; // Earlier ones are forgotten.

// Bytes that one tick may add to a recording; the room takes them out of the session every tick.
inline constexpr uint32_t recording_bytes_max = 8 << 20;

struct Room {
    RoomOptions options;
    std::vector<tern::Address> addresses; // Listed in the room's invites.
    std::shared_ptr<const TypeTable> types;
    std::string host_name;
    tern::Parallel parallel = {}; // For Config::parallel; unused if the room has a script.
    RoomPhase phase = RoomPhase::open;
    tern::Socket *socket = nullptr;
    tern::Session *session = nullptr;
    tern::scripts::Game *game = nullptr; // The script, which then owns `session`; or null.
    tern::Topology topology = {};
    uint16_t port = 0;  // The bound UDP port.
    std::string invite; // The current invite as text.
    // The session was reopened with a new invite. The host prints the invite and clears this.
    bool reopened = false;
    uint64_t cut_off_us = 0; // Since when the session is cut off. 0: it is not.
    Watch watch;
    RoomStatus last = {};                                // The final status of a room that is over.
    std::unordered_map<tern::PeerId, std::string> names; // Members, to log them when they leave.
    std::deque<NotedBreach> breaches; // Oldest first, at most breaches_noted_max.
    uint64_t refused = 0;             // Newcomers that this room refused: closed, or draining.
    uint64_t refused_logged = 0;      // How many refusals by the session itself have been logged.
    std::FILE *recording = nullptr;
    std::string recording_path; // Absolute; empty if the room is not recorded.
    uint64_t recording_bytes = 0;
    std::unordered_map<uint64_t, Gift> gifts; // Transfers in progress, by ObjectId.
    uint64_t given = 0;                       // Objects that a member has taken over in the drain.
    uint64_t give_us = 0;                     // When give() looks for objects again, as now_us.
    size_t next_member = 0;                   // Index of the member that gets the next object.
};

namespace room {

// Called in this order. Each returns an empty string, or the error; call close() after an error.
std::string bind(Room &room, const Options &options, const RoomOptions &own);
std::string begin_recording(Room &room, const std::string &folder);
std::string open(Room &room, const Log &log, uint64_t now_us);
void close(Room &room); // Does not leave() the session first. May be called twice.

void tick(Room &room, const Log &log, uint64_t now_us);
bool is_over(const Room &room); // The phase is left or lost.
bool is_host(const Room &room); // The session is open and this peer hosts it.
bool takes_newcomers(const Room &room);
uint64_t owned(const Room &room);       // How many objects this peer owns.
void drain(Room &room, const Log &log); // No effect if the room is draining or over.
RoomStatus status(Room &room, uint64_t now_us);
// Logs how many newcomers the session itself has refused (full, other types) since the last call.
void log_refusals(Room &room, const Log &log);

// The part of tick() that transfers objects while draining (room_drain.cpp).
void give(Room &room, const Log &log, uint64_t now_us);

}
}
