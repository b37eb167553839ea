// The game script of a room: its types are the room's, and it is called in each tick. Without Lua
// in the build, load() says so.
#pragma once
#include "host/http/status_types.h"
#include "host/log.h"
#include "host/options/options_types.h"

namespace tern::scripts {
struct Game;
}

namespace dedicated {

struct Room;

namespace script {

// Runs the script and makes the room's session: topology, quorum, peers_max and what else the
// script does not say are the room's. Empty, or what was wrong.
std::string load(Room &room, const Log &log);
tern::Session *session(const Room &room); // Null: the room has no script.
void tick(Room &room, const Log &log, uint64_t now_us);
void stop(Room &room, const Log &log);   // Before the room leaves.
void reload(Room &room, const Log &log); // Nothing without a script; so are stop() and tick().
void close(Room &room);                  // The session, too.
ScriptStatus status(const Room &room);
std::string console(Room &room, const std::string &line, const Log &log);

}
}
