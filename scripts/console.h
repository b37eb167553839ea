// A console into a running game: expressions and statements of Lua, and commands about the session.
#pragma once
#include "scripts/game.h"
#include <string_view>

namespace tern::scripts::console {

inline constexpr size_t shown_bytes_max = 8 * 1024; // Of an answer; more is left out.
inline constexpr size_t candidates_max = 64;        // Of a completion.

// What one line is answered with; lines without a last end. The line is an expression or a
// statement, which can use session, game (the script's table), tern and the script's globals; or
// ":help" and other commands; or "?prefix" (also "complete prefix"), answered by what may stand
// there, one in a line. The game's limits hold, and an error freezes nothing.
std::string answer(Game &game, std::string_view line);

}
