// A console for a running game. It evaluates Lua and knows commands about the session.
#pragma once
#include "scripts/game.h"
#include <string_view>

namespace tern::scripts::console {

inline constexpr size_t shown_bytes_max = 8 * 1024; // The rest of a longer answer is left out.
inline constexpr size_t candidates_max = 64;        // Candidates of one completion.

// Returns the answer to a line, without a line break at its end. The line is one of:
// - an expression or a statement of Lua, which can use session, game (the script's table), tern and
//   the script's globals;
// - a command such as ":help";
// - "?prefix" or "complete prefix": the answer is the possible completions, one in each line.
// The game's limits hold. An error does not freeze the game.
std::string answer(Game &game, std::string_view line);

}
