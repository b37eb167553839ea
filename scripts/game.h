// A game written in Lua: a script that returns a table of options, functions and state. It is
// loaded, makes its session, is called in each tick, and is read again when its files change.
//
// An error freezes the game's code and nothing else: whoever runs it goes on to receive() and
// send(), and the code goes on with the next version of its files.
#pragma once
#include "scripts/collector.h"
#include "scripts/state.h"
#include <tern/types.h>

namespace tern::scripts {

inline constexpr uint64_t look_interval_us = 100'000; // At the files: have they changed?

enum class NoteKind : uint8_t {
    output,        // What the script has printed: lines, each with its end.
    error,         // The code is frozen. With a traceback.
    reloaded,      // The code is new, and runs.
    reload_refused // The code is the old one, and runs if it did.
};
const char *text(NoteKind kind); // "script_error" and the like.

struct Note {
    NoteKind kind;
    std::string text;
};

// An option of make_session() that whoever runs the game sets in the script's place.
struct Setting {
    const char *key;
    std::string text; // Of a number: its digits.
    bool is_number = false;
};

struct Game {
    LuaState *state = nullptr;
    int table = 0;          // Both in Lua's registry.
    int session_handle = 0; // 0: none was made.
    bool has_started = false;
    bool is_frozen = false;
    uint64_t errors = 0, reloads = 0, refused_reloads = 0;
    std::string last_error;
    uint64_t ticked_us = 0; // The last tick's now_us; 0: none.
    uint64_t look_us = 0;   // When to look at the files next.
    Collector collector;
    std::vector<Note> notes; // Whoever shows them empties it.
};

struct MadeGame {
    Game *game;        // Null on error.
    std::string error; // With a traceback if the script raised it.
};

namespace game {

MadeGame make(const std::string &path, Trust trust, const Limits &limits);
// The same in two steps, for who has something to do to Lua before the script is read.
Game *open(Trust trust, const Limits &limits);                // Null: no memory.
std::string read_script(Game &game, const std::string &path); // Empty, or what was wrong.
void destroy(Game *game);                                     // Its session, too.

// Once. Empty, or what was wrong with an option.
std::string make_session(Game &game, const std::vector<Setting> &settings);
bool has_option(const Game &game, const char *key); // Does the script's table say it?
// Null: there is none, or the script has destroyed it. For a tick, not for longer.
Session *session(const Game &game);

// Between receive() and send(): reads files that have changed, calls start() when the session is
// open for the first time, then update(), and collects garbage.
void tick(Game &game, uint64_t now_us);
void stop(Game &game);   // Before leave(): calls stop(), if the code is not frozen.
void check(Game &game);  // The same with check(), in the simulator: what the game says of the end.
void reload(Game &game); // Now, and not only when a file has changed.

}

// reload.cpp: Lua's part of it, as functions in the registry.
namespace reload {

inline constexpr const char *adopt_key = "tern.adopt";
inline constexpr const char *reload_key = "tern.reload";
inline constexpr const char *undo_key = "tern.undo";
void open(LuaState &state);

}
}
