// A room: one session with a UDP socket of its own, whose host this process is. It knows no game:
// it owns what nobody else does, lets newcomers in, and gives all away before it ends.
#pragma once
#include "host/log.h"
#include "host/script.h"
#include "host/watch.h"
#include <cstdio>
#include <tern/io.h>
#include <unordered_map>

namespace dedicated {

enum class RoomPhase : uint8_t {
    open,
    giving,  // Draining: gives its objects to the members.
    leaving, // It owns nothing, or nobody is there to take it.
    left,    // The drain is over.
    lost     // The session ended against our will.
};

// What was granted to a member while draining, and under which stamp it was ours.
struct Gift {
    tern::PeerId to;
    uint64_t stamp;
};

inline constexpr uint32_t recording_bytes_max = 8 << 20; // Of one tick: taken after each.

struct Room {
    RoomOptions options;
    std::vector<tern::Address> addresses; // Of its invites.
    std::shared_ptr<const TypeTable> types;
    std::string host_name;
    tern::Parallel parallel; // Of its session; a script's has none.
    RoomPhase phase = RoomPhase::open;
    tern::Socket *socket = nullptr;
    tern::Session *session = nullptr;
    tern::scripts::Game *game = nullptr; // Its script; the session is then its.
    tern::Topology topology = {};
    uint16_t port = 0;     // Where it is bound.
    std::string invite;    // Printed.
    bool reopened = false; // It has a new invite: the host tells it, and sets this to false.
    Watch watch;
    RoomStatus last = {};                                // When it is over: as it was then.
    std::unordered_map<tern::PeerId, std::string> names; // Of who has joined.
    uint64_t refused = 0;                                // Newcomers, by us.
    uint64_t refused_told = 0; // Of those that the session refuses: so many are in the log.
    std::FILE *recording = nullptr;
    std::string recording_path; // Absolute; empty: none.
    uint64_t recording_bytes = 0;
    std::unordered_map<uint64_t, Gift> gifts; // By object.
    uint64_t given = 0;                       // Objects that have reached a member in the drain.
    uint64_t give_us = 0;                     // When to look again for what is to be given.
    size_t next_member = 0;                   // Whose turn it is to be given one.
};

namespace room {

// Each of these three in turn. Empty, or what was wrong; close() then.
std::string bind(Room &room, const Options &options, const RoomOptions &own);
std::string begin_recording(Room &room, const std::string &folder);
void open(Room &room, const Log &log, uint64_t now_us);
void close(Room &room); // Without a goodbye. Once more: nothing.

void tick(Room &room, const Log &log, uint64_t now_us);
bool is_over(const Room &room); // left, or lost.
bool is_host(const Room &room); // Of an open session: may migrate and remove.
bool takes_newcomers(const Room &room);
uint64_t owned(const Room &room);       // Objects.
void drain(Room &room, const Log &log); // Nothing if it drains or is over.
RoomStatus status(Room &room, uint64_t now_us);
void log_refusals(Room &room, const Log &log); // Those since the last time that were not ours.

// The part of tick() that gives objects away (room_drain.cpp).
void give(Room &room, const Log &log, uint64_t now_us);

}
}
