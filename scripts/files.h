// The files that a script consists of: read, found by require(), and watched.
#pragma once
#include "scripts/state.h"

namespace tern::scripts::files {

// Into LuaState::text; the file is added to LuaState::files, or renewed there. Empty, or what was
// wrong.
std::string read(LuaState &state, const std::string &name, const std::string &path);

enum class Found : uint8_t { no, yes, wrong };
// Reads what require(name) means, below LuaState::folder. wrong: LuaState::text says what is.
Found find_module(LuaState &state, std::string_view name);

bool changed(const LuaState &state); // Is any of LuaState::files other than when it was read?

}
