// A game written in Lua: a script that returns a table of options, functions and state. The caller
// loads it, lets it make its session, and calls tick() between receive() and send(). The script is
// read again when its files change.
//
// An error freezes the game's code only: the caller still calls receive(), tick() and send(). The
// code runs again when a new version of its files is loaded.
#pragma once
#include "scripts/collector.h"
#include "scripts/state.h"
#include <tern/types.hpp>

namespace tern::scripts {

inline constexpr uint64_t look_interval_us = 100'000; // How often tick() checks the files.

enum class NoteKind : uint8_t {
    output,        // Text that the script has printed, with its line breaks.
    error,         // The code is frozen. The text is the error with a traceback.
    reloaded,      // New code was loaded, and runs.
    reload_refused // The new code is wrong. The old code stays, frozen if it was.
};
const char *text(NoteKind kind); // "script_error" and the like.

struct Note {
    NoteKind kind;
    std::string text;
};

// An option of make_session() that the caller sets, whatever the script's table has for it.
struct Setting {
    const char *key;
    std::string text; // The value; the digits of a number.
    bool is_number = false;
};

struct Game {
    LuaState *state = nullptr;
    int table = 0;          // A reference in Lua's registry.
    int session_handle = 0; // A reference in Lua's registry. 0: no session was made.
    bool has_started = false;
    bool is_frozen = false;
    uint64_t errors = 0, reloads = 0, refused_reloads = 0;
    std::string last_error;
    uint64_t ticked_us = 0; // now_us of the last tick. 0: there was none.
    uint64_t look_us = 0;   // When tick() checks the files next.
    Collector collector;
    std::vector<Note> notes; // The caller shows them and empties the list.
};

struct MadeGame {
    Game *game;        // Null on error.
    std::string error; // Has a traceback if the script raised it.
};

namespace game {

MadeGame make(const std::string &path, Trust trust, const Limits &limits);
// make() in two steps, for a caller that changes the Lua state before the script is read.
Game *open(Trust trust, const Limits &limits); // Null: no memory.
// Returns what is wrong; empty: nothing.
std::string read_script(Game &game, const std::string &path);
void destroy(Game *game); // Destroys its session, too.

// Call it once. Returns what is wrong with an option; empty: nothing.
std::string make_session(Game &game, const std::vector<Setting> &settings);
bool has_option(const Game &game, const char *key); // Whether the script's table has this key.
// Null: there is no session, or the script has destroyed it. Valid for one tick.
Session *session(const Game &game);

// Call it between receive() and send(). Loads files that have changed, calls start() once the
// session is open, then update(), and collects garbage.
void tick(Game &game, uint64_t now_us);
void stop(Game &game);   // Call it before leave(). Calls the script's stop(), unless it is frozen.
void check(Game &game);  // Calls the script's check(), unless it is frozen: used by tern-sim.
void reload(Game &game); // Loads the files again, even if none has changed.

}

// reload.cpp: the part of reload() that is written in Lua, as functions in Lua's registry.
namespace reload {

inline constexpr const char *adopt_key = "tern.adopt";
inline constexpr const char *reload_key = "tern.reload";
inline constexpr const char *undo_key = "tern.undo";
void open(LuaState &state);

}
}
