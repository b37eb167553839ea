// The game script of a room. It supplies the types and the session of the room and runs in each
// tick. In a build without Lua, load() of a room with a script returns an error.
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

// Runs the script and makes its session. Topology, quorum and peers_max come from the script, and
// from the room's options where the script sets none. Returns an empty string, also for a room
// without a script, or the error.
std::string load(Room &room, const Log &log);

// The functions below have no effect in a room without a script.
tern::Session *session(const Room &room); // Null without a script.
void tick(Room &room, const Log &log, uint64_t now_us);
void stop(Room &room, const Log &log); // Call it once, before the room drains.
void reload(Room &room, const Log &log);
void close(Room &room); // Destroys the script and its session.
ScriptStatus status(const Room &room);
// Runs one line on the script's console and returns its output.
std::string console(Room &room, const std::string &line, const Log &log);

}
}
