// The files that a script consists of: read, found by require(), and watched.
#pragma once
#include "scripts/state.h"

namespace tern::scripts::files {

// Into State::text; the file is added to State::files, or renewed there. Empty, or what was wrong.
std::string read(State &state, const std::string &name, const std::string &path);

enum class Found : uint8_t { no, yes, wrong };
// Reads what require(name) means, below State::folder. wrong: State::text says what is.
Found find_module(State &state, std::string_view name);

bool changed(const State &state); // Is any of State::files other than when it was read?

}
